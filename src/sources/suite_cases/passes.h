// passes: runs cases in some order and repeats those that failed by chance.
#ifndef SCHEDULE_PASSES_H
#define SCHEDULE_PASSES_H

#include "core/run/run.h"

struct passes {
    // Measures cases, like run_measure().
    struct bilanx_error (*measure)(void *context, const struct run_cases *cases,
                                   const struct run_observer *observer);
    void *context;
    uint64_t retries;  // for a case that crashed or timed out
    bool shuffled;
    uint64_t seed;  // for the order; 0: random
};

// Measures every case and reports it to the observer once, with its original pointer and number of
// attempts. Inside `measure` a case has another address: use passes_place() to get its index in
// `cases`.
struct bilanx_error passes_run(const struct passes *passes, const struct run_cases *cases,
                               const struct run_observer *observer);

// The index, among the cases of passes_run(), of a case passed to `measure`.
size_t passes_place(const struct run_case *measured);

#endif
