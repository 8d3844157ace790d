// counters: what can be counted around the batches of a loop, one table of functions each.
#ifndef WORKER_COUNTERS_H
#define WORKER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "bilanx/error.h"
#include "core/timer/loop.h"

struct counter {
    const char *name;
    bool all_threads;                           // it counts in those that the loop's starts, too
    struct bilanx_error (*open)(void **state);  // before the warm-up; says why it cannot count here
    void (*start)(void *state);                 // around each batch, as the clock would be read
    void (*stop)(void *state);
    void (*discard)(void *state);  // the warm-up is complete
    void (*repeat)(void *state);   // a repeat is complete
    void (*answer)(void *state, struct text *out);
    void (*close)(void *state);
};
extern const struct counter counter_callgrind, counter_perf, counter_allocations;
const struct counter *counter_find(const char *name);  // NULL: there is none

// Before the first case of a process, counted or not, in a fork or not.
void counter_callgrind_begin(void);

// At the end of a fork: under callgrind this is the end of the process, at once.
void counter_callgrind_end(void);

// A "count" request under way.
struct counting {
    const struct counter *counter;  // NULL: none is under way
    void *state;
    struct loop_meter meter;
    uint64_t number, repeats, warmup;
    uint64_t done;  // repeats so far
    bool warm;
    uint64_t threads;    // that the statement may use
    bool single;         // this process had one thread only when counting began
    uint64_t offspring;  // page faults of its ended children at that time
};

#endif
