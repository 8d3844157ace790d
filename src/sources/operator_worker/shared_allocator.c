// shared_allocator: the memory that all backends of a process allocate their results from.
//
// The state is global, because the functions of struct bilanx_host have no context: a backend may
// hand them to a library that has none either. A backend's library may allocate in other threads,
// so a lock protects it; uncontended, it takes 20 ns.
//
// posix_memalign() and free(), as PyTorch does it, page faults included: with malloc() for the same
// sizes glibc keeps more of what was freed, and every ratio would be another one.
//
// Blocks are freed after the next one is allocated, as in `y = f(x)` in a loop. A backend may drop
// its last result before it allocates the new one, or after, and that must not make a difference:
// dropped first, the same warm memory is handed out again, and writing 2 MB takes 48 us instead of
// 186 us.
#include "shared_allocator.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct block {  // precedes the memory, in one unit of alignment
    size_t bytes;
    struct block *next;  // of the kept blocks of its size class
};
_Static_assert(sizeof(struct block) <= SHARED_ALIGNMENT, "a block's head is one unit");

enum { CLASSES = 256 };  // kept blocks are found by a hash of their size

static struct {
    pthread_mutex_t lock;
    bool keep;
    size_t in_use;
    struct block *kept[CLASSES];
    struct block *pending;  // to be freed after the next allocation
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

void shared_allocator_keep(bool keep)
{
    shared.keep = keep;
}

static struct block **class_of(size_t bytes)
{
    uint64_t mixed = (uint64_t)bytes * 0x9E3779B97F4A7C15u;
    return &shared.kept[mixed >> 56];
}

static struct block *take_kept(size_t bytes)
{
    for (struct block **at = class_of(bytes); *at; at = &(*at)->next) {
        if ((*at)->bytes != bytes)
            continue;
        struct block *found = *at;
        *at = found->next;
        return found;
    }
    return NULL;
}

static struct block *make(size_t bytes)
{
    void *memory = NULL;
    if (bytes > SIZE_MAX - SHARED_ALIGNMENT ||
        posix_memalign(&memory, SHARED_ALIGNMENT, bytes + SHARED_ALIGNMENT) != 0) {
        fprintf(stderr, "no memory for a result of %zu bytes\n", bytes);
        exit(1);
    }
    struct block *block = memory;
    block->bytes = bytes;
    return block;
}

static void free_all(struct block *block)
{
    while (block) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
}

void *shared_allocate(size_t bytes)
{
    pthread_mutex_lock(&shared.lock);
    struct block *block = shared.keep ? take_kept(bytes) : NULL, *pending = shared.pending;
    shared.pending = NULL;
    shared.in_use++;
    pthread_mutex_unlock(&shared.lock);
    if (!block)
        block = make(bytes);
    free_all(pending);
    return (char *)block + SHARED_ALIGNMENT;
}

void shared_release(void *memory)
{
    if (!memory)
        return;
    struct block *block = (struct block *)((char *)memory - SHARED_ALIGNMENT);
    pthread_mutex_lock(&shared.lock);
    shared.in_use--;
    struct block **at = shared.keep ? class_of(block->bytes) : &shared.pending;
    block->next = *at;
    *at = block;
    pthread_mutex_unlock(&shared.lock);
}

size_t shared_allocator_in_use(void)
{
    return shared.in_use;
}
