// cold: time from the command to the result, not counting the time spent measuring.
//
//     cold BILANX [ROUNDS]
//
// Goals: with an empty cache, at most 2.5 times as long as `cc -O2 -shared`, plus the measuring
// time of the epochs. With a warm cache, at most 30 ms plus that. Controller and worker under 16 MB
// each.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "bilanx/record.h"
#include "core/stats/stats.h"

extern char **environ;
static const double COLD_FACTOR = 2.5, WARM_SECONDS = 0.030, LIMIT_MB = 16;

static double spawn_and_wait(const char *const *argv, const char *output, double *mb)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    uint64_t start = monotonic_ns();
    pid_t pid;
    int status = 1;
    struct rusage usage;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) == 0)
        wait4(pid, &status, 0, &usage);
    double seconds = (double)(monotonic_ns() - start) / 1e9;
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) {
        fprintf(stderr, "%s failed\n", argv[0]);
        exit(1);
    }
    if (mb)
        *mb = (double)usage.ru_maxrss * 1024 / 1e6;
    return seconds;
}

// The measuring time of the epochs: warm-up, batches and references; for short statements also
// those of the copies.
static double measuring_seconds(const char *output, double *worker_mb)
{
    struct bilanx_record *records;
    size_t count;
    struct bilanx_error error = bilanx_record_read_file(output, &records, &count);
    if (error.status != BILANX_OK || count != 1) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    const struct bilanx_timing *timing = &records[0].timing;
    double seconds = 0;
    for (size_t i = 0; i < timing->raw_count; i++) {
        double batches = timing->epoch_count ? (double)timing->epochs[i].batches : 1;
        seconds += timing->raw_times[i] * batches;
    }
    *worker_mb = records[0].max_rss / 1e6;
    bilanx_record_done(&records[0]);
    free(records);
    return seconds;
}

static double median_of(double *values, size_t n)
{
    stats_sort(values, n);
    return stats_quantile(values, n, 0.5);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
    char folder[] = "/tmp/bilanx-cold-XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    AUTO(memory) char *source = mem_format("%s/one.c", folder);
    AUTO(memory) char *object = mem_format("%s/one.so", folder);
    AUTO(memory) char *output = mem_format("%s/record", folder);
    FILE *file = fopen(source, "w");
    fputs("void f(unsigned long n) { volatile long x = 0; while (n--) x += 1; }\n", file);
    fclose(file);
    const char *compile[] = {"cc", "-O2", "-shared", "-fPIC", source, "-o", object, NULL};
    // A single block: among forty epochs, the time not spent measuring would be lost.
    const char *time_it[] = {argv[1],    "time",   "x += 1",   "-s",   "volatile long x = 0",
                             "--method", "timeit", "--number", "1000", "-o",
                             "-",        NULL};
    double *cc = mem_array(double, rounds), *cold = mem_array(double, rounds),
           *warm = mem_array(double, rounds);
    double controller_mb = 0, worker_mb = 0;
    for (size_t i = 0; i < rounds; i++) {
        AUTO(memory) char *cache = mem_format("%s/cache%zu", folder, i);
        setenv("XDG_CACHE_HOME", cache, 1);
        cc[i] = spawn_and_wait(compile, "/dev/null", NULL);
        cold[i] = spawn_and_wait(time_it, output, NULL) - measuring_seconds(output, &worker_mb);
        warm[i] =
            spawn_and_wait(time_it, output, &controller_mb) - measuring_seconds(output, &worker_mb);
    }
    double cc_s = median_of(cc, rounds), cold_s = median_of(cold, rounds),
           warm_s = median_of(warm, rounds);
    printf("cc -O2 -shared   %6.1f ms\n", cc_s * 1e3);
    printf("cache empty      %6.1f ms besides measuring, %.2f times the compiler\n", cold_s * 1e3,
           cold_s / cc_s);
    printf("cache warm       %6.1f ms besides measuring\n", warm_s * 1e3);
    printf("memory           controller %.1f MB, worker %.1f MB\n", controller_mb, worker_mb);
    bool met = cold_s <= COLD_FACTOR * cc_s && warm_s <= WARM_SECONDS && controller_mb < LIMIT_MB &&
               worker_mb < LIMIT_MB;
    printf("at most %.1f times, %.0f ms, %.0f MB: %s\n", COLD_FACTOR, WARM_SECONDS * 1e3, LIMIT_MB,
           met ? "yes" : "no");
    const char *remove_all[] = {"rm", "-rf", folder, NULL};
    spawn_and_wait(remove_all, "/dev/null", NULL);
    free(cc);
    free(cold);
    free(warm);
    return !met;
}
