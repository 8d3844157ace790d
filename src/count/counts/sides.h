// sides: what is compared: the cases of a file that have counts.
#ifndef COUNTS_SIDES_H
#define COUNTS_SIDES_H

#include "base/hash.h"
#include "base/scope.h"
#include "bilanx/record.h"

struct side_case {
    char *title;
    struct hash whole;  // of its task
    struct hash loose;  // of its task but for what it was compiled with and where
    struct bilanx_counts counts;
    struct side_case *partner;  // on the other side; NULL: none
    bool alike;                 // the partner's whole task is the same
};

struct counts_side {
    char *name;  // the file's
    bool records;
    size_t parts;  // of a file of callgrind's, added up in its one case
    struct side_case *cases;
    size_t count, room;
};
void counts_side_done(struct counts_side *side);
SCOPE_VALUE(counts_side, counts_side_done)

// Reads a file of callgrind's or of records; which it is is seen from how it begins.
struct bilanx_error counts_side_read(const char *path, struct counts_side *out);

// Finds partners: by whole task, then by what is left of it without compiler and environment. Of
// several the same the first meets the first.
void sides_pair(struct counts_side *a, struct counts_side *b);

#endif
