// watch: measures how much CPU time other processes used during a measurement.
#include "watch.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/children.h"
#include "base/file.h"

// Adds the time of a process that is still running, and of its own children that have ended.
static void add_running(pid_t pid, void *context)
{
    char path[40], line[512];
    unsigned long long ticks[4];
    uint64_t *total_ns = context;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *after = file_first_line(path, line, sizeof line) ? strrchr(line, ')') : NULL;
    if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
                         &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 4)
        return;
    for (int i = 0; i < 4; i++)
        *total_ns += ticks[i] * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

// RUSAGE_CHILDREN contains only those that have ended. Standby workers that have imported torch
// would count as other work.
uint64_t watch_own_ns(void)
{
    uint64_t total = 0;
    int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        total += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    }
    children_each_below(getpid(), add_running, &total);
    return total;
}

struct watch watch_start(void)
{
    return (struct watch){.load = machine_load(), .own_ns = watch_own_ns()};
}

double watch_busy_share(const struct watch *since)
{
    struct machine_load now = machine_load();
    double total = (double)(now.total_ns - since->load.total_ns);
    double busy = (double)(now.busy_ns - since->load.busy_ns);
    double own = (double)(watch_own_ns() - since->own_ns);
    return total < 4e8 || busy < own ? 0 : (busy - own) / total;
}
