// shared_allocator: the memory that all backends of a process allocate their results from.
//
// Aligned to 64 bytes. It behaves like the C library's in a program that has run for a while:
// results of up to 32 MB reuse memory, larger ones get fresh pages and cost page faults. With
// `reuse_all`, all memory is reused, and large results are on huge pages, so that only the kernels
// are measured.
#ifndef OPERATOR_WORKER_SHARED_ALLOCATOR_H
#define OPERATOR_WORKER_SHARED_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

enum { SHARED_ALIGNMENT = 64, SHARED_REUSED_BYTES = 32 << 20 };

// Sets malloc up in the same way, for other allocations by a backend's library. Call it once per
// process, before it has threads.
void shared_allocator_start(void);

void shared_allocator_reuse_all(bool reuse_all);

// A new call of an operator begins: memory that was released during the last one is available.
void shared_allocator_next_call(void);

void *shared_allocate(size_t bytes);  // never NULL: without memory, the process ends
void shared_release(void *memory);    // NULL is fine

// Returns unused memory to the system.
void shared_allocator_trim(void);

// Blocks that are in use, for tests.
size_t shared_allocator_in_use(void);

#endif
