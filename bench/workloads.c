// workloads: three kinds of code, each measured under two names.
#include <bilanx/bench.h>
#include <stdlib.h>

// alu: a dependent chain; only the core's clock affects it.
static __attribute__((noinline)) uint64_t alu(uint64_t x)
{
    for (int i = 0; i < 64; i++) {
        x *= 0x9E3779B97F4A7C15u;
        BILANX_LAUNDER(x);
    }
    return x;
}

static void run_alu(struct bilanx_bench *b)
{
    uint64_t x = 3;
    BILANX_LOOP(b)
        x = alu(x);
    BILANX_KEEP(x);
}

// branchy: insertion sort of 32 numbers that differ from call to call.
enum { SORTED = 32 };

static __attribute__((noinline)) void insertion_sort(uint32_t *numbers)
{
    for (int i = 1; i < SORTED; i++) {
        uint32_t number = numbers[i];
        int j = i;
        for (; j > 0 && numbers[j - 1] > number; j--)
            numbers[j] = numbers[j - 1];
        numbers[j] = number;
    }
}

static void run_branchy(struct bilanx_bench *b)
{
    uint32_t state = 1, numbers[SORTED];
    BILANX_LOOP(b) {
        for (int i = 0; i < SORTED; i++)
            numbers[i] = state = state * 1664525u + 1013904223u;
        insertion_sort(numbers);
        BILANX_KEEP(numbers);
    }
}

// chase: one step through a random cycle over 16 MiB; every step waits for memory.
enum { CHASE_COUNT = 16 << 20 >> 6 };
struct link {
    struct link *next;
    char rest_of_the_line[56];
};

static struct link *make_cycle(void)
{
    struct link *links = aligned_alloc(64, sizeof *links * CHASE_COUNT);
    uint32_t *order = malloc(sizeof *order * CHASE_COUNT), state = 7;
    for (uint32_t i = 0; i < CHASE_COUNT; i++)
        order[i] = i;
    for (uint32_t i = CHASE_COUNT - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        uint32_t other = (uint32_t)((uint64_t)state * (i + 1) >> 32), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < CHASE_COUNT; i++)
        links[order[i]].next = &links[order[(i + 1) % CHASE_COUNT]];
    free(order);
    return links;
}

static void run_chase(struct bilanx_bench *b)
{
    struct link *links = make_cycle(), *at = links;
    BILANX_LOOP(b)
        at = at->next;
    BILANX_KEEP(at);
    free(links);
}

BILANX_BENCH(alu_a)
{
    run_alu(b);
}
BILANX_BENCH(alu_b)
{
    run_alu(b);
}
BILANX_BENCH(branchy_a)
{
    run_branchy(b);
}
BILANX_BENCH(branchy_b)
{
    run_branchy(b);
}
BILANX_BENCH(chase_a)
{
    run_chase(b);
}
BILANX_BENCH(chase_b)
{
    run_chase(b);
}

BILANX_MAIN()
