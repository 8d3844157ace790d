// sample_memory: samples that a worker takes of itself, in memory that it shares with its
// controller.
//
// A ring of records. Signal handlers of several threads write, and the controller reads in the
// meantime. A writer reserves room, fills it and completes the record by storing its size. The
// reader zeroes what it has read, so the size of a new record is 0 until it is complete.
#ifndef WORKER_SAMPLE_MEMORY_H
#define WORKER_SAMPLE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"
#include "core/worker/registers.h"

enum {
    SAMPLE_MEMORY_BYTES = 8 << 20,
    SAMPLE_STACK_BYTES = 256 << 10,  // of one stack; deeper ones are cut
};

enum sample_kind {
    SAMPLE_PADDING,  // up to the end of the memory
    SAMPLE_STACK,    // struct stack_sample
    SAMPLE_CODE,     // struct code_sample
    SAMPLE_THREAD,   // struct thread_sample
};

struct sample_head {
    _Atomic uint32_t size;  // of the whole record, a multiple of 8; 0: not complete
    uint32_t kind;
};

// Followed by the frames of the language, innermost first, and by the bytes of the stack, from the
// stack pointer up.
struct stack_sample {
    struct sample_head head;
    uint32_t thread;
    uint32_t weight;  // periods that it stands for
    uint32_t frame_count;
    uint32_t stack_bytes;
    uint64_t time_ns;  // when it was taken, as the kernel's own events count it
    uint64_t whole;    // nonzero: the bytes reach up to where the harness begins, or to the end
    uint64_t registers[REGISTERS];
};

// Describes a frame of the language, before the first sample that contains it. Followed by the name
// and the file, each with a NUL.
struct code_sample {
    struct sample_head head;
    uint64_t frame;
    uint64_t line;
    uint64_t time_ns;
};

// From now on a thread samples itself.
struct thread_sample {
    struct sample_head head;
    uint64_t thread;
    uint64_t time_ns;
};

struct sample_memory {
    _Atomic uint64_t head;  // bytes reserved so far
    _Atomic uint64_t tail;  // bytes read so far
    _Atomic uint64_t lost;  // periods for which there was no room
    uint64_t unused[5];
    unsigned char data[SAMPLE_MEMORY_BYTES];
};

// For the worker: opens the memory by its path.
struct bilanx_error sample_memory_open(const char *path, struct sample_memory **out);
void sample_memory_close(struct sample_memory *memory);

// Reserves a record of `size` bytes; NULL: there is no room. Safe in a signal handler.
void *sample_memory_reserve(struct sample_memory *memory, size_t size, enum sample_kind kind);
void sample_memory_complete(void *record, size_t size);

// For the controller. The worker runs a user's code, which may write anywhere, so its data is
// checked, and the read position is kept here.
struct sample_mapping {
    struct sample_memory *memory;
    int fd;
    char path[64];
    uint64_t tail;
};
struct bilanx_error sample_mapping_init(struct sample_mapping *mapping);
void sample_mapping_done(struct sample_mapping *mapping);
SCOPE_VALUE(sample_mapping, sample_mapping_done)

// The next complete record and its size, until the next call; NULL: none yet, or it is damaged.
const struct sample_head *sample_mapping_read(struct sample_mapping *mapping, size_t *size);

// Frees the record that was read last.
void sample_mapping_free(struct sample_mapping *mapping, size_t size);

#endif
