// sides: what to compare: the cases of a file that have counts.
#ifndef COUNTS_SIDES_H
#define COUNTS_SIDES_H

#include "base/hash.h"
#include "base/scope.h"
#include "bilanx/record.h"

struct side_case {
    char *title;
    struct hash whole;  // of its task
    struct hash loose;  // of its task without compiler and environment
    struct bilanx_counts counts;
    char *variants;             // of glibc's functions, in words; NULL: unknown
    struct side_case *partner;  // on the other side; NULL: none
    bool alike;                 // the partner's whole task is equal
};

struct counts_side {
    char *name;  // file name
    bool records;
    size_t parts;  // of a callgrind file, added up in its only case
    struct side_case *cases;
    size_t count, room;
};
void counts_side_done(struct counts_side *side);
SCOPE_VALUE(counts_side, counts_side_done)

// Reads a callgrind file or a file of records, detected from its beginning.
struct bilanx_error counts_side_read(const char *path, struct counts_side *out);

// Finds partners: by whole task, then by task without compiler and environment. Duplicates are
// matched in order.
void sides_pair(struct counts_side *a, struct counts_side *b);

#endif
