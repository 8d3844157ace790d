// check_kernel: checks kernel settings and permissions.
#include "checks.h"

#include <errno.h>
#include <string.h>

static void check_clocksource(const struct machine *machine, struct bilanx_finding *finding)
{
    static const char directory[] = "/sys/devices/system/clocksource/clocksource0";
    char current[32], available[128];
    if (!machine_line(machine, current, sizeof current, "%s/current_clocksource", directory)) {
        finding_unreadable(finding, errno);
        return;
    }
    machine_line(machine, available, sizeof available, "%s/available_clocksource", directory);
    if (strcmp(current, "tsc") == 0) {
        if (machine->tsc_refusal)
            finding_know(finding, "tsc, but bilanx has to ask the kernel for the time: %s",
                         machine->tsc_refusal);
        else
            finding_good(finding, "tsc, invariant: bilanx reads it directly");
    } else if (strstr(available, "tsc")) {
        finding_fix(finding,
                    "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/"
                    "current_clocksource",
                    "%s, but tsc is available and cheaper", current);
    } else {
        finding_know(finding, "%s: every read is a system call, since tsc is not available",
                     current);
    }
}

static void check_aslr(const struct machine *machine, struct bilanx_finding *finding)
{
    char value[16];
    if (!machine_line(machine, value, sizeof value, "/proc/sys/kernel/randomize_va_space"))
        finding_unreadable(finding, errno);
    else if (strcmp(value, "0") == 0)
        finding_fix(finding, "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space",
                    "off: results hold for one memory layout only");
    else
        finding_know(finding, "on; leave it on: bilanx averages over layouts");
}

static void check_huge_pages(const struct machine *machine, struct bilanx_finding *finding)
{
    char line[64];
    if (!machine_line(machine, line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled"))
        finding_unreadable(finding, errno);
    else if (strstr(line, "[always]"))
        finding_know(finding,
                     "always: large arrays may or may not get them, depending on free memory");
    else if (strstr(line, "[madvise]"))
        finding_good(finding, "madvise: only for programs that request them");
    else
        finding_good(finding, "never");
}

static void check_perf(const struct machine *machine, struct bilanx_finding *finding)
{
    char level[16];
    if (!machine_line(machine, level, sizeof level, "/proc/sys/kernel/perf_event_paranoid"))
        strcpy(level, "unknown");
    int error = machine->hardware_event_error;
    const char *software =
        machine->software_event_error ? "no sampling by time either" : "sampling by CPU time works";
    if (error == 0)
        finding_good(finding, "instructions can be counted (perf_event_paranoid %s)", level);
    else if (error == EACCES || error == EPERM)
        finding_fix(finding, "sudo sysctl kernel.perf_event_paranoid=1",
                    "not permitted: perf_event_paranoid is %s, or a container filters the call",
                    level);
    else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        finding_know(finding, "no hardware counters; %s", software);
    else
        finding_know(finding, "events cannot be counted: %s", strerror(error));
}

static const struct check checks[] = {
    {"clocksource", check_clocksource},
    {"aslr", check_aslr},
    {"huge-pages", check_huge_pages},
    {"perf", check_perf},
};

const struct check_group kernel_checks = {"kernel", checks, sizeof checks / sizeof *checks};
