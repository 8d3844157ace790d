// loop: one body, timed batch by batch.
//
//     while ((n = loop_next(&loop)))
//         for (uint64_t i = 0; i < n; i++) { statement }
//
// Reads the clock as the last thing before a batch and the first thing after it. What decides the
// next size is the owner's: a stepper, a conversation with a controller, a group of threads.
#ifndef TIMER_LOOP_H
#define TIMER_LOOP_H

#include "core/clock/clock.h"
#include "core/timer/stepper.h"

// What is asked in place of the clock, as the last thing before a batch and the first thing after.
struct loop_meter {
    void (*start)(void *context);
    void (*stop)(void *context);
    void *context;
};

struct loop {
    const struct clock *clock;
    const struct loop_meter *meter;                               // NULL: the clock
    uint64_t (*decide)(void *context, const struct batch *last);  // 0 ends the loop
    void *context;
    const struct method *method;  // what is worth reading around a batch; NULL: time alone

    uint64_t n;        // the batch under way; 0: none
    bool timing;       // the clock runs
    uint64_t begun;    // tick: when the clock first ran for this batch
    uint64_t started;  // tick: when it last began to run
    uint64_t ticks;    // of the batch, up to the last pause or its end
    uint64_t cpu_started_ns;
    long switches;
    int cpu;
    double manual_ns;  // what the body says it took
    bool manual;
};

uint64_t loop_next(struct loop *loop);

// The same in parts, for bodies with untimed work in a batch: loop_stage() ends the last batch and
// returns the next size with the clock at rest; the clock runs from loop_resume() to loop_pause().
uint64_t loop_stage(struct loop *loop);
void loop_resume(struct loop *loop);
void loop_pause(struct loop *loop);

#endif
