// cpus: selects the CPUs that measured code runs on.
#include "cpus.h"

#include <sched.h>

int cpus_measuring(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET(cpu, &allowed))
            return cpu;
    return -1;
}

unsigned cpus_allowed(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&allowed);
}

void cpus_pin(uint64_t count)
{
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_ZERO(&chosen);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && count; cpu--)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &chosen);
            count--;
        }
    sched_setaffinity(0, sizeof chosen, &chosen);
}
