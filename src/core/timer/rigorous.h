// rigorous: a measurement out of epochs, each a draw of its own, until its interval is narrow.
//
// Takes epochs as they come, from forks of this process or from processes elsewhere, and says when
// there are enough. The unit of inference is the epoch: see docs/method.md.
#ifndef TIMER_RIGOROUS_H
#define TIMER_RIGOROUS_H

#include "bilanx/timing.h"
#include "core/timer/epoch.h"

struct rigorous_options {  // zero means the default
    double min_run_ns;     // measure at least this long, however narrow the interval
    double max_run_ns;     // stop here, however wide; default 1 s
    double precision;      // half width of the 95 % interval that is enough; default .005
    double warmup_ns;      // per epoch; default 4 ms
    unsigned epochs;       // at most, each the longer; default: as many as it takes
};

// The plan of one epoch for a body of which one batch of `number` takes `batch_ns`.
void rigorous_plan_epoch(const struct rigorous_options *options, uint64_t number, double batch_ns,
                         struct stepper_options *out);

// How many epochs there is patience for, where the setup of one takes `setup_ns`; 0: for as many as
// it takes. A budget is about what somebody waits for.
unsigned rigorous_patience(const struct rigorous_options *options, double setup_ns);

// How long a batch is to take when its n is to be found.
enum { RIGOROUS_BATCH_NS = 50000 };

void rigorous_add(struct bilanx_timing *timing, const struct epoch_report *report);

// Takes an epoch out again.
void rigorous_drop(struct bilanx_timing *timing, size_t index);

// `spent_ns` is the time that batches took so far.
bool rigorous_enough(const struct rigorous_options *options, const struct bilanx_timing *timing,
                     double spent_ns);

// Whether there is time to draw an epoch again that took `epoch_ns`, and those still missing.
bool rigorous_has_room(const struct rigorous_options *options, const struct bilanx_timing *timing,
                       double spent_ns, double epoch_ns);

#endif
