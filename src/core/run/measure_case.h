// measure_case: measures one case, from its first process to its record.
#ifndef RUN_MEASURE_CASE_H
#define RUN_MEASURE_CASE_H

#include "base/deck.h"
#include "core/record/warnings.h"
#include "core/run/run.h"
#include "core/timer/collection.h"

// A case being measured.
struct progress {
    const struct run_case *measured;
    struct bilanx_record record;
    uint64_t number;  // calls per batch; 0: unknown
    double batch_ns;
    double setup_ns;    // shortest time to prepare a process so far
    unsigned patience;  // maximum number of processes; 0: no limit
    unsigned processes;
    struct collection epochs;
    struct deck deck;  // layouts to draw from
    size_t layout;     // layout of the current process
    size_t repeated;   // how many processes repeated a layout on purpose
    bool done;
    bool one_process;
    enum run_core core;
    unsigned first_generation;  // generation of the standby worker when this case began
    unsigned last_generation;
    double resolution_ns;
    struct case_rate {
        char *name;
        double per_call;
    } *rates;  // the benchmark's own, of the last process
    size_t rate_count, rate_room;
    char clock[32];
};

void progress_init(struct progress *progress, const struct run_case *measured,
                   const struct run_options *options, struct core_floor *core);

// Runs one process of the case: one epoch of a rigorous measurement, or all of another method. Sets
// `done` when the case is complete. If the case fails, its record says so; the only error returned
// is ^C.
struct bilanx_error progress_step(struct progress *progress, const struct run_options *options,
                                  uint64_t seed);

// Returns true if there is a result: complete, failed, or interrupted after a few epochs.
bool progress_conclude(struct progress *progress, const struct warning_facts *facts);

#endif
