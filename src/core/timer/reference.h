// reference: things of known content, timed along with every measurement.
//
// The empty loop says what a loop's own iteration costs here: it is shown, never subtracted. The
// kernel, 64 dependent multiplications, says how fast this machine was at that moment: a time
// divided by it can be kept for years, the time alone only for the hour. Between batches a few
// calls of it and of a second kernel, whose operations are not one chain, say at which pace the
// core runs. Both live in registers: they leave caches as they are.
#ifndef TIMER_REFERENCE_H
#define TIMER_REFERENCE_H

#include "core/clock/clock.h"
#include "core/timer/pace.h"

struct reference {
    double kernel_ns;      // one call of the kernel
    double empty_loop_ns;  // one iteration of the empty loop
};

struct reference reference_measure(const struct clock *clock);
struct pace reference_pace(const struct clock *clock);  // takes about 9 us

#endif
