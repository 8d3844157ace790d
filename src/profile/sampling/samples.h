// samples: the data that every sampler delivers.
#ifndef SAMPLING_SAMPLES_H
#define SAMPLING_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/worker/registers.h"

struct sample {  // valid only during the call that delivers it
    uint32_t process, thread;
    double weight;
    bool user;  // has the registers and the stack of the program
    uint64_t registers[REGISTERS];
    const unsigned char *stack;
    size_t stack_bytes;
    bool own;                // the thread has taken it itself
    bool whole;              // the stack reaches up to where the harness begins
    const uint64_t *kernel;  // addresses in the kernel, innermost first
    size_t kernel_count;
    const uint64_t *frames;  // of the language: see struct sampler_language
    size_t frame_count;
};

struct sample_mapped {
    uint64_t start, end, offset;
    const char *path;
};

struct sample_named {  // a thread has a name
    uint32_t process, thread;
    const char *name;
    bool executed;  // because its process has executed a program
};

struct sample_forked {  // a thread begins, and perhaps a process
    uint32_t process, parent, thread;
};

struct sample_code {   // what a frame of the language is
    uint32_t process;  // 0: it does not say
    uint64_t frame;
    const char *name, *file;
};

// Receives samples and what else happened, in order of time.
struct sample_events {
    void *context;
    void (*sample)(void *context, const struct sample *sample);
    void (*mapped)(void *context, uint32_t process, const struct sample_mapped *mapped);
    void (*named)(void *context, const struct sample_named *named);
    void (*forked)(void *context, const struct sample_forked *forked);
    void (*described)(void *context, const struct sample_code *code);
    // A thread samples itself from now on. May be NULL.
    void (*joined)(void *context, uint32_t process, uint32_t thread);
};

#endif
