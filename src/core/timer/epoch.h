// epoch: what the batches of one process amount to.
//
//     epoch_begin(&watch, &clock, alone);
//     while ((n = epoch_next(&watch, &clock, &stepper, last))) ...
//     epoch_end(&watch, &clock, &stepper, &report);
//
// Between batches it reads the pace of the core. Batches at another pace than the plan wants are
// left out, or, where too few are at that one, those at another pace than most of the others.
#ifndef TIMER_EPOCH_H
#define TIMER_EPOCH_H

#include "bilanx/timing.h"
#include "core/clock/clock.h"
#include "core/timer/pace.h"
#include "core/timer/stepper.h"

struct epoch_watch {
    uint64_t tick, cpu_ns;  // before the first batch
    bool alone;             // the reference is not measured along
    struct pace_log log;
    uint64_t read_tick;  // when the pace was last read
    double read_ns;      // and how much of the batches' time was spent by then
    struct pace (*read_pace)(const struct clock *clock);
};

struct epoch_report {
    uint64_t number;  // calls per batch
    struct bilanx_epoch epoch;
    double cpu_ns;         // CPU time of one batch
    double empty_loop_ns;  // of the reference, measured right after
    // Of the batches that were kept. Where the pace was read only before and after them it is the
    // slower one, and wide_ns is 0: a moment when the machine was slow.
    struct pace pace;
};

// The watch is zeroes or was used before.
void epoch_begin(struct epoch_watch *watch, struct clock *clock, bool alone);

// As stepper_next().
uint64_t epoch_next(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                    const struct batch *last);

void epoch_end(struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               struct epoch_report *out);
void epoch_done(struct epoch_watch *watch);

// The measured time, warm-up left out.
double epoch_spent_ns(const struct epoch_report *report);

#endif
