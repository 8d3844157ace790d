// reference: known code, timed along with every measurement.
//
// The empty loop shows what one loop iteration costs here; it is reported, never subtracted. The
// kernel, 64 dependent multiplications, shows how fast the machine was at the time: a time divided
// by it stays meaningful for years, a plain time only for the hour. Between batches, a few calls of
// this kernel and of a second one, whose operations are not a single chain, show the pace of the
// core. Both use only registers and leave the caches alone.
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
