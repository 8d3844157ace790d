// reference: known code, timed along with every measurement.
//
// The empty loop shows what one loop iteration costs here; it is reported, never subtracted. The
// kernel, 64 dependent multiplications, shows how fast the machine was at the time: a time divided
// by it stays meaningful for years, a plain time only for the hour. Between batches, a few calls of
// this kernel show the frequency of the core, and a loop that fills its front end shows whether
// another thread runs on it. All use only registers and leave the caches alone.
#ifndef TIMER_REFERENCE_H
#define TIMER_REFERENCE_H

#include "core/clock/clock.h"
#include "core/timer/pace.h"

struct reference {
    double kernel_ns;      // one call of the kernel
    double empty_loop_ns;  // one iteration of the empty loop
};

// What a reading of the pace times: 1 us, and 1 to 3 us.
enum { REFERENCE_CHAIN_CALLS = 24, REFERENCE_FRONT_ITERATIONS = 3000 };

struct reference reference_measure(const struct clock *clock);
struct pace reference_pace(const struct clock *clock);  // takes 2 to 4 us

#endif
