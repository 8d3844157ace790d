// object_copy: a byte-identical copy of a compiled statement, to be loaded next to it.
//
// The loader maps an object only once, however often it is loaded. To compare a side with itself we
// need a second file.
#ifndef AB_VERDICT_OBJECT_COPY_H
#define AB_VERDICT_OBJECT_COPY_H

#include "core/run/run.h"

struct object_copy {
    char *path;
    char *open, *rival;  // words, as in struct run_case
};

// Copies the object of a case that supports being loaded next to another.
struct bilanx_error object_copy_init(struct object_copy *copy, const struct run_case *item,
                                     const char *path);
void object_copy_done(struct object_copy *copy);  // removes the copy

#endif
