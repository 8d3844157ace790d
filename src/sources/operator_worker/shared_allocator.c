// shared_allocator: the memory that all backends of a process allocate their results from.
//
// The state is global, because the functions of struct bilanx_host have no context: a backend may
// pass them to a library that has none either. A backend's library may allocate in other threads,
// so a lock protects it; uncontended, it takes 20 ns.
//
// Why not malloc: whether a large block costs page faults depends on where it is. glibc returns the
// end of the heap to the kernel as soon as it is free, and keeps holes. With two backends that take
// turns, each of which holds its last result, the block of one is at the end and that of the other
// is not. With results of 2 MB one then has 488 page faults per call and the other none, and the
// same kernel takes 1.7 to 2 times as long; in the next turn it may be the other way around. A
// fixed M_MMAP_THRESHOLD only moves this to smaller blocks, and makes larger ones fault where they
// would not for a caller: in a loop of PyTorch's calls there are no faults for results below 32 MB.
//
// A block becomes available to the call after the one that released it. A backend may free its last
// result before or after it allocates the new one; either way two blocks alternate, as in a loop of
// `y = f(x)`. Memory that a call allocates and releases itself is available at once.
//
// Large blocks begin with a page, so that their offset in it is always the same: the distance
// between a result and an argument modulo 4096 alone can make a kernel slower. With `reuse_all`,
// they are on huge pages, like the arguments, because TLB misses are not caused by the kernel.
#include "shared_allocator.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct block {  // precedes the memory
    size_t bytes;
    uint64_t call;  // that allocated it; for a kept block, the call from which on it is available
    struct block *next;  // of the kept blocks of its class
    void *mapping;       // that it is in; NULL: allocated by the C library
    size_t mapped_bytes;
};
_Static_assert(sizeof(struct block) <= SHARED_ALIGNMENT, "a block's head is one unit");

enum { CLASSES = 256, PAGE_BYTES = 4096, HUGE_BYTES = 2 << 20, MAPPED_BYTES = 128 << 10 };

static struct {
    pthread_mutex_t lock;
    bool reuse_all;
    size_t in_use;
    _Atomic uint64_t call;        // changes without the lock
    struct block *kept[CLASSES];  // by a hash of their sizes
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

void shared_allocator_start(void)
{
    mallopt(M_MMAP_THRESHOLD, SHARED_REUSED_BYTES);
    mallopt(M_TRIM_THRESHOLD, -1);
}

void shared_allocator_reuse_all(bool reuse_all)
{
    shared.reuse_all = reuse_all;
}

void shared_allocator_next_call(void)
{
    uint64_t call = atomic_load_explicit(&shared.call, memory_order_relaxed);
    atomic_store_explicit(&shared.call, call + 1, memory_order_relaxed);
}

static bool is_reused(size_t bytes)
{
    return shared.reuse_all || bytes <= SHARED_REUSED_BYTES;
}

static struct block **class_of(size_t bytes)
{
    uint64_t mixed = (uint64_t)bytes * 0x9E3779B97F4A7C15u;
    return &shared.kept[mixed >> 56];
}

static struct block *take_kept(size_t bytes)
{
    for (struct block **at = class_of(bytes); *at; at = &(*at)->next) {
        if ((*at)->bytes != bytes || (*at)->call > shared.call)
            continue;
        struct block *found = *at;
        *at = found->next;
        return found;
    }
    return NULL;
}

static struct block *map(size_t bytes)
{
    bool huge = shared.reuse_all && bytes >= HUGE_BYTES;
    size_t unit = huge ? HUGE_BYTES : PAGE_BYTES, mapped = bytes + 2 * unit;
    char *pages = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    char *start = pages + unit - (uintptr_t)pages % unit;  // the head is before it
    if (huge)
        madvise(start, bytes, MADV_HUGEPAGE);  // where there are none, usual ones do
    struct block *block = (struct block *)(start - SHARED_ALIGNMENT);
    block->mapping = pages;
    block->mapped_bytes = mapped;
    return block;
}

static struct block *make(size_t bytes)
{
    struct block *block = NULL;
    if (bytes >= MAPPED_BYTES && bytes <= SIZE_MAX - 2 * HUGE_BYTES)
        block = map(bytes);
    else if (bytes < MAPPED_BYTES)
        block = aligned_alloc(SHARED_ALIGNMENT, (bytes / SHARED_ALIGNMENT + 2) * SHARED_ALIGNMENT);
    if (!block) {
        fprintf(stderr, "no memory for a result of %zu bytes\n", bytes);
        exit(1);
    }
    if (bytes < MAPPED_BYTES)
        block->mapping = NULL;
    block->bytes = bytes;
    return block;
}

static void unmake(struct block *block)
{
    if (block->mapping)
        munmap(block->mapping, block->mapped_bytes);
    else
        free(block);
}

void *shared_allocate(size_t bytes)
{
    pthread_mutex_lock(&shared.lock);
    struct block *block = is_reused(bytes) ? take_kept(bytes) : NULL;
    shared.in_use++;
    uint64_t call = shared.call;
    pthread_mutex_unlock(&shared.lock);
    if (!block)
        block = make(bytes);
    block->call = call;
    return (char *)block + SHARED_ALIGNMENT;
}

void shared_release(void *memory)
{
    if (!memory)
        return;
    struct block *block = (struct block *)((char *)memory - SHARED_ALIGNMENT);
    pthread_mutex_lock(&shared.lock);
    shared.in_use--;
    bool kept = is_reused(block->bytes);
    if (kept) {
        struct block **first = class_of(block->bytes);
        block->call = block->call == shared.call ? shared.call : shared.call + 1;
        block->next = *first;
        *first = block;
    }
    pthread_mutex_unlock(&shared.lock);
    if (!kept)
        unmake(block);
}

void shared_allocator_trim(void)
{
    pthread_mutex_lock(&shared.lock);
    for (size_t i = 0; i < CLASSES; i++)
        while (shared.kept[i]) {
            struct block *block = shared.kept[i];
            shared.kept[i] = block->next;
            unmake(block);
        }
    pthread_mutex_unlock(&shared.lock);
}

size_t shared_allocator_in_use(void)
{
    return shared.in_use;
}
