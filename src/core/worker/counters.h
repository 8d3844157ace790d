// counters: what can be counted around the batches of a loop. Each counter is a table of functions.
#ifndef WORKER_COUNTERS_H
#define WORKER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "bilanx/error.h"
#include "core/timer/loop.h"

struct counter {
    const char *name;
    bool all_threads;  // also counts in threads that the loop's thread starts
    struct bilanx_error (*open)(void **state);  // before warm-up; fails if it cannot count here
    void (*start)(void *state);  // called around each batch, where the clock would be read
    void (*stop)(void *state);
    void (*discard)(void *state);  // after the warm-up
    void (*repeat)(void *state);   // after each repeat
    void (*answer)(void *state, struct text *out);
    void (*close)(void *state);
};
extern const struct counter counter_callgrind, counter_perf, counter_allocations;
const struct counter *counter_find(const char *name);  // NULL: unknown

// Call this before the first case of a process, counted or not, forked or not.
void counter_callgrind_begin(void);

// Call this at the end of a fork. Under callgrind, it ends the process at once.
void counter_callgrind_end(void);

// A "count" request in progress.
struct counting {
    const struct counter *counter;  // NULL: not counting
    void *state;
    struct loop_meter meter;
    uint64_t number, repeats, warmup;
    uint64_t done;  // repeats so far
    bool warm;
    uint64_t threads;    // threads the statement may use
    bool single;         // this process had only one thread when counting began
    uint64_t offspring;  // page faults of its ended children at that time
};

#endif
