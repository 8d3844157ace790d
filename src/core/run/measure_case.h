// measure_case: one case, from its first process to its record.
#ifndef RUN_MEASURE_CASE_H
#define RUN_MEASURE_CASE_H

#include "base/deck.h"
#include "core/record/warnings.h"
#include "core/run/run.h"
#include "core/timer/rigorous.h"

// A case on its way to a record.
struct progress {
    const struct run_case *measured;
    struct bilanx_record record;
    uint64_t number;  // calls per batch; 0: not known yet
    double batch_ns;
    double spent_ns;            // in measured batches
    double wasted_ns;           // of it, in epochs that were dropped
    double setup_ns;            // what preparing a process of it takes at the least
    unsigned patience;          // for so many processes; 0: for as many as it takes
    double calmest;             // the least spread of batches within an epoch so far, relative
    struct pace_tracker *pace;  // of this run, all cases together
    struct pace wanted;         // by it, when this case had its last epoch
    struct deck deck;           // of layouts
    size_t layout;              // of the process under way
    bool done;
    bool postponed;         // until the core runs at the pace of the run again
    bool may_wait;          // other cases can be measured meanwhile
    uint64_t redrawn_then;  // how many epochs had been drawn again when it was taken up once more
    bool one_process;
    unsigned first_generation;  // of the worker that stands by, when this case began
    unsigned last_generation;
    double resolution_ns;
    char clock[32];
};

void progress_init(struct progress *progress, const struct run_case *measured,
                   const struct run_options *options);

// Runs one process of the case: one epoch of a rigorous measurement, or the whole of another. Sets
// `done` when nothing is left to do; a failure of the case is written into its record.
// Only ^C is returned.
struct bilanx_error progress_step(struct progress *progress, const struct run_options *options,
                                  uint64_t seed);

// Takes a postponed case up again, for the last time, with the time that it has not had.
void progress_take_up(struct progress *progress);

// True when there is something to keep: complete, failed, or interrupted with a few epochs in.
bool progress_conclude(struct progress *progress, const struct warning_facts *facts);

#endif
