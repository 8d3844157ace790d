// epoch: summarizes the batches of one process.
//
//     epoch_begin(&watch, &clock, alone);
//     while ((n = epoch_next(&watch, &clock, &stepper, last))) ...
//     epoch_end(&watch, &clock, &stepper, &report);
//
// It reads the pace of the core between batches. Batches that did not run at the pace the plan asks
// for are left out. If too few ran at that pace, it keeps those at the most common pace instead.
#ifndef TIMER_EPOCH_H
#define TIMER_EPOCH_H

#include "bilanx/timing.h"
#include "core/clock/clock.h"
#include "core/timer/pace.h"
#include "core/timer/stepper.h"

struct epoch_watch {
    uint64_t tick, cpu_ns;  // before the first batch
    bool alone;             // do not measure the reference
    struct pace_log log;
    uint64_t read_tick;  // tick of the last pace reading
    double read_ns;      // time spent in batches up to then
    struct pace (*read_pace)(const struct clock *clock);
};

struct epoch_report {
    uint64_t number;  // calls per batch
    struct bilanx_epoch epoch;
    double cpu_ns;         // CPU time of one batch
    double empty_loop_ns;  // of the reference, measured right afterwards
    // Pace of the batches that were kept. If the pace was read only before and after them, this is
    // the slower reading, with wide_ns 0: enough to detect a slow moment of the machine.
    struct pace pace;
};

// `watch` is zeroed, or was used before.
void epoch_begin(struct epoch_watch *watch, struct clock *clock, bool alone);

// Like stepper_next().
uint64_t epoch_next(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                    const struct batch *last);

void epoch_end(struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               struct epoch_report *out);
void epoch_done(struct epoch_watch *watch);

// Returns the measured time, without warm-up.
double epoch_spent_ns(const struct epoch_report *report);

#endif
