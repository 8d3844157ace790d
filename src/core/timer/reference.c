// reference: known code, timed along with every measurement.
#include "reference.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/stats/stats.h"

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

// Instructions that do nothing: they need no execution unit, only a slot in every stage that the
// two threads of a core share from cycle to cycle. Nothing that waits for results can be slowed
// down so reliably: with two chains of two operations each, a core of six slots has room for both
// threads. But the loop must fill the slots, and how many instructions do depends on the core: on
// Zen 5, twelve take three cycles, which leaves room for a neighbour, and ten take 1.38, eight per
// cycle. The alignment is part of what is measured.
#if defined(__x86_64__)
#define FRONT_LOOP(nops)                                   \
    __asm__ volatile(".p2align 6\n"                        \
                     "1:\n\t"                              \
                     ".rept " #nops "\n\tnop\n\t.endr\n\t" \
                     "sub $1, %0\n\t"                      \
                     "jnz 1b"                              \
                     : "+r"(iterations)                    \
                     :                                     \
                     : "cc")
#elif defined(__aarch64__)
#define FRONT_LOOP(nops)                                   \
    __asm__ volatile(".p2align 6\n"                        \
                     "1:\n\t"                              \
                     ".rept " #nops "\n\tnop\n\t.endr\n\t" \
                     "subs %0, %0, #1\n\t"                 \
                     "b.ne 1b"                             \
                     : "+r"(iterations)                    \
                     :                                     \
                     : "cc")
#else
#define FRONT_LOOP(nops)             \
    for (; iterations; iterations--) \
    __asm__ volatile(".rept " #nops "\n\tnop\n\t.endr")
#endif

__attribute__((noinline)) static void run_front_of_12(uint64_t iterations)
{
    FRONT_LOOP(12);
}

__attribute__((noinline)) static void run_front_of_10(uint64_t iterations)
{
    FRONT_LOOP(10);
}

static bool is_zen_5(void)
{
#if defined(__x86_64__)
    enum { FAMILY = 0x1a };
    unsigned a, b, c, d;
    char vendor[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return false;
    memcpy(vendor, (unsigned[]){b, d, c}, 12);
    __get_cpuid(1, &a, &b, &c, &d);
    return strcmp(vendor, "AuthenticAMD") == 0 && (a >> 8 & 15) + (a >> 20 & 255) == FAMILY;
#else
    return false;
#endif
}

// The same for every reading in a process, and on every run on this processor.
static void (*front_loop(void))(uint64_t)
{
    static void (*chosen)(uint64_t);  // in a guest, the question takes microseconds
    if (!chosen)
        chosen = is_zen_5() ? run_front_of_10 : run_front_of_12;
    return chosen;
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

// Subtracts the cost of a clock read, which would add 1 % to such a short time.
static double ns_of(const struct clock *clock, uint64_t ticks, uint64_t cost, double calls)
{
    return ticks > cost ? clock_ns(clock, ticks - cost) / calls : 0;
}

struct pace reference_pace(const struct clock *clock)
{
    void (*run_front)(uint64_t) = front_loop();
    uint64_t start = clock_read(clock);
    run_front(REFERENCE_FRONT_ITERATIONS);
    uint64_t middle = clock_read(clock);
    run_kernel(REFERENCE_CHAIN_CALLS);
    uint64_t end = clock_read(clock);
    uint64_t cost = clock_read(clock) - end;
    return (struct pace){.chain_ns = ns_of(clock, end - middle, cost, REFERENCE_CHAIN_CALLS),
                         .front_ns =
                             ns_of(clock, middle - start, cost, REFERENCE_FRONT_ITERATIONS)};
}

struct reference reference_measure(const struct clock *clock)
{
    return (struct reference){.kernel_ns = time_one(clock, run_kernel, KERNEL_CALLS),
                              .empty_loop_ns = time_one(clock, run_empty, EMPTY_ITERATIONS)};
}
