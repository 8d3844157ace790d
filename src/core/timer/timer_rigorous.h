// timer_rigorous: bilanx_rigorous(), with what it knows about the core.
#ifndef TIMER_TIMER_RIGOROUS_H
#define TIMER_TIMER_RIGOROUS_H

#include "bilanx/timer.h"
#include "core/timer/collection.h"

struct bilanx_error timer_rigorous(const struct bilanx_timer *timer, double max_run_time,
                                   struct bilanx_timing *out, struct core_outcome *outcome);

#endif
