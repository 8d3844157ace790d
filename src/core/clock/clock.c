// clock: the time sources.
//
// The TSC is read as lfence; rdtsc; lfence. The first fence keeps the measured code from finishing
// after the stop; the second keeps it from starting before the start. rdtscp waits only for loads
// and needs the second fence anyway. On an EPYC guest, both take the same 20 ns.
#include "clock.h"

#include <string.h>
#include <time.h>

#include "base/file.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { CALIBRATION_NS = 200000 };  // first estimate of a tick, to 1e-4; clock_refine() improves it

static uint64_t timespec_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_cpu_ns(void)
{
    return timespec_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t read_monotonic(void *context)
{
    (void)context;
    return timespec_ns(CLOCK_MONOTONIC_RAW);
}

static uint64_t read_fake(void *context)
{
    struct clock_fake *fake = context;
    fake->now_ns += fake->step_ns;
    return fake->now_ns;
}

void clock_open_monotonic(struct clock *clock)
{
    *clock = (struct clock){.name = "monotonic-raw", .read = read_monotonic, .ns_per_tick = 1};
}

void clock_open_fake(struct clock *clock, struct clock_fake *fake)
{
    *clock = (struct clock){.name = "fake", .read = read_fake, .context = fake, .ns_per_tick = 1};
}

#if defined(__x86_64__)

static uint64_t read_tsc(void *context)
{
    (void)context;
    _mm_lfence();
    uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

const char *clock_tsc_refusal(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8))
        return "the processor does not report an invariant TSC";
    char source[32];
    if (!file_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                         sizeof source))
        return "the kernel does not report which clock it uses";
    if (strcmp(source, "tsc") != 0)
        return "the kernel does not use it as its own clock";
    return NULL;
}

// Pairs a tick with a time in nanoseconds. Uses the closest of a few tries, because an interruption
// between the two reads would look like a slower clock.
static void read_pair(uint64_t *tick, uint64_t *ns)
{
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_tsc(NULL);
        uint64_t now = timespec_ns(CLOCK_MONOTONIC_RAW);
        uint64_t after = read_tsc(NULL);
        if (after - before < tightest) {
            tightest = after - before;
            *tick = before + (after - before) / 2;
            *ns = now;
        }
    }
}

static void open_tsc(struct clock *clock)
{
    *clock = (struct clock){.name = "tsc", .read = read_tsc, .counts_cycles = true};
    read_pair(&clock->first_tick, &clock->first_ns);
    while (timespec_ns(CLOCK_MONOTONIC_RAW) - clock->first_ns < CALIBRATION_NS)
        ;
    clock_refine(clock);
}

void clock_refine(struct clock *clock)
{
    if (!clock->counts_cycles)
        return;
    uint64_t tick = 0, ns = 0;
    read_pair(&tick, &ns);
    clock->ns_per_tick = (double)(ns - clock->first_ns) / (double)(tick - clock->first_tick);
}

void clock_open(struct clock *clock)
{
    if (clock_tsc_refusal())
        clock_open_monotonic(clock);
    else
        open_tsc(clock);
}

#else

const char *clock_tsc_refusal(void)
{
    return "this processor has none";
}

void clock_refine(struct clock *clock)
{
    (void)clock;
}

void clock_open(struct clock *clock)
{
    clock_open_monotonic(clock);
}

#endif

void clock_measure(const struct clock *clock, struct clock_quality *out)
{
    enum { ROUNDS = 32, READS = 64 };
    double least_step = 1e18, least_cost = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t first = clock_read(clock), last = first;
        for (int i = 0; i < READS; i++) {
            uint64_t now = clock_read(clock);
            double step = clock_ns(clock, now - last);
            if (now != last && step < least_step)
                least_step = step;
            last = now;
        }
        // Use the best round: any extra time in the others was an interruption.
        double cost = clock_ns(clock, last - first) / READS;
        if (cost < least_cost)
            least_cost = cost;
    }
    *out = (struct clock_quality){.resolution_ns = least_step, .cost_ns = least_cost};
}
