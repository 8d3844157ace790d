// overhead: how much more time one case takes than another, per call.
//
// The two take turns batch by batch, as the sides of a comparison do, so a slow moment of the
// machine affects both. The epochs of all pairs are interleaved.
#ifndef AB_VERDICT_OVERHEAD_H
#define AB_VERDICT_OVERHEAD_H

#include "core/run/run.h"

#define OVERHEAD_BUDGET_S 0.75

struct overhead_pair {
    const struct run_case *item;
    const struct run_case *other;  // the other case, which it is compared with
};

struct overhead_options {  // zero means the default
    double budget;         // seconds per pair; OVERHEAD_BUDGET_S
    double timeout;        // per process
    uint64_t max_memory;
    uint64_t seed;
};

struct overhead_result {
    struct bilanx_overhead *overhead;  // NULL: unknown
    char *reason;                      // why, if unknown
};
void overhead_result_done(struct overhead_result *result);

struct overhead_observer {
    void *context;
    void (*working)(void *context, const struct run_case *item, double ahead);
};

// Fills one result per pair. Only ^C is an error; results reached by then are filled in.
struct bilanx_error overhead_measure(const struct overhead_pair *pairs, size_t count,
                                     const struct overhead_options *options,
                                     const struct overhead_observer *observer,
                                     struct overhead_result *results);

// The overhead that a record of kind "verdict" amounts to; NULL: it does not say.
struct bilanx_overhead *overhead_of_verdict(const struct bilanx_record *record, const char *to);

#endif
