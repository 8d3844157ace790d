// reference: two things of known content, timed along with every measurement.
#include "reference.h"

#include <stdint.h>

#include "stats/stats.h"

enum { BATCHES = 9, KERNEL_CALLS = 200, EMPTY_ITERATIONS = 50000 };  // about 20 us each

__attribute__((noinline)) static void run_kernel(uint64_t calls)
{
    uint64_t chain = 3;
    for (uint64_t i = 0; i < calls; i++)
        for (int k = 0; k < 64; k++) {
            chain *= 0x9E3779B97F4A7C15u;
            __asm__ volatile("" : "+r"(chain));
        }
}

__attribute__((noinline)) static void run_empty(uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("");
}

static double time_one(const struct clock *clock, void (*body)(uint64_t), uint64_t n)
{
    double times[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        uint64_t start = clock_read(clock);
        body(n);
        times[i] = clock_ns(clock, clock_read(clock) - start) / (double)n;
    }
    stats_sort(times, BATCHES);
    return stats_midmean(times, BATCHES);
}

double reference_kernel(const struct clock *clock)
{
    return time_one(clock, run_kernel, KERNEL_CALLS);
}

struct reference reference_measure(const struct clock *clock)
{
    return (struct reference){.kernel_ns = reference_kernel(clock),
                              .empty_loop_ns = time_one(clock, run_empty, EMPTY_ITERATIONS)};
}
