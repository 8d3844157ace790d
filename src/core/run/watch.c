// watch: measures how much CPU time other processes used during a measurement.
#include "watch.h"

#include <sys/resource.h>

static uint64_t own_cpu_ns(void)
{
    uint64_t total = 0;
    int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        total += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    }
    return total;
}

struct watch watch_start(void)
{
    return (struct watch){.load = machine_load(), .own_ns = own_cpu_ns()};
}

double watch_busy_share(const struct watch *since)
{
    struct machine_load now = machine_load();
    double total = (double)(now.total_ns - since->load.total_ns);
    double busy = (double)(now.busy_ns - since->load.busy_ns);
    double own = (double)(own_cpu_ns() - since->own_ns);
    return total < 4e8 || busy < own ? 0 : (busy - own) / total;
}
