// check_processor: checks for everything that changes a core's speed.
#include "checks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void check_governor(const struct machine *machine, struct bilanx_finding *finding)
{
    char governor[64];
    if (!machine_line(machine, governor, sizeof governor,
                      "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", machine->cpu)) {
        if (errno == ENOENT)
            finding_know(finding, "not visible: the firmware or the host sets the frequency");
        else
            finding_unreadable(finding, errno);
    } else if (strcmp(governor, "performance") == 0) {
        finding_good(finding, "performance");
    } else {
        finding_fix(finding, "sudo cpupower frequency-set -g performance",
                    "%s: the frequency follows the load", governor);
    }
}

static void check_turbo(const struct machine *machine, struct bilanx_finding *finding)
{
    static const struct {
        const char *path, *on, *command;
    } switches[] = {
        {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0",
         "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"},
        {"/sys/devices/system/cpu/cpufreq/boost", "1",
         "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"},
    };
    char value[16];
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (!machine_line(machine, value, sizeof value, "%s", switches[i].path))
            continue;
        if (strcmp(value, switches[i].on) == 0)
            finding_fix(finding, switches[i].command,
                        "on: the frequency depends on temperature and on other cores");
        else
            finding_good(finding, "off: the frequency does not depend on temperature");
        return;
    }
    if (errno == ENOENT)
        finding_know(finding, "not visible: the frequency may vary");
    else
        finding_unreadable(finding, errno);
}

// Returns whether a list such as "0-3,8" contains the number.
static bool list_has(const char *list, int number)
{
    for (const char *at = list; *at >= '0' && *at <= '9';) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (first <= number && number <= last)
            return true;
        at = *end == ',' ? end + 1 : end;
    }
    return false;
}

static void check_smt(const struct machine *machine, struct bilanx_finding *finding)
{
    char siblings[64];
    if (!machine_line(machine, siblings, sizeof siblings,
                      "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", machine->cpu))
        finding_unreadable(finding, errno);
    else if (strpbrk(siblings, ",-"))
        finding_know(finding, "CPUs %s share one core: a busy sibling slows CPU %d", siblings,
                     machine->cpu);
    else if (machine->hypervisor[0])
        finding_know(finding,
                     "the hypervisor shows CPU %d as a core of its own, which may not be true: "
                     "see core",
                     machine->cpu);
    else
        finding_good(finding, "CPU %d has a core to itself", machine->cpu);
}

static void check_isolation(const struct machine *machine, struct bilanx_finding *finding)
{
    char isolated[64];
    if (!machine_line(machine, isolated, sizeof isolated, "/sys/devices/system/cpu/isolated")) {
        if (errno != ENODATA) {
            finding_unreadable(finding, errno);
            return;
        }
    }
    if (isolated[0] == '\0') {
        finding_know(finding, "no isolated CPUs (isolcpus=): other processes may run on CPU %d",
                     machine->cpu);
    } else if (list_has(isolated, machine->cpu)) {
        finding_good(finding, "CPU %d is isolated from the scheduler", machine->cpu);
    } else {
        char command[96];
        snprintf(command, sizeof command, "taskset -c %s bilanx ...", isolated);
        finding_fix(finding, command, "CPUs %s are isolated, but bilanx runs on CPU %d", isolated,
                    machine->cpu);
    }
}

// Returns whether any power supply is a battery, and sets `*draining` if one is discharging.
static bool look_at_batteries(const struct machine *machine, bool *draining)
{
    AUTO(memory) char *path = mem_format("%s/sys/class/power_supply", machine->root);
    AUTO(directory) DIR *supplies = opendir(path);
    bool found = false;
    *draining = false;
    for (struct dirent *entry; supplies && (entry = readdir(supplies));) {
        char line[64];
        if (entry->d_name[0] == '.' ||
            !machine_line(machine, line, sizeof line, "/sys/class/power_supply/%s/type",
                          entry->d_name) ||
            strcmp(line, "Battery") != 0)
            continue;
        // A mouse has a battery too. Those that power the machine have no scope, or scope "System".
        if (machine_line(machine, line, sizeof line, "/sys/class/power_supply/%s/scope",
                         entry->d_name) &&
            strcmp(line, "Device") == 0)
            continue;
        found = true;
        if (machine_line(machine, line, sizeof line, "/sys/class/power_supply/%s/status",
                         entry->d_name))
            *draining |= strcmp(line, "Discharging") == 0;
    }
    return found;
}

static void check_power(const struct machine *machine, struct bilanx_finding *finding)
{
    bool draining;
    if (!look_at_batteries(machine, &draining))
        finding_good(finding, "no battery");
    else if (draining)
        finding_fix(finding, "plug in the power supply", "on battery: power saving reduces speed");
    else
        finding_good(finding, "plugged in");
}

static const struct check checks[] = {
    {"governor", check_governor},   {"turbo", check_turbo}, {"smt", check_smt},
    {"isolation", check_isolation}, {"power", check_power},
};

const struct check_group processor_checks = {"processor", checks, sizeof checks / sizeof *checks};
