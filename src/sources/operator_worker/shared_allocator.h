// shared_allocator: the memory that all backends of a process allocate their results from.
//
// Aligned to 64 bytes. Usually it is malloc, as a caller of an operator would see it: large results
// cost page faults. With `keep`, blocks that were freed are handed out again to the next request of
// the same size, so that after the first run only the kernels are left to measure.
#ifndef OPERATOR_WORKER_SHARED_ALLOCATOR_H
#define OPERATOR_WORKER_SHARED_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

enum { SHARED_ALIGNMENT = 64 };

void shared_allocator_keep(bool keep);

void *shared_allocate(size_t bytes);  // never NULL: without memory, the process ends
void shared_release(void *memory);    // NULL is fine

// Blocks that are in use, for tests.
size_t shared_allocator_in_use(void);

#endif
