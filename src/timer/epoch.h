// epoch: what the batches of one process amount to.
#ifndef TIMER_EPOCH_H
#define TIMER_EPOCH_H

#include "bilanx/timing.h"
#include "clock/clock.h"
#include "timer/stepper.h"

struct epoch_watch {  // the state of the world before the first batch
    uint64_t tick, cpu_ns;
    double kernel_ns;  // of the reference; 0: not measured along
};

struct epoch_report {
    uint64_t number;  // calls per batch
    struct bilanx_epoch epoch;
    double cpu_ns;         // CPU time of one batch
    double empty_loop_ns;  // of the reference, measured right after
    double kernel_ns;      // the slower one of before and after: a moment when the machine was slow
};

// `alone`: the reference is not measured along.
struct epoch_watch epoch_begin(struct clock *clock, bool alone);
void epoch_end(const struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               bool alone, struct epoch_report *out);

// The measured time, warm-up left out.
double epoch_spent_ns(const struct epoch_report *report);

#endif
