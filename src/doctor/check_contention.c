// check_contention: checks for other users of the machine: processes, a host, a container.
#include "checks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

// Returns how many CPUs /proc/stat lists; 1 if it lists none.
static int count_cpus(const struct machine *machine)
{
    AUTO(text) struct text stat = {0};
    if (!machine_file(machine, "/proc/stat", &stat))
        return 1;
    int count = 0;
    for (const char *at = text_get(&stat); (at = strstr(at, "\ncpu")); at++)
        count++;
    return count ? count : 1;
}

static void check_load(const struct machine *machine, struct bilanx_finding *finding)
{
    char line[64];
    if (!machine_line(machine, line, sizeof line, "/proc/loadavg")) {
        finding_unreadable(finding, errno);
        return;
    }
    char average[32];
    double load;
    int running;
    if (sscanf(line, "%31s %*s %*s %d/", average, &running) != 2 || !number_read(average, &load)) {
        finding_unreadable(finding, EINVAL);
        return;
    }
    int cpus = count_cpus(machine);
    int others = running > 1 ? running - 1 : 0;  // one of them is this process
    const char *cpu_word = cpus == 1 ? "CPU" : "CPUs";
    if (others >= cpus || load >= cpus)
        finding_fix(finding, "ps -eo pcpu,pid,user,comm --sort=-pcpu | head",
                    "other processes running: %d, load %.2f on %d %s: they share the cores", others,
                    load, cpus, cpu_word);
    else if (others > 0 || load >= 0.3)
        finding_know(finding, "other processes running: %d, load %.2f on %d %s", others, load, cpus,
                     cpu_word);
    else
        finding_good(finding, "nothing else is running, load %.2f on %d %s", load, cpus, cpu_word);
}

static void check_quota(const struct machine *machine, struct bilanx_finding *finding)
{
    double cpus = machine_cpu_quota(machine);
    if (cpus > 0)
        finding_know(finding, "%.2f CPUs' worth of time, then everything is paused for a while",
                     cpus);
    else
        finding_good(finding, "no limit on CPU time");
}

static void check_virtual(const struct machine *machine, struct bilanx_finding *finding)
{
    static const struct {
        const char *said, *name;
    } names[] = {
        {"KVMKVMKVM", "KVM"},      {"Microsoft Hv", "Hyper-V"},   {"VMwareVMware", "VMware"},
        {"XenVMMXenVMM", "Xen"},   {"TCGTCGTCGTCG", "QEMU"},      {"VBoxVBoxVBox", "VirtualBox"},
        {"bhyve bhyve ", "bhyve"}, {" lrpepyh  vr", "Parallels"},
    };
    if (machine->hypervisor[0] == '\0') {
        finding_good(finding, "no hypervisor detected");
        return;
    }
    const char *name = machine->hypervisor;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(machine->hypervisor, names[i].said) == 0)
            name = names[i].name;
    char product[64];
    bool known = machine_line(machine, product, sizeof product, "/sys/class/dmi/id/product_name");
    finding_know(finding, "guest of %s%s%s%s: the host can take time that is not visible here",
                 name, known ? " (" : "", product, known ? ")" : "");
}

static void check_container(const struct machine *machine, struct bilanx_finding *finding)
{
    char name[32];
    if (machine_line(machine, name, sizeof name, "/run/systemd/container"))
        ;
    else if (machine_has(machine, "/run/.containerenv"))
        strcpy(name, "podman");
    else if (machine_has(machine, "/.dockerenv"))
        strcpy(name, "docker");
    if (name[0])
        finding_know(finding, "%s: kernel settings are those of the host", name);
    else
        finding_good(finding, "none detected");
}

// Returns a field of /proc/meminfo in bytes; 0 if it is missing.
static double memory_field(const char *meminfo, const char *name)
{
    for (const char *at = meminfo; (at = strstr(at, name)); at++) {
        unsigned long long kilobytes;
        bool starts_line = at == meminfo || at[-1] == '\n';
        if (starts_line && sscanf(at + strlen(name), ": %llu", &kilobytes) == 1)
            return (double)kilobytes * 1024;
    }
    return 0;
}

static const double gib = 1024.0 * 1024 * 1024;

static void check_memory(const struct machine *machine, struct bilanx_finding *finding)
{
    AUTO(text) struct text meminfo = {0};
    if (!machine_file(machine, "/proc/meminfo", &meminfo)) {
        finding_unreadable(finding, errno);
        return;
    }
    double total = memory_field(text_get(&meminfo), "MemTotal");
    double available = memory_field(text_get(&meminfo), "MemAvailable");
    if (available == 0)
        finding_unreadable(finding, ENODATA);
    else if (available < total / 10)
        finding_fix(finding, "ps -eo rss,pid,user,comm --sort=-rss | head",
                    "%.1f of %.1f GiB available: the kernel has to search for free pages",
                    available / gib, total / gib);
    else
        finding_good(finding, "%.1f of %.1f GiB available", available / gib, total / gib);
}

static void check_swap(const struct machine *machine, struct bilanx_finding *finding)
{
    AUTO(text) struct text meminfo = {0};
    if (!machine_file(machine, "/proc/meminfo", &meminfo)) {
        finding_unreadable(finding, errno);
        return;
    }
    double total = memory_field(text_get(&meminfo), "SwapTotal");
    double used = total - memory_field(text_get(&meminfo), "SwapFree");
    if (total == 0)
        finding_good(finding, "none");
    else if (used > 0)
        finding_know(finding, "%.2f of %.1f GiB in use: a memory access may wait for the disk",
                     used / gib, total / gib);
    else
        finding_good(finding, "%.1f GiB, unused", total / gib);
}

static const struct check checks[] = {
    {"load", check_load},           {"quota", check_quota},   {"virtual", check_virtual},
    {"container", check_container}, {"memory", check_memory}, {"swap", check_swap},
};

const struct check_group contention_checks = {"contention", checks, sizeof checks / sizeof *checks};
