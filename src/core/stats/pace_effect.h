// pace_effect: states times for one frequency of the core.
//
// Times do not depend on the frequency at all if they wait for memory, and are in proportion to it
// if they wait for results. How much a case's own times do is estimated from its epochs.
#ifndef STATS_PACE_EFFECT_H
#define STATS_PACE_EFFECT_H

#include "bilanx/timing.h"

// Changes the logarithms of the times of epochs to what they would be at the pace of the timing's
// reference. Returns the standard error that this adds to their mean. Does nothing and returns 0 if
// paces are unknown.
double pace_effect_remove(const struct bilanx_timing *timing, double *logs, size_t n);

// The same for the raw times, for those who drop the epochs.
void pace_effect_remove_from_times(struct bilanx_timing *timing);

#endif
