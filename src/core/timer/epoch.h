// epoch: summarises the batches of one process.
//
//     epoch_begin(&watch, &clock, alone);
//     while ((n = epoch_next(&watch, &clock, &stepper, last))) ...
//     epoch_end(&watch, &clock, &stepper, &report);
//
// It reads the pace of the core between batches. The report has the batches that had the core to
// themselves, and separately those beside a busy neighbour: a time belongs to one of the two
// states.
#ifndef TIMER_EPOCH_H
#define TIMER_EPOCH_H

#include "bilanx/timing.h"
#include "core/clock/clock.h"
#include "core/timer/pace.h"
#include "core/timer/stepper.h"

struct epoch_watch {
    uint64_t tick;  // before the first batch
    bool alone;     // do not measure the reference
    struct pace_log log;
    uint64_t read_tick;  // tick of the last pace reading
    double read_ns;      // time spent in batches up to then
    struct pace (*read_pace)(const struct clock *clock);
};

// The batches in one state of the core. `epoch.batches` is 0 if there are too few.
struct epoch_part {
    struct bilanx_epoch epoch;
    double cpu_ns;  // CPU time of one of these batches
};

struct epoch_report {
    uint64_t number;          // calls per batch
    struct epoch_part free;   // the core to itself
    struct epoch_part other;  // beside a neighbour; all batches if states cannot be told apart
    uint64_t has_states;      // batches are short enough to tell in which state they ran
    struct pace_summary core;
    double spent_ns;       // in measured batches, all of them
    double empty_loop_ns;  // of the reference, measured right afterwards
};

// `watch` is zeroed, or was used before.
void epoch_begin(struct epoch_watch *watch, struct clock *clock, bool alone);

// Times that the body reports may not be about this core at all.
bool epoch_reads_pace(const struct epoch_watch *watch, const struct stepper *stepper);

// Like stepper_next().
uint64_t epoch_next(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                    const struct batch *last);

void epoch_end(struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               struct epoch_report *out);
void epoch_done(struct epoch_watch *watch);

// For methods that keep single times instead of epochs: moves the times of calls with the core to
// themselves to the front if every call is timed and there are enough. Otherwise only tells.
void epoch_settle(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                  struct pace_summary *core);

#endif
