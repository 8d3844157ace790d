// twin: a byte-identical copy of a compiled statement, to be loaded beside it.
//
// The loader gives one object one address, however often it is loaded: for a side that is compared
// with itself there must be another file.
#ifndef CONTEST_TWIN_H
#define CONTEST_TWIN_H

#include "core/run/run.h"

struct twin {
    char *path;
    char *open, *rival;  // words, as in struct run_case
};

// Copies the object of a case that can be loaded beside another.
struct bilanx_error twin_init(struct twin *twin, const struct run_case *item, const char *path);
void twin_done(struct twin *twin);  // removes the copy

#endif
