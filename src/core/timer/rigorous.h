// rigorous: combines independent epochs into a measurement until its interval is narrow.
//
// It accepts epochs from forks of this process or from other processes, and decides when there are
// enough. The unit of inference is the epoch: see docs/method.md.
#ifndef TIMER_RIGOROUS_H
#define TIMER_RIGOROUS_H

#include "bilanx/timing.h"
#include "core/timer/epoch.h"

struct rigorous_options {  // zero selects the default
    double min_run_ns;     // measure at least this long, even if the interval is narrow
    double max_run_ns;     // stop after this time, even if the interval is wide; default 1 s
    double precision;      // sufficient half width of the 95 % interval; default .005
    double warmup_ns;      // per epoch; default 4 ms
    double setup_ns;       // what it takes to start an epoch: if long, epochs are long and few
    unsigned epochs;       // maximum number; if set, each is longer. default: no limit
};

// Plans one epoch of a body for which a batch of `number` calls takes `batch_ns`.
void rigorous_plan_epoch(const struct rigorous_options *options, uint64_t number, double batch_ns,
                         struct stepper_options *out);

// Returns how many epochs fit the user's patience if each setup takes `setup_ns`; 0: no limit. A
// budget tells how long the user is prepared to wait.
unsigned rigorous_patience(const struct rigorous_options *options, double setup_ns);

// Target duration of a batch when searching for its size.
enum { RIGOROUS_BATCH_NS = 50000 };

// Adds a part of an epoch: the batches in one state of the core.
void rigorous_add(struct bilanx_timing *timing, const struct epoch_report *report,
                  const struct epoch_part *part);

// How much of the measuring is done: 1 if the epochs are enough, an estimate below 1 if not.
// `spent_ns` is the time spent in batches so far.
double rigorous_share(const struct rigorous_options *options, const struct bilanx_timing *timing,
                      double spent_ns);

// Returns whether the time for measuring is used up.
bool rigorous_is_spent(const struct rigorous_options *options, double spent_ns);

// Returns whether there is time to repeat an epoch that took `epoch_ns`, plus those still missing.
bool rigorous_has_room(const struct rigorous_options *options, const struct bilanx_timing *timing,
                       double spent_ns, double epoch_ns);

#endif
