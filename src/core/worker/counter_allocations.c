// counter_allocations: counts allocator calls, as seen by a preloaded library.
#include "allocations.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/worker/message.h"
#include "counters.h"

struct allocations {
    struct allocation_counts *counts;
    double *values[3];  // count, bytes, peak, for each repeat
    size_t rooms[3];
    size_t repeats;
};

static struct bilanx_error open_allocations(void **state)
{
    void *counts = NULL;
    const char *address = getenv(ALLOCATIONS_VARIABLE);
    if (!address || sscanf(address, "%p", &counts) != 1)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "its allocations cannot be counted: it is linked statically, or "
                                 "was started without bilanx-allocations.so");
    struct allocations *allocations = mem_new(struct allocations);
    allocations->counts = counts;
    *state = allocations;
    return BILANX_SUCCESS;
}

static void start(void *state)
{
    atomic_store(&((struct allocations *)state)->counts->counting, true);
}

static void stop(void *state)
{
    atomic_store(&((struct allocations *)state)->counts->counting, false);
}

static void discard(void *state)
{
    struct allocation_counts *counts = ((struct allocations *)state)->counts;
    counts->count = counts->bytes = 0;
    counts->held = counts->peak = 0;
}

static void repeat(void *state)
{
    struct allocations *allocations = state;
    const struct allocation_counts *counts = allocations->counts;
    double now[3] = {(double)counts->count, (double)counts->bytes, (double)counts->peak};
    discard(state);
    for (size_t i = 0; i < 3; i++) {
        mem_grow(allocations->values[i], allocations->repeats, &allocations->rooms[i]);
        allocations->values[i][allocations->repeats] = now[i];
    }
    allocations->repeats++;
}

static void answer(void *state, struct text *out)
{
    static const char *const keys[] = {"allocations", "bytes", "peak"};
    struct allocations *allocations = state;
    for (size_t i = 0; i < 3; i++)
        message_add_numbers(out, keys[i], allocations->values[i], allocations->repeats);
}

static void close_allocations(void *state)
{
    struct allocations *allocations = state;
    for (size_t i = 0; i < 3; i++)
        free(allocations->values[i]);
    free(allocations);
}

const struct counter counter_allocations = {
    .name = "allocations",
    .all_threads = true,
    .open = open_allocations,
    .start = start,
    .stop = stop,
    .discard = discard,
    .repeat = repeat,
    .answer = answer,
    .close = close_allocations,
};
