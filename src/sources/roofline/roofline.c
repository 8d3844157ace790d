// roofline: measures the limits of this machine.
//
// The best of several short runs counts, because a roof is the possible speed, not the usual one.
#include "roofline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scope.h"
#include "core/clock/clock.h"
#include "core/timer/core_floor.h"
#include "core/timer/reference.h"
#include "fma_kernels.h"

enum { MOST_THREADS = 256, RUNS = 3, MOST_RUNS = 30 };
static const double RUN_NS = 5e5;  // less than the core stays free
static const uint64_t CACHED_COPY = (uint64_t)3 << 20, LARGEST_COPY = (uint64_t)256 << 20;

struct work {
    pthread_barrier_t *start;
    char *from, *to;  // for copies
    size_t bytes;     // of each
    uint64_t rounds;
    double ns;
    double done;  // bytes or operations in that time
};

static void *copy(void *context)
{
    struct work *work = context;
    struct clock clock;
    clock_open_monotonic(&clock);
    pthread_barrier_wait(work->start);
    uint64_t started = clock_read(&clock);
    for (uint64_t i = 0; i < work->rounds; i++) {
        memcpy(work->to, work->from, work->bytes);
        __asm__ volatile("" : : "r"(work->to), "r"(work->from) : "memory");
    }
    work->ns = clock_ns(&clock, clock_read(&clock) - started);
    work->done = 2.0 * (double)work->bytes * (double)work->rounds;
    return NULL;
}

static void *multiply(void *context)
{
    struct work *work = context;
    struct clock clock;
    clock_open_monotonic(&clock);
    pthread_barrier_wait(work->start);
    uint64_t started = clock_read(&clock);
    double done = fma_run(work->rounds);
    work->ns = clock_ns(&clock, clock_read(&clock) - started);
    work->done = done;
    return NULL;
}

// Runs the same work in every thread at once. Returns their total work per second.
static double run_once(void *(*body)(void *), struct work *works, unsigned threads)
{
    pthread_barrier_t start;
    pthread_t ids[MOST_THREADS];
    pthread_barrier_init(&start, NULL, threads);
    unsigned others = 0;
    for (unsigned i = 0; i < threads; i++)
        works[i].start = &start;
    while (others + 1 < threads &&
           pthread_create(&ids[others], NULL, body, &works[others + 1]) == 0)
        others++;
    if (others + 1 < threads)
        abort();  // the others wait at the barrier for ever
    body(&works[0]);
    double rate = works[0].done / works[0].ns;
    for (unsigned i = 0; i < others; i++) {
        pthread_join(ids[i], NULL);
        rate += works[i + 1].done / works[i + 1].ns;
    }
    pthread_barrier_destroy(&start);
    return rate * 1e9;
}

static void set_rounds(struct work *works, unsigned threads, uint64_t rounds)
{
    for (unsigned i = 0; i < threads; i++)
        works[i].rounds = rounds;
}

// Grows a run until it takes long enough, then takes the best of several.
static double best_of(void *(*body)(void *), struct work *works, unsigned threads)
{
    double best = 0;
    set_rounds(works, threads, 1);
    run_once(body, works, threads);  // touches the memory
    for (uint64_t rounds = 1;; rounds *= 2) {
        set_rounds(works, threads, rounds);
        double rate = run_once(body, works, threads);
        best = rate > best ? rate : best;
        if (works[0].ns >= RUN_NS)
            break;
    }
    // With one thread, continues until the core was free during some of them.
    struct clock clock;
    struct core_floor floor;
    clock_open_monotonic(&clock);
    core_floor_load(&floor);
    bool waits = threads == 1 && core_floor_get(&floor) > 0;
    struct pace before = reference_pace(&clock);
    for (int run = 0, free = 0; run < (waits ? MOST_RUNS : RUNS) && free < RUNS; run++) {
        double rate = run_once(body, works, threads);
        struct pace after = reference_pace(&clock);
        free += pace_state(before, after, core_floor_get(&floor)) == CORE_FREE;
        before = after;
        best = rate > best ? rate : best;
    }
    return best;
}

static double copy_rate(unsigned threads, uint64_t bytes)
{
    AUTO(memory) struct work *works = mem_array(struct work, threads);
    for (unsigned i = 0; i < threads; i++) {
        works[i].bytes = bytes;
        works[i].from = mem_array(char, bytes);
        works[i].to = mem_array(char, bytes);
        memset(works[i].from, (int)i + 1, bytes);
    }
    double rate = best_of(copy, works, threads);
    for (unsigned i = 0; i < threads; i++) {
        free(works[i].from);
        free(works[i].to);
    }
    return rate;
}

static const struct {
    const char *name;
    int question;
    bool shared;  // by all threads
} caches[] = {
    {"L1", _SC_LEVEL1_DCACHE_SIZE, false},
    {"L2", _SC_LEVEL2_CACHE_SIZE, false},
    {"L3", _SC_LEVEL3_CACHE_SIZE, true},
};

static void add_level(struct machine_roof *roof, const char *name, uint64_t bytes, uint64_t copied)
{
    roof->levels[roof->level_count++] =
        (struct roof_level){name, bytes, copy_rate(roof->threads, copied)};
}

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : LARGEST_COPY;
}

void machine_roof_measure(unsigned threads, struct machine_roof *out)
{
    threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    *out = (struct machine_roof){.threads = threads};
    AUTO(memory) struct work *works = mem_array(struct work, threads);
    out->flops = best_of(multiply, works, threads);
    uint64_t largest = (uint64_t)16 << 20;
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        long bytes = sysconf(caches[i].question);
        if (bytes <= 0)
            continue;
        uint64_t mine = (uint64_t)bytes / (caches[i].shared ? threads : 1);
        uint64_t copied = mine / 4;  // two buffers fill half of it
        copied = least(copied, CACHED_COPY);
        add_level(out, caches[i].name, (uint64_t)bytes * (caches[i].shared ? 1 : threads), copied);
        largest = (uint64_t)bytes;
    }
    uint64_t copied = least(2 * largest, least(LARGEST_COPY, memory_bytes() / 16)) / threads;
    add_level(out, "memory", UINT64_MAX, copied);
}

double machine_roof_time(const struct machine_roof *roof, double bytes, double flops)
{
    double moving = 0;
    for (size_t i = 0; i < roof->level_count; i++) {
        moving = bytes / roof->levels[i].rate;
        if (bytes <= (double)roof->levels[i].bytes)
            break;
    }
    double computing = roof->flops > 0 ? flops / roof->flops : 0;
    return moving > computing ? moving : computing;
}
