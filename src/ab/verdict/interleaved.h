// interleaved: cases of two sides, to verdicts.
//
// Epochs of neighbouring cases are interleaved; each goes on until it is decided or its time is
// spent. About one epoch in six compares the first side with itself. What is flagged in a run of
// several cases, or while others use much of the machine, is measured once more before it is told.
#ifndef AB_VERDICT_INTERLEAVED_H
#define AB_VERDICT_INTERLEAVED_H

#include "ab/verdict/judgement.h"
#include "ab/verdict/paired_epoch.h"
#include "core/run/watch.h"

enum { INTERLEAVED_BUDGET_S = 5 };

struct interleaved_side {
    const char *name, *title;
    const struct run_cases *cases;  // in step with those of the other side
};

struct interleaved_options {       // zero means the default
    const struct paired_way *way;  // by workers
    struct margins margins;
    double budget;   // seconds for each case; INTERLEAVED_BUDGET_S
    double timeout;  // for any one process
    uint64_t max_memory;
    uint64_t seed;
    bool unconfirmed;                                 // what is flagged is not measured again
    bool apart;                                       // each side in a process of its own
    double (*busy_share)(const struct watch *since);  // watch_busy_share()
};

struct interleaved_observer {
    void *context;
    void (*working)(void *context, const struct run_case *item);  // NULL: nobody watches
    // A record of kind "verdict" or "failure" is complete; it is the observer's from then on.
    void (*finished)(void *context, size_t index, struct bilanx_record *record);
};

// What the run as a whole came to, beside its records.
struct interleaved_summary {
    struct finding control;  // of the first side against itself
    size_t control_epochs;
    double bias;  // how far apart sides that are the same may look; a logarithm
    bool biased;  // that is more than what is claimed, for sure
};

// Compares every case of sides[1] with that of sides[0]. A case that fails is a record of kind
// "failure"; only ^C is an error, and what was decided before it has been told.
struct bilanx_error interleaved_compare(const struct interleaved_side sides[2],
                                        const struct interleaved_options *options,
                                        const struct interleaved_observer *observer,
                                        struct interleaved_summary *out);

// Takes a verdict back that what the control shows in the end does not allow; false: it may stay.
bool interleaved_revise(const struct interleaved_summary *summary, const struct margins *margins,
                        struct bilanx_verdict *verdict);

#endif
