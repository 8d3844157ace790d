// stepper: decides, batch by batch, how many calls come next and when a measurement is complete.
//
// It is a state machine because the measured body runs its own loop: the body asks for the size of
// the next batch and reports how long the last one took. There are three stages: calibrate (find
// n), warm up, measure. It uses no clock, so tests can run it without real time.
#ifndef TIMER_STEPPER_H
#define TIMER_STEPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"
#include "core/timer/pace.h"

struct batch {
    uint64_t n;      // calls
    double ns;       // wall time, without pauses
    double cpu_ns;   // CPU time of the process; 0: not needed by the method, negative: not read
    bool disturbed;  // had an involuntary context switch or a change of CPU
    bool manual;     // the body reported the time, not the clock
};

struct stepper;

// A way to measure. Each is one entry in the table in stepper.c.
struct method {
    const char *name;
    const char *summary;  // NULL: not offered on the command line
    bool one_call;        // a batch is one call, however long it takes
    bool cpu_per_batch;   // read CPU time around every batch, not just around all of them
    bool watches;         // detect disturbed batches
    bool (*enough)(const struct stepper *stepper);
};
extern const struct method method_timeit, method_blocked, method_adaptive, method_latency;
extern const struct method method_epoch;             // one epoch of a rigorous measurement
extern const struct method method_calibrate;         // finds n and runs one batch of it
const struct method *method_find(const char *name);  // NULL: unknown

// Looks up a method by the name a user gives, which may be NULL. *out is NULL for "rigorous", the
// default, which needs several processes.
struct bilanx_error method_choose(const char *name, const struct method **out);

struct stepper_options {
    const struct method *method;
    uint64_t number;       // calls per batch; 0: find it
    double target_ns;      // target duration of a batch if `number` is 0
    double warmup_ns;      // time for untimed batches before the first
    double min_ns;         // measure at least this long
    double max_ns;         // and at most this long, once there is a batch
    uint64_t min_blocks;   // run this many batches even past max_ns
    uint64_t max_blocks;   // 0: no limit
    double threshold;      // adaptive: stop at this ratio of IQR to median
    double pace_every_ns;  // interval between readings of the core's pace; 0: none
    double floor;          // of the core, as in pace.h; 0: unknown
    bool any_core;         // keep batches whatever the state of the core
    double longest_ns;     // go on this long for time with the core to itself; 0: max_ns
};

struct stepper {
    struct stepper_options options;
    enum { STEPPER_CALIBRATE, STEPPER_WARM, STEPPER_MEASURE, STEPPER_DONE } stage;
    uint64_t n;
    double spent_ns;        // in this stage
    double shared_ns;       // the part of it that did not have the core to itself
    uint64_t calibrated_n;  // calibrating: n of the last batch
    unsigned warm_batches;
    double shortest;   // calibrating: best batch of this n so far
    double *times_ns;  // as measured, one per batch
    double *cpu_ns;
    size_t count, room, cpu_room;
    size_t checked_at;  // adaptive: count at the last check
    uint64_t disturbed;
    bool manual;
    bool chosen;  // only batches with the core to themselves are left
};

void stepper_init(struct stepper *stepper, const struct stepper_options *options);
void stepper_done(struct stepper *stepper);
SCOPE_VALUE(stepper, stepper_done)

// Returns the size of the next batch, or 0 when the measurement is complete. `last` is NULL the
// first time.
uint64_t stepper_next(struct stepper *stepper, const struct batch *last);

#endif
