// pace: how well the readings before and after a batch tell whether it had the core to itself.
//
//     pace NEIGHBOUR [--quick]
//
// NEIGHBOUR is bench/verdicts' neighbour. While it is busy for 0, 10, 50 and 90 % of the time on
// another CPU, batches of code that fills the front end are timed on this one. Alone or not, such a
// batch takes one of two times; the shorter one is what most batches between free readings take. A
// batch is judged wrongly if it was called free but took over 5 % longer, or was called shared but
// did not. If the two CPUs are not on one core, the neighbour changes nothing, which shows too.
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "core/stats/stats.h"
#include "core/timer/core_floor.h"
#include "core/timer/reference.h"

static const double SLOWER = 1.05;

// Independent additions: six of them fit into a cycle, if the other thread does not need the slots.
__attribute__((noinline)) static void run_additions(unsigned rounds)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (unsigned i = 0; i < rounds; i++) {
        for (int k = 0; k < 8; k++)
            __asm__ volatile("add $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\t"
                             "add $1, %3\n\tadd $1, %4\n\tadd $1, %5"
                             : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
}

struct recording {
    struct pace_log log;
    double *ns;
    size_t count;
};

static void record(const struct clock *clock, size_t count, struct recording *out)
{
    enum { ROUNDS = 6000 };
    *out = (struct recording){.ns = mem_array(double, count), .count = count};
    pace_log_add(&out->log, reference_pace(clock), 0);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = clock_read(clock);
        run_additions(ROUNDS);
        out->ns[i] = clock_ns(clock, clock_read(clock) - start);
        pace_log_add(&out->log, reference_pace(clock), i + 1);
    }
}

static double median_of(const struct recording *recording, const bool *marked, size_t count)
{
    AUTO(memory) double *kept = mem_array(double, count + 1);
    size_t n = 0;
    for (size_t i = 0; i < recording->count; i++)
        if (marked[i])
            kept[n++] = recording->ns[i];
    stats_sort(kept, n);
    return n ? stats_quantile(kept, n, .5) : 0;
}

static void report(const char *noise, const struct recording *recording, double floor)
{
    AUTO(memory) bool *free = mem_array(bool, recording->count);
    AUTO(memory) bool *shared = mem_array(bool, recording->count);
    double chain_ns;
    size_t frees = pace_log_mark(&recording->log, floor, CORE_FREE, free, &chain_ns);
    size_t shares = pace_log_mark(&recording->log, floor, CORE_SHARED, shared, &chain_ns);
    double alone_ns = median_of(recording, free, frees),
           beside_ns = median_of(recording, shared, shares);
    size_t late = 0, early = 0;
    for (size_t i = 0; i < recording->count; i++) {
        late += free[i] && recording->ns[i] > SLOWER * alone_ns;
        early += shared[i] && recording->ns[i] <= SLOWER * alone_ns;
    }
    printf("%-9s %6zu %6.1f %% %9.2f us %9.2f us %8zu %8zu %8.2f %%\n", noise, recording->count,
           100 * (double)frees / (double)recording->count, alone_ns / 1e3, beside_ns / 1e3, late,
           early, 100 * (double)(late + early) / (double)(frees + shares ? frees + shares : 1));
    fflush(stdout);
}

static pid_t start(const char *program, const char *noise, int cpu)
{
    char where[16];
    snprintf(where, sizeof where, "%d", cpu);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, noise, where, "1", (char *)NULL);
        _exit(127);
    }
    return child;
}

int main(int argc, char **argv)
{
    static const char *const noises[] = {"none", "shared10", "shared50", "shared90"};
    if (argc < 2)
        return 2;
    size_t count = argc > 2 && strcmp(argv[2], "--quick") == 0 ? 20000 : 200000;
    struct core_floor floor;
    struct clock clock;
    int mine = cpus_measuring();
    cpus_pin(1);
    clock_open(&clock);
    core_floor_load(&floor);
    if (!(floor.front > 0))
        printf("no floor is kept yet; it is learned from these readings\n");
    printf("neighbour  batches  free      alone       beside  called free,  called shared,  wrong\n"
           "                                                      but slower     but fast\n");
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        pid_t neighbour = i ? start(argv[1], noises[i], mine > 0 ? mine - 1 : 1) : 0;
        struct recording recording;
        record(&clock, count, &recording);
        if (neighbour) {
            kill(neighbour, SIGKILL);
            waitpid(neighbour, NULL, 0);
        }
        struct pace_summary core =
            pace_summarize(recording.log.readings, recording.log.count, floor.front);
        core_floor_note(&floor, &core);
        report(noises[i], &recording, floor.front);
        pace_log_done(&recording.log);
        free(recording.ns);
    }
    printf("floor: %.4f of the chain's time, since %s\n", floor.front, floor.since);
    core_floor_save(&floor);
    return 0;
}
