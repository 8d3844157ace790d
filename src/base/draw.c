// draw: random choices that two processes under comparison share, so that they cancel out.
#include "draw.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/resource.h>

static const unsigned long ASK = 0xffffffff;  // for personality()
// The kernel reserves at least this much for the stack. A lower limit moves nothing.
static const uint64_t LEAST_GAP = 128 << 20;
static const uint64_t PAGE = 4096, PLACES = 1 << 16;

// Returns a stack limit that moves the mappings; 0: there is none, so leave it to the kernel.
static uint64_t drawn_limit(const struct draw *draw, const struct rlimit *now)
{
    if (!draw->seed || !draw->addresses || now->rlim_cur == RLIM_INFINITY)
        return 0;
    uint64_t least = now->rlim_cur > LEAST_GAP ? now->rlim_cur / PAGE * PAGE : LEAST_GAP;
    uint64_t limit = least + PAGE * ((draw->seed >> 20) % PLACES);
    return least + PAGE * PLACES <= now->rlim_max ? limit : 0;
}

uint64_t draw_limit(const struct draw *draw, const struct rlimit *stack)
{
    return drawn_limit(draw, stack) ? stack->rlim_cur : 0;
}

void draw_addresses(const struct draw *draw)
{
    struct rlimit limit;
    int now = personality(ASK);
    if (now == -1 || (now & ADDR_NO_RANDOMIZE) || getrlimit(RLIMIT_STACK, &limit) != 0)
        return;
    uint64_t drawn = drawn_limit(draw, &limit);
    if (!drawn || personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1)
        return;
    limit.rlim_cur = drawn;
    setrlimit(RLIMIT_STACK, &limit);
}

// Older C libraries do not have it in libc itself.
__attribute__((weak)) int pthread_setattr_default_np(const pthread_attr_t *attributes);

// The C library used the limit it found at startup as the stack size of every thread.
static void set_stacks_of_threads(uint64_t size)
{
    pthread_attr_t attributes;
    if (!pthread_setattr_default_np || pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, size) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void draw_undo(uint64_t limit)
{
    struct rlimit now;
    if (!limit || getrlimit(RLIMIT_STACK, &now) != 0 || now.rlim_cur == limit)
        return;
    now.rlim_cur = limit;
    setrlimit(RLIMIT_STACK, &now);
    set_stacks_of_threads(limit);
    int persona = personality(ASK);
    if (persona != -1)
        personality((unsigned long)persona & ~(unsigned long)ADDR_NO_RANDOMIZE);
}
