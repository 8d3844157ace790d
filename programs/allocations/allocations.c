// allocations: preloaded into a worker; counts what the loop allocates.
//
// Forwards to glibc's allocator through its internal names. Looking names up would itself allocate.
// While no loop is being counted, a call costs one extra load.
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/worker/allocations.h"

#define PUBLIC __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static struct allocation_counts counts;

__attribute__((constructor)) static void tell(void)
{
    char address[32];
    snprintf(address, sizeof address, "%p", (void *)&counts);
    setenv(ALLOCATIONS_VARIABLE, address, 1);
    unsetenv("LD_PRELOAD");  // do not affect processes started from here
}

static void hold(long long bytes)
{
    long long held = atomic_fetch_add(&counts.held, bytes) + bytes;
    long long peak = atomic_load(&counts.peak);
    while (held > peak && !atomic_compare_exchange_weak(&counts.peak, &peak, held))
        continue;
}

static void *counted(void *memory, size_t size)
{
    if (memory && atomic_load_explicit(&counts.counting, memory_order_relaxed)) {
        atomic_fetch_add(&counts.count, 1);
        atomic_fetch_add(&counts.bytes, size);
        hold((long long)malloc_usable_size(memory));
    }
    return memory;
}

static void release(void *memory)
{
    if (memory && atomic_load_explicit(&counts.counting, memory_order_relaxed))
        hold(-(long long)malloc_usable_size(memory));
}

PUBLIC void *malloc(size_t size)
{
    return counted(__libc_malloc(size), size);
}

PUBLIC void free(void *memory)
{
    release(memory);
    __libc_free(memory);
}

PUBLIC void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size), count * size);
}

PUBLIC void *realloc(void *memory, size_t size)
{
    long long before = memory ? (long long)malloc_usable_size(memory) : 0;
    void *moved = __libc_realloc(memory, size);
    if ((moved || size == 0) && atomic_load_explicit(&counts.counting, memory_order_relaxed))
        hold(-before);
    return counted(moved, size);
}

PUBLIC void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, whole);
}

PUBLIC void *memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size), size);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

PUBLIC int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}
