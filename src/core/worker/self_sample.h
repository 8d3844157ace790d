// self_sample: a thread records a sample of itself, in a signal handler.
//
// It copies its registers and its stack, and stores the frames of its language beside them. What a
// frame is, is stored once.
#ifndef WORKER_SELF_SAMPLE_H
#define WORKER_SELF_SAMPLE_H

#include <ucontext.h>

#include "core/worker/sample_memory.h"
#include "core/worker/sampler.h"

enum {
    SELF_SAMPLE_FRAMES = 256,  // of the language, in one stack
    SELF_SAMPLE_SEEN = 1 << 14,
};

struct self_sample {
    struct sample_memory *memory;
    const struct sampler_language *language;  // NULL: none
    struct {                                  // frames of the language that the reader knows
        _Atomic uint64_t code, identity;
    } seen[SELF_SAMPLE_SEEN];
};

// Stores the frames of the calling thread, and describes new ones. `out` has room for
// SELF_SAMPLE_FRAMES. Returns their number.
size_t self_sample_walk(struct self_sample *self, uint64_t *out, bool again);

struct self_sample_facts {
    uint32_t thread, weight;
    const uint64_t *frames;
    size_t frame_count;
    uint64_t stack_end;  // the stack is needed up to here; 0: unknown
    size_t stack_bytes;  // how much of it to copy if that is unknown or too far away
};

// Records the stack that a signal has interrupted. If there is no room, it counts as lost.
void self_sample_record(struct self_sample *self, const struct self_sample_facts *facts,
                        const ucontext_t *context);

// When a sample was taken, in the kernel's order of events: CLOCK_MONOTONIC.
uint64_t self_sample_now_ns(void);

#endif
