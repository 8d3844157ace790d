// sampling_event: perf events that sample a thread.
#ifndef WORKER_SAMPLING_EVENT_H
#define WORKER_SAMPLING_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bilanx/error.h"

enum { SAMPLING_STACK_MOST = 65528 };  // the kernel copies no more of a stack

struct sampling_event {
    uint64_t rate;
    uint64_t stack_bytes;  // 0: no stacks; only ticks
    bool inherit;          // also the threads and processes that it starts
    bool on_exec;          // starts when the process executes a program
    // Chosen by sampling_event_choose().
    bool hardware;  // cycles, not the clock
    bool kernel;    // also in the kernel
};

// Finds out what the kernel allows. On failure, the error says what to allow.
struct bilanx_error sampling_event_choose(struct sampling_event *event);

// Opens an event for a thread (0: this one) on a CPU (-1: any); -1 with errno. It is disabled.
int sampling_event_open(const struct sampling_event *event, pid_t thread, int cpu);
bool sampling_event_enable(int fd, bool enabled);

// The next sample comes when this period has passed. Not for cycles.
bool sampling_event_retime(int fd, uint64_t period_ns);

// Returns the next of a sequence of numbers in [0, 1) that fills the interval more evenly than
// random numbers do. Two sequences with these steps fill a square.
#define EVEN_STEP 0.7548776662466927
#define EVEN_STEP_2 0.5698402909980532
static inline double even_next(double *even, double step)
{
    *even += step;
    if (*even >= 1)
        *even -= 1;
    return *even;
}

// The value of such a sequence after this many numbers.
static inline double even_after(uint64_t count, double step)
{
    double sum = (double)count * step;
    return sum - (double)(uint64_t)sum;
}

// The registers of a sample are in this order, which is the kernel's.
extern const unsigned char sampling_event_registers[];

#endif
