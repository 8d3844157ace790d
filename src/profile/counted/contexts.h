// contexts: stacks from counts whose functions are named with their callers.
//
// callgrind names a function by the way it was reached: "leaf'parse'main", and the third of several
// calls of it that have not returned "fact'3'main". What each has executed itself is exact, so the
// stacks are.
#ifndef COUNTED_CONTEXTS_H
#define COUNTED_CONTEXTS_H

#include "bilanx/record.h"
#include "profile/stacks/stacks.h"

struct contexts_options {
    size_t callers;  // how many callgrind keeps apart: a name that has all of them was cut
    // Functions that hold the loop of a case, up to a NULL. Such a function becomes the root, with
    // this name; its callers are left out. May be NULL.
    const char *const *bodies;
    const char *name;
};

// Adds one stack for each function that has executed something. Returns the instructions of stacks
// that were cut.
double contexts_add(const struct bilanx_counts *counts, const struct contexts_options *options,
                    struct stacks *stacks);

#endif
