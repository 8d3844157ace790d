// interleaved: compares the cases of two sides and reaches verdicts.
//
// Interleaves epochs of neighbouring cases. Each case continues until it is decided or out of time.
// About one epoch in six compares the first side with itself. A change flagged in a run of several
// cases, or while other processes use much of the machine, is measured again before it is reported.
#ifndef AB_VERDICT_INTERLEAVED_H
#define AB_VERDICT_INTERLEAVED_H

#include "ab/verdict/judgement.h"
#include "ab/verdict/paired_epoch.h"
#include "core/run/watch.h"

enum { INTERLEAVED_BUDGET_S = 5 };

struct interleaved_side {
    const char *name, *title;
    const struct run_cases *cases;  // parallel to those of the other side
};

struct interleaved_options {       // zero means the default
    const struct paired_way *way;  // default: by workers
    struct margins margins;
    double budget;   // seconds per case; INTERLEAVED_BUDGET_S
    double timeout;  // per process
    uint64_t max_memory;
    uint64_t seed;
    bool precise;      // no verdicts: continue until the difference is known well, or out of time
    bool unconfirmed;  // do not measure flagged changes again
    bool apart;        // a separate process for each side
    bool any_core;     // compare whatever the state of the core
    bool free_core;    // no verdict unless the core is free
    double core_wait;  // seconds to wait for the core beyond the budget; 0: as long as the budget
    double (*busy_share)(const struct watch *since);  // default: watch_busy_share()
};

struct interleaved_observer {
    void *context;
    void (*working)(void *context, const struct run_case *item, double ahead);  // may be NULL
    // A record of kind "verdict" or "failure" is complete; the observer takes ownership.
    void (*finished)(void *context, size_t index, struct bilanx_record *record);
};

// Result of the whole run, besides its records.
struct interleaved_summary {
    struct finding control;  // the first side against itself
    size_t control_epochs;
    double bias;  // how far apart identical sides may appear; a logarithm
    bool biased;  // the bias certainly exceeds the claim margin
};

// Compares every case of sides[1] with that of sides[0]. A failed case gets a record of kind
// "failure". Only ^C is an error; verdicts reached by then have been reported.
struct bilanx_error interleaved_compare(const struct interleaved_side sides[2],
                                        const struct interleaved_options *options,
                                        const struct interleaved_observer *observer,
                                        struct interleaved_summary *out);

// Withdraws a verdict that the final control result does not allow; returns false if it stands.
bool interleaved_revise(const struct interleaved_summary *summary, const struct margins *margins,
                        struct bilanx_verdict *verdict);

#endif
