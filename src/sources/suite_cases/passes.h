// passes: cases in some order, and what failed by chance once more.
#ifndef SCHEDULE_PASSES_H
#define SCHEDULE_PASSES_H

#include "core/run/run.h"

struct passes {
    // Measures cases, as run_measure() does.
    struct bilanx_error (*measure)(void *context, const struct run_cases *cases,
                                   const struct run_observer *observer);
    void *context;
    uint64_t retries;  // for a case that crashed or took too long
    bool shuffled;
    uint64_t seed;  // of the order; 0: a fresh one
};

// Has every case measured, and observed once: by its own pointer, with its number of attempts.
// Inside `measure` a case is at another address: passes_place() tells its place among `cases`.
struct bilanx_error passes_run(const struct passes *passes, const struct run_cases *cases,
                               const struct run_observer *observer);

// The place, among the cases of passes_run(), of a case that `measure` was given.
size_t passes_place(const struct run_case *measured);

#endif
