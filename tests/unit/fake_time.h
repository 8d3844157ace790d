// fake_time: time that passes only when a test says so. It takes the place of the functions of base
// and libc in a program that includes this, so that nothing in it waits or depends on the machine.
#ifndef UNIT_FAKE_TIME_H
#define UNIT_FAKE_TIME_H

#include <time.h>

#include "base/monotonic.h"

static uint64_t fake_now_ns = 1000000000;

static inline void fake_time_pass(double seconds)
{
    fake_now_ns += (uint64_t)(seconds * 1e9);
}

uint64_t monotonic_ns(void)
{
    return fake_now_ns;
}

int nanosleep(const struct timespec *duration, struct timespec *left)
{
    (void)left;
    fake_now_ns += (uint64_t)duration->tv_sec * 1000000000u + (uint64_t)duration->tv_nsec;
    return 0;
}

#endif
