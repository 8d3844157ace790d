// shared_allocator: the memory that all backends of a process allocate their results from.
//
// Aligned to 64 bytes. It behaves as the C library's does in a program that has run for a while:
// results of up to 32 MB get memory that was used before, larger ones get fresh pages and cost page
// faults. With `reuse_all`, these are used again, too, and large ones are on huge pages, so that
// only the kernels are left to measure.
#ifndef OPERATOR_WORKER_SHARED_ALLOCATOR_H
#define OPERATOR_WORKER_SHARED_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

enum { SHARED_ALIGNMENT = 64, SHARED_REUSED_BYTES = 32 << 20 };

// Sets malloc up in the same way, for what a backend's library allocates elsewhere. Once per
// process, before it has threads.
void shared_allocator_start(void);

void shared_allocator_reuse_all(bool reuse_all);

// A new call of an operator begins: memory that was released during the last one is available.
void shared_allocator_next_call(void);

void *shared_allocate(size_t bytes);  // never NULL: without memory, the process ends
void shared_release(void *memory);    // NULL is fine

// Returns what is not in use to the system.
void shared_allocator_trim(void);

// Blocks that are in use, for tests.
size_t shared_allocator_in_use(void);

#endif
