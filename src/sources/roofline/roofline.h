// roofline: measures the limits of this machine: bytes copied per second, by cache level, and
// floating-point operations per second.
//
//     struct machine_roof roof;
//     machine_roof_measure(threads, &roof);      // half a second
//     share = machine_roof_time(&roof, bytes, flops) / measured;
//
// No code that moves this many bytes or computes this much can be faster than the roof's time, as
// far as the levels of the cache are known.
#ifndef ROOFLINE_ROOFLINE_H
#define ROOFLINE_ROOFLINE_H

#include <stddef.h>
#include <stdint.h>

enum { ROOF_LEVELS = 4 };

struct machine_roof {
    unsigned threads;
    double flops;  // per second: fused multiply-adds of float, two each
    struct roof_level {
        const char *name;  // "L1", "L2", "L3", "memory"
        uint64_t bytes;    // its size in bytes; memory: UINT64_MAX
        double rate;       // bytes read and written per second by a copy
    } levels[ROOF_LEVELS];
    size_t level_count;
};

void machine_roof_measure(unsigned threads, struct machine_roof *out);

// The minimum time of a call, in seconds. 0 bytes and 0 flops take no time.
double machine_roof_time(const struct machine_roof *roof, double bytes, double flops);

#endif
