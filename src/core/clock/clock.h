// clock: reads the time, and knows the resolution and cost of a read.
//
// The source is the kernel's monotonic clock, or the processor's time-stamp counter if it can be
// trusted: it must be invariant, and the kernel must use it too. A tick is whatever the source
// counts; only the clock can convert ticks to nanoseconds. A struct clock belongs to one process:
// reopen it after a fork.
//
//     clock_open(&clock)           the best source of this machine
//     clock_open_fake(&clock, &t)  time is what the test says: each read adds t.step_ns
//     clock_read(&clock)           now, in ticks; nothing measured moves across it
//     clock_ns(&clock, ticks)      a duration
//     clock_refine(&clock)         a better idea of a tick's length, as time has passed
//     clock_measure(&clock, &out)  resolution and cost of a read
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    const char *name;  // "tsc", "monotonic-raw", "fake"
    uint64_t (*read)(void *context);
    void *context;
    double ns_per_tick;
    bool counts_cycles;  // ticks are calibrated and can be refined
    uint64_t first_tick, first_ns;
};

struct clock_fake {
    uint64_t now_ns;
    uint64_t step_ns;  // added by each read
};

struct clock_quality {
    double resolution_ns;  // smallest difference between two distinct reads
    double cost_ns;        // of one uninterrupted read
};

void clock_open(struct clock *clock);
void clock_open_monotonic(struct clock *clock);
void clock_open_fake(struct clock *clock, struct clock_fake *fake);
void clock_refine(struct clock *clock);
void clock_measure(const struct clock *clock, struct clock_quality *out);

// Returns the reason why the time-stamp counter is not used; NULL if it is.
const char *clock_tsc_refusal(void);

static inline uint64_t clock_read(const struct clock *clock)
{
    return clock->read(clock->context);
}

static inline double clock_ns(const struct clock *clock, uint64_t ticks)
{
    return (double)ticks * clock->ns_per_tick;
}

// CPU time of the whole process, user and system.
uint64_t clock_cpu_ns(void);

#endif
