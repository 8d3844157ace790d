// contest: cases of two sides, to verdicts.
//
// Epochs of neighbouring cases are interleaved; each goes on until it is decided or its time is
// spent. About one epoch in six compares the first side with itself. What is flagged in a run of
// several cases, or while others use much of the machine, is measured once more before it is told.
#ifndef CONTEST_CONTEST_H
#define CONTEST_CONTEST_H

#include "ab/duels/bout.h"
#include "ab/duels/judgement.h"
#include "core/run/watch.h"

enum { CONTEST_BUDGET_S = 5 };

struct contest_side {
    const char *name, *title;
    const struct run_cases *cases;  // in step with those of the other side
};

struct contest_options {         // zero means the default
    const struct bout_way *way;  // by workers
    struct margins margins;
    double budget;   // seconds for each case; CONTEST_BUDGET_S
    double timeout;  // for any one process
    uint64_t max_memory;
    uint64_t seed;
    bool unconfirmed;                                 // what is flagged is not measured again
    bool apart;                                       // each side in a process of its own
    double (*busy_share)(const struct watch *since);  // watch_busy_share()
};

struct contest_observer {
    void *context;
    void (*working)(void *context, const struct run_case *item);  // NULL: nobody watches
    // A record of kind "verdict" or "failure" is complete; it is the observer's from then on.
    void (*finished)(void *context, size_t index, struct bilanx_record *record);
};

// What the run as a whole came to, beside its records.
struct contest_summary {
    struct finding control;  // of the first side against itself
    size_t control_epochs;
    double bias;  // how far apart sides that are the same may look; a logarithm
    bool biased;  // that is more than what is claimed, for sure
};

// Compares every case of sides[1] with that of sides[0]. A case that fails is a record of kind
// "failure"; only ^C is an error, and what was decided before it has been told.
struct bilanx_error contest_run(const struct contest_side sides[2],
                                const struct contest_options *options,
                                const struct contest_observer *observer,
                                struct contest_summary *out);

// Takes a verdict back that what the control shows in the end does not allow; false: it may stay.
bool contest_revise(const struct contest_summary *summary, const struct margins *margins,
                    struct bilanx_verdict *verdict);

#endif
