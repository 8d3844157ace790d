// quota: reads how much CPU time the control groups allow, v1 or v2.
#include "machine.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 400 };

// Returns how many CPUs' worth of time one group allows; 0: no limit, or unreadable.
static double quota_v2(const struct machine *machine, const char *group)
{
    char line[64];
    unsigned long long quota, period;
    if (!machine_line(machine, line, sizeof line, "/sys/fs/cgroup%s/cpu.max", group))
        return 0;
    if (sscanf(line, "%llu %llu", &quota, &period) != 2 || period == 0)  // "max 100000"
        return 0;
    return (double)quota / (double)period;
}

static double quota_v1(const struct machine *machine, const char *group)
{
    char line[64];
    long long quota, period;
    if (!machine_line(machine, line, sizeof line, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group))
        return 0;
    if (sscanf(line, "%lld", &quota) != 1 || quota <= 0)  // -1: none
        return 0;
    if (!machine_line(machine, line, sizeof line, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group))
        return 0;
    if (sscanf(line, "%lld", &period) != 1 || period <= 0)
        return 0;
    return (double)quota / (double)period;
}

// A group's limit also applies to the groups below it, so takes the tightest one on the way up.
static double tightest(const struct machine *machine, char *group,
                       double (*quota_of)(const struct machine *, const char *))
{
    double least = 0;
    for (;;) {
        double quota = quota_of(machine, group);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        char *last = strrchr(group, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

// Returns whether a comma-separated list of controllers contains "cpu".
static bool has_cpu_controller(const char *list, size_t size)
{
    for (const char *at = list; at < list + size;) {
        size_t word = strcspn(at, ",:");
        if (word == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

// Returns the limit from one line ID:CONTROLLERS:PATH; v2 has no controllers.
static double quota_of_line(const struct machine *machine, const char *line, size_t size)
{
    const char *controllers = memchr(line, ':', size);
    if (!controllers)
        return 0;
    controllers++;
    const char *path = memchr(controllers, ':', size - (size_t)(controllers - line));
    if (!path)
        return 0;
    char group[PATH_SIZE];
    snprintf(group, sizeof group, "%.*s", (int)(size - (size_t)(path + 1 - line)), path + 1);
    if (strcmp(group, "/") == 0)
        group[0] = '\0';
    if (path == controllers)
        return tightest(machine, group, quota_v2);
    if (has_cpu_controller(controllers, (size_t)(path - controllers)))
        return tightest(machine, group, quota_v1);
    return 0;
}

double machine_cpu_quota(const struct machine *machine)
{
    AUTO(text) struct text groups = {0};
    if (!machine_file(machine, "/proc/self/cgroup", &groups))
        return 0;
    double least = 0;
    for (const char *line = text_get(&groups); *line;) {
        size_t size = strcspn(line, "\n");
        double quota = quota_of_line(machine, line, size);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        line += size + (line[size] == '\n');
    }
    return least;
}
