// sampler: ways to sample the stacks of this process while it runs its loop. Each is a table of
// functions.
#ifndef WORKER_SAMPLER_H
#define WORKER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "bilanx/error.h"
#include "core/timer/loop.h"

// How a language adds its own frames to the native stack. The last three functions are called in
// signal handlers, and may access memory that is not there: such a call does not return.
struct sampler_language {
    const char *name;
    void *context;
    // Returns why its frames cannot be found here; NULL: they can. Called once, not in a handler.
    const char *(*check)(void *context);
    // Stores up to `room` frames of the calling thread, innermost first. A frame is a number that
    // stands for its code; if bit 0 is set, the next one was called through native code. `again`:
    // the first attempt accessed memory that is not there.
    size_t (*walk)(void *context, uint64_t *frames, size_t room, bool again);
    // Writes the name and the file of a frame's code, each with a NUL. Returns their size; 0: it
    // cannot be read.
    size_t (*describe)(void *context, uint64_t frame, char *out, size_t room, uint64_t *line);
    // A number that changes if the frame's code is freed and other code takes its place.
    uint64_t (*identify)(void *context, uint64_t frame);
};

struct sampler_options {
    uint64_t rate;                            // samples per second of CPU time
    uint64_t stack_bytes;                     // how much of the stack to copy, at most
    const char *memory;                       // path of the struct sample_memory; NULL: none
    const void *stack_end;                    // the loop's thread need not be sampled beyond this
    const struct sampler_language *language;  // NULL: none
};

struct sampler {
    const char *name;
    // Adds to the answer what the controller must know.
    struct bilanx_error (*open)(const struct sampler_options *options, void **state,
                                struct text *answer);
    bool switches_slowly;  // starting and stopping takes longer than many statements
    void (*prepare)(void *state, bool sampled);  // before each batch, sampled or not; may be NULL
    // From now on samples are taken at this period, the first one when it has passed. False: the
    // period cannot be changed.
    bool (*retime)(void *state, uint64_t period_ns);
    void (*start)(void *state);  // around each batch, and around each part of it between pauses
    void (*stop)(void *state);
    void (*close)(void *state);
};
extern const struct sampler sampler_perf, sampler_signals;

// A case being sampled.
struct sampling {
    const struct sampler *sampler;  // NULL: none
    void *state;
    struct loop_meter meter;
    uint64_t number;            // calls per batch
    uint64_t rate;              // samples per second, on average
    double evens[2];            // decide the periods of batches
    double duration_ns;         // of sampled batches, wall time and CPU time
    double sampled_ns, cpu_ns;  // so far
    uint64_t calls, batches;
    uint64_t starts;      // in the current batch
    bool paused;          // the body pauses its clock, too often for this sampler
    bool on;              // the current batch is sampled
    double *times_ns[2];  // CPU times of batches, without and with samples
    size_t counts[2], rooms[2];
};

#endif
