// workloads: the functions that bench/verdict compares. Every tool calls these same functions, in
// this shared object or in a copy of it. The argument alone sets the amount of work, so 1 % more is
// exact.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHAIN_OF_3(x) MULTIPLY(x) MULTIPLY(x) MULTIPLY(x)
#define CHAIN_OF_33(x) \
    CHAIN_OF_3(x)      \
    CHAIN_OF_3(x)      \
    CHAIN_OF_3(x)      \
    CHAIN_OF_3(x)      \
    CHAIN_OF_3(x)      \
    CHAIN_OF_3(x) CHAIN_OF_3(x) CHAIN_OF_3(x) CHAIN_OF_3(x) CHAIN_OF_3(x) CHAIN_OF_3(x)
#define MULTIPLY(x) __asm__ volatile("imul %1, %0" : "+r"(x) : "r"(factor));

// A chain that only the core's clock affects: 33 dependent multiplications, 99 cycles.
void alu(unsigned long iterations)
{
    uint64_t x = 3, factor = 0x9E3779B97F4A7C15u;
    for (unsigned long i = 0; i < iterations; i++) {
        CHAIN_OF_33(x)
    }
}

// The same with one more dependent addition: 100 cycles, 1.01 % more.
void alu_longer(unsigned long iterations)
{
    uint64_t x = 3, factor = 0x9E3779B97F4A7C15u;
    for (unsigned long i = 0; i < iterations; i++) {
        CHAIN_OF_33(x)
        __asm__ volatile("add %1, %0" : "+r"(x) : "r"(factor));
    }
}

// Insertion sorts of 32 numbers that differ from call to call.
enum { SORTED = 32 };
static uint32_t state = 1;

static inline void draw(uint32_t *numbers)
{
    for (int i = 0; i < SORTED; i++)
        numbers[i] = state = state * 1664525u + 1013904223u;
}

void branchy(unsigned long iterations)
{
    uint32_t numbers[SORTED];
    for (unsigned long done = 0; done < iterations; done++) {
        draw(numbers);
        for (int i = 1; i < SORTED; i++) {
            uint32_t number = numbers[i];
            int j = i;
            for (; j > 0 && numbers[j - 1] > number; j--)
                numbers[j] = numbers[j - 1];
            numbers[j] = number;
        }
        __asm__ volatile("" : : "r"(numbers) : "memory");
    }
}

// The same sort, but the smallest number is moved to the front first, so the inner loop needs no
// bound.
void branchy_guarded(unsigned long iterations)
{
    uint32_t numbers[SORTED];
    for (unsigned long done = 0; done < iterations; done++) {
        draw(numbers);
        int least = 0;
        for (int i = 1; i < SORTED; i++)
            least = numbers[i] < numbers[least] ? i : least;
        uint32_t first = numbers[0];
        numbers[0] = numbers[least];
        numbers[least] = first;
        for (int i = 1; i < SORTED; i++) {
            uint32_t number = numbers[i];
            int j = i;
            for (; numbers[j - 1] > number; j--)
                numbers[j] = numbers[j - 1];
            numbers[j] = number;
        }
        __asm__ volatile("" : : "r"(numbers) : "memory");
    }
}

// Steps through a cycle over 16 MiB in an order no prefetcher can predict: each step waits for
// memory.
enum { LINKS = 16 << 20 >> 6 };
struct link {
    struct link *next;
    char rest_of_the_line[56];
};
static struct link *position;

// A congruential sequence of full period visits every line once. A shuffle would take 10 times as
// long, in every process.
static struct link *make_cycle(void)
{
    struct link *links = aligned_alloc(4096, sizeof *links * LINKS);
    if (!links)
        abort();
    for (uint32_t i = 0; i < LINKS; i++)
        links[i].next = &links[(i * 166325u + 101389u) % LINKS];
    return links;
}

void chase(unsigned long iterations)
{
    struct link *at = position ? position : make_cycle();
    for (unsigned long i = 0; i < iterations; i++)
        at = at->next;
    __asm__ volatile("" : : "r"(at) : "memory");
    position = at;
}

static char source[4096] __attribute__((aligned(64)));
static char target[4096] __attribute__((aligned(64)));

void copy(unsigned long iterations)
{
    size_t size = sizeof source;
    for (unsigned long i = 0; i < iterations; i++) {
        __asm__ volatile("" : "+r"(size) : : "memory");  // unknown, so libc's memcpy()
        memcpy(target, source, size);
    }
    __asm__ volatile("" : : : "memory");
}

// Frees one of 64 blocks and allocates another, in 15 sizes; a slot never gets the same size twice
// in a row. Nothing is random, because an unlucky heap would persist for a whole process.
static void *blocks[64];
static unsigned turn;

void allocate(unsigned long iterations)
{
    for (unsigned long i = 0; i < iterations; i++) {
        void **block = &blocks[turn * 29 % 64];
        free(*block);
        *block = malloc(16 + 16 * (turn++ % 15));
    }
}

void call_kernel(unsigned long iterations)
{
    for (unsigned long i = 0; i < iterations; i++)
        syscall(SYS_getppid);
}
