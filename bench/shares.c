// shares: three functions that know how much CPU time they take, for bench/flame_shares.
//
// Each body is made of steps, 5, 3 and 2 parts of them. The time of a dependent multiplication is
// the same in each; that of a volatile sum depends on where its variable is, so that its parts do
// not take 50, 30 and 20 %. The clock's steps end at fixed times, a period of 499 Hz in all.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef SHIFT
#define SHIFT 0  // bytes by which the stack is moved
#endif
#ifndef STEPS
#define STEPS multiplications
#endif

static volatile uint64_t *spent_ns;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((unused)) static inline uint64_t multiplications(uint64_t parts)
{
    uint64_t x = 3;
    for (uint64_t i = 0; i < parts * 10000; i++) {
        x *= 0x9E3779B97F4A7C15u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

__attribute__((unused)) static inline uint64_t volatile_sums(uint64_t parts)
{
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < parts * 10000; i++)
        sum += i;
    return sum;
}

__attribute__((unused)) static inline uint64_t clock_steps(uint64_t parts)
{
    static uint64_t until_ns;
    until_ns = (parts == 5 ? now_ns() : until_ns) + parts * 200400;
    while (now_ns() < until_ns)
        ;
    return until_ns;
}

__attribute__((noinline)) uint64_t half(void)
{
    return STEPS(5) + 1;
}

__attribute__((noinline)) uint64_t third(void)
{
    return STEPS(3) + 2;
}

__attribute__((noinline)) uint64_t fifth(void)
{
    return STEPS(2) + 3;
}

static void open_spent(void)
{
    int fd = open(getenv("SPENT"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 4096) != 0)
        abort();
    spent_ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

__attribute__((noinline)) uint64_t three(void)
{
    volatile char shift[SHIFT + 1];
    shift[0] = 0;
    if (!spent_ns)
        open_spent();
    uint64_t before = now_ns(), sum = half() + (uint64_t)shift[0], after_half = now_ns();
    sum += third();
    uint64_t after_third = now_ns();
    sum += fifth();
    spent_ns[0] += after_half - before;
    spent_ns[1] += after_third - after_half;
    spent_ns[2] += now_ns() - after_third;
    return sum;
}

int main(void)
{
    const char *seconds = getenv("SECONDS_TO_RUN");
    uint64_t end_ns = now_ns() + (seconds ? strtoull(seconds, NULL, 10) : 1) * 1000000000u;
    uint64_t sum = 0;
    while (now_ns() < end_ns)
        sum += three();
    return sum == 0;
}
