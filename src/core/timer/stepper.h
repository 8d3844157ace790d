// stepper: decides, batch by batch, how many calls come next and when a measurement is complete.
//
// A state machine, because the measured body is in charge of its own loop: it asks for the size of
// the next batch and reports what the last one took. Three stages: calibrate (find n), warm up,
// measure. Knows no clock, so that a test can run it without time.
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
    double ns;       // wall time, pauses left out
    double cpu_ns;   // CPU time of the process; 0 where the method does not ask for it
    bool disturbed;  // an involuntary switch or another CPU
    bool manual;     // the body told the time, not the clock
};

struct stepper;

// How to measure: one line each in the table in stepper.c.
struct method {
    const char *name;
    const char *summary;  // NULL: not for the command line
    bool one_call;        // a batch is one call, whatever it takes
    bool cpu_per_batch;   // CPU time is read around every batch, not only around all of them
    bool watches;         // disturbed batches are told apart
    bool (*enough)(const struct stepper *stepper);
};
extern const struct method method_timeit, method_blocked, method_adaptive, method_latency;
extern const struct method method_epoch;             // one draw of a rigorous measurement
extern const struct method method_calibrate;         // finds n and takes one batch of it
const struct method *method_find(const char *name);  // NULL: there is none

// The method that a user names; NULL for "rigorous", which has several processes, and for no name.
struct bilanx_error method_choose(const char *name, const struct method **out);

struct stepper_options {
    const struct method *method;
    uint64_t number;       // calls per batch; 0: find it
    double target_ns;      // how long a batch is to take when n is to be found
    double warmup_ns;      // untimed batches before the first
    double min_ns;         // measure at least this long
    double max_ns;         // and no longer than that, once there is a batch
    uint64_t min_blocks;   // this many batches even past max_ns
    uint64_t max_blocks;   // 0: no limit
    double threshold;      // adaptive: stop at this IQR over median
    double pace_every_ns;  // how often the pace is read between batches; 0: before and after them
    struct pace wanted;    // what was measured at another pace does not count towards max_ns
    double longest_ns;     // but all together takes no longer than this; 0: max_ns
};

struct stepper {
    struct stepper_options options;
    enum { STEPPER_CALIBRATE, STEPPER_WARM, STEPPER_MEASURE, STEPPER_DONE } stage;
    uint64_t n;
    double spent_ns;        // in this stage
    double off_pace_ns;     // of that, what somebody found to be at another pace than wanted
    uint64_t calibrated_n;  // calibrating: the n of the last batch
    unsigned warm_batches;
    double shortest;   // and the best batch of this n so far
    double *times_ns;  // as measured, one per batch
    double *cpu_ns;
    size_t count, room, cpu_room;
    size_t checked_at;  // adaptive: the count at the last look
    uint64_t disturbed;
    bool manual;
};

void stepper_init(struct stepper *stepper, const struct stepper_options *options);
void stepper_done(struct stepper *stepper);
SCOPE_VALUE(stepper, stepper_done)

// The size of the next batch, 0 when the measurement is complete. `last` is NULL the first time.
uint64_t stepper_next(struct stepper *stepper, const struct batch *last);

#endif
