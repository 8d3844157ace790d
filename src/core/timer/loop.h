// loop: times a body batch by batch.
//
//     while ((n = loop_next(&loop)))
//         for (uint64_t i = 0; i < n; i++) { statement }
//
// Reading the clock is the last thing it does before a batch and the first thing after it. The
// owner decides the size of the next batch: a stepper, a conversation with a controller, or a group
// of threads.
#ifndef TIMER_LOOP_H
#define TIMER_LOOP_H

#include "core/clock/clock.h"
#include "core/timer/stepper.h"

// Called right before and right after a batch, instead of the clock or around it.
struct loop_meter {
    void (*start)(void *context);
    void (*stop)(void *context);
    void *context;
};

struct loop {
    const struct clock *clock;
    const struct loop_meter *meter;                               // NULL: use the clock
    const struct loop_meter *around;                              // around the clock; NULL: nothing
    uint64_t (*decide)(void *context, const struct batch *last);  // 0 ends the loop
    void *context;
    const struct method *method;  // decides what to read around a batch; NULL: only the time
    bool sparing;                 // reads it around few batches, and after those that took long

    uint64_t n;        // size of the current batch; 0: none
    bool timing;       // the clock is running
    uint64_t begun;    // tick when the clock first ran in this batch
    uint64_t started;  // tick when it last started
    uint64_t ticks;    // of the batch, up to the last pause or its end
    uint64_t cpu_started_ns;
    long switches;
    int cpu;
    bool watched;        // what the method needs was read when this batch began
    unsigned unwatched;  // batches since the last one that was
    double last_ns;      // time of the last batch
    double shortest_ns;  // per call, of all batches
    double manual_ns;    // time reported by the body
    bool manual;
};

uint64_t loop_next(struct loop *loop);

// The same in steps, for bodies with untimed work in a batch. loop_stage() ends the last batch and
// returns the size of the next one, with the clock stopped. The clock runs from loop_resume() to
// loop_pause().
uint64_t loop_stage(struct loop *loop);
void loop_resume(struct loop *loop);
void loop_pause(struct loop *loop);

#endif
