// neighbour: keeps a CPU busy during a measurement. Exits with the process that started it.
//
//     neighbour bursty|drifting|shared10|shared50|shared90 CPU SEED
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static uint64_t coin;

static double random_unit(void)
{
    coin = coin * 6364136223846793005u + 1442695040888963407u;
    return ((double)(coin >> 11) + 1) / 9007199254740993.0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void rest(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

// Copies through 32 MiB, more than its share of any cache; checks the clock every 64 KiB.
static void burn(double seconds)
{
    enum { HALF = 16 << 20, PIECE = 64 << 10 };
    static char memory[2][HALF];
    static size_t at;
    for (double end = now() + seconds; now() < end; at = (at + PIECE) % HALF)
        memcpy(memory[0] + at, memory[1] + at, PIECE);
}

// Bursts of 20 ms on average, with pauses of 40 ms.
static void bursty(void)
{
    for (;;) {
        burn(-0.020 * log(random_unit()));
        rest(-0.040 * log(random_unit()));
    }
}

// Uses a share of its CPU that goes from 0 to 30 % and back in 40 s, in slices of 5 ms.
static void drifting(void)
{
    const double turn = 0.005, begin = now() - 40 * random_unit();
    for (;;) {
        double share = 0.15 * (1 - cos((now() - begin) / 40 * 2 * M_PI));
        burn(share * turn);
        rest((1 - share) * turn);
    }
}

// Needs every slot of the front end, so that a thread on the same core gets only half of them.
static void saturate(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 200; i++)
            __asm__ volatile(".rept 64\n\tnop\n\t.endr");
}

// Stretches of .5 to 20 ms, of which this share is busy.
static void shared(double share)
{
    for (;;) {
        double seconds = 0.0005 + 0.0195 * random_unit();
        (random_unit() < share ? saturate : rest)(seconds);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)atoi(argv[2]), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        perror("sched_setaffinity");
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    coin = strtoull(argv[3], NULL, 10) * 2 + 1;
    random_unit();
    if (strcmp(argv[1], "bursty") == 0)
        bursty();
    else if (strcmp(argv[1], "drifting") == 0)
        drifting();
    else if (strncmp(argv[1], "shared", 6) == 0)
        shared(atof(argv[1] + 6) / 100);
    return 2;
}
