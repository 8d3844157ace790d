// timer_rigorous: bilanx_rigorous(), with what it knows about the core.
#ifndef TIMER_TIMER_RIGOROUS_H
#define TIMER_TIMER_RIGOROUS_H

#include "bilanx/timer.h"
#include "core/timer/collection.h"

struct timer_limits {     // zero selects the default
    double max_run_time;  // seconds to measure; default 1
    double timeout;       // seconds an epoch may take in all; default: no limit
};

// If the user interrupts it, `out` and `outcome` hold the epochs so far, if there are any.
struct bilanx_error timer_rigorous(const struct bilanx_timer *timer,
                                   const struct timer_limits *limits, struct bilanx_timing *out,
                                   struct core_outcome *outcome);

#endif
