// reference: known code, timed along with every measurement.
#include "reference.h"

#include <stdint.h>

#include "core/stats/stats.h"

enum { BATCHES = 9, KERNEL_CALLS = 200, EMPTY_ITERATIONS = 50000 };  // about 20 us each
enum { PACE_BATCHES = 2, PACE_CALLS = 40 };                          // about 2 us each

__attribute__((noinline)) static void run_kernel(uint64_t calls)
{
    uint64_t chain = 3;
    for (uint64_t i = 0; i < calls; i++)
        for (int k = 0; k < 64; k++) {
            chain *= 0x9E3779B97F4A7C15u;
            __asm__ volatile("" : "+r"(chain));
        }
}

// Two chains of two operations each. Alone, it waits for results, so its code alignment does not
// matter. With another thread on the same core, it waits for execution units.
__attribute__((noinline)) static void run_wide(uint64_t calls)
{
    uint64_t a = 3, b = 5, c = 7, d = 9;
    for (uint64_t i = 0; i < calls; i++)
        for (int k = 0; k < 64; k++) {
            a += b;
            b ^= a;
            c += d;
            d ^= c;
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
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

static void run_nothing(uint64_t calls)
{
    (void)calls;
}

// Returns the shortest of a few tries, because an interruption can only lengthen one.
static uint64_t shortest_ticks(const struct clock *clock, void (*body)(uint64_t))
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < PACE_BATCHES; i++) {
        uint64_t start = clock_read(clock);
        body(PACE_CALLS);
        uint64_t ticks = clock_read(clock) - start;
        shortest = ticks < shortest ? ticks : shortest;
    }
    return shortest;
}

// Subtracts the cost of the clock, which would add 1 % to such a short time.
static double time_call(const struct clock *clock, void (*body)(uint64_t), uint64_t cost)
{
    uint64_t ticks = shortest_ticks(clock, body);
    return ticks > cost ? clock_ns(clock, ticks - cost) / PACE_CALLS : 0;
}

struct pace reference_pace(const struct clock *clock)
{
    uint64_t cost = shortest_ticks(clock, run_nothing);
    return (struct pace){.chain_ns = time_call(clock, run_kernel, cost),
                         .wide_ns = time_call(clock, run_wide, cost)};
}

struct reference reference_measure(const struct clock *clock)
{
    return (struct reference){.kernel_ns = time_one(clock, run_kernel, KERNEL_CALLS),
                              .empty_loop_ns = time_one(clock, run_empty, EMPTY_ITERATIONS)};
}
