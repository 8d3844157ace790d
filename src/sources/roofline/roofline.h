// roofline: the most that this machine can do: bytes copied per second, by where they are, and
// floating-point operations per second.
//
//     struct machine_roof roof;
//     machine_roof_measure(threads, &roof);      // half a second
//     share = machine_roof_time(&roof, bytes, flops) / measured;
//
// No code that moves so many bytes or computes so much can be faster than the roof's time, as far
// as the levels of the cache are known.
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
        uint64_t bytes;    // that fit into it; memory: UINT64_MAX
        double rate;       // bytes read and written per second by a copy
    } levels[ROOF_LEVELS];
    size_t level_count;
};

void machine_roof_measure(unsigned threads, struct machine_roof *out);

// Seconds that a call takes at least. 0 bytes and 0 flops take no time.
double machine_roof_time(const struct machine_roof *roof, double bytes, double flops);

#endif
