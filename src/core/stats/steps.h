// steps: times from a clock that moves in steps.
//
// Where the clock's step is not small next to the spread of the times, most batches take one of two
// readings. Their mean is right, because a batch begins anywhere within a step. Estimates that cut
// tails off, such as the midmean, favour the more frequent reading: by up to a quarter of a step.
#ifndef STATS_STEPS_H
#define STATS_STEPS_H

#include <stddef.h>

// Spreads equal values evenly over a step to either side if all values are multiples of one step
// and most are shared. Otherwise does nothing. The values are sorted, and stay so.
void steps_blur(double *sorted, size_t count);

#endif
