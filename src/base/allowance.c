// allowance: limits on the resources a measured process may use.
#include "allowance.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "children.h"
#include "file.h"
#include "lineage.h"

enum { MOST_PROCESSES = 400 };  // more than any program needs, and a machine can still cope

// Returns the number of tasks on the machine. Cheap, however many there are.
static uint64_t count_tasks(void)
{
    char line[128];
    unsigned long long tasks = 0;
    if (!file_first_line("/proc/loadavg", line, sizeof line) ||
        sscanf(line, "%*s %*s %*s %*[^/]/%llu", &tasks) != 1)
        return 0;
    return tasks;
}

void allowance_begin(struct process *process)
{
    process->tasks_before = count_tasks();
    process->tasks_ns = process->memory_ns = monotonic_ns();
}

static uint64_t resident_bytes(pid_t pid)
{
    char path[40], line[128];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    if (!file_first_line(path, line, sizeof line) || sscanf(line, "%*s %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void add_resident(pid_t child, void *total)
{
    *(uint64_t *)total += resident_bytes(child);
}

// Signals its group and the groups its children lead, as the forks of a zygote do.
static void signal_groups(pid_t pid, int number)
{
    struct children children;
    kill(-pid, number);
    children_list(pid, &children);
    for (size_t i = 0; i < children.count; i++)
        kill(-children.pids[i], number);
}

// Returns whether the process starts others without end. We search for its descendants only if the
// machine's task count has grown. Stop them first: with thousands of them running, the search would
// take minutes.
static bool swarms(struct process *process)
{
    uint64_t tasks = count_tasks();
    if (tasks < process->tasks_before)
        process->tasks_before = tasks;
    if (tasks <= process->tasks_before + MOST_PROCESSES)
        return false;
    signal_groups(process->pid, SIGSTOP);
    bool many = lineage_count(process->lineage, MOST_PROCESSES + 1) > MOST_PROCESSES;
    if (!many) {
        signal_groups(process->pid, SIGCONT);
        process->tasks_before = tasks;  // the new tasks belong to other processes
    }
    return many;
}

static uint64_t resident_in_all(pid_t pid)
{
    uint64_t resident = resident_bytes(pid);
    children_each_below(pid, add_resident, &resident);
    return resident;
}

static bool is_due(uint64_t *last_ns, uint64_t every_ns)
{
    uint64_t now_ns = monotonic_ns();
    if (now_ns - *last_ns < every_ns)
        return false;
    *last_ns = now_ns;
    return true;
}

struct bilanx_error allowance_check(struct process *process)
{
    static const uint64_t MEMORY_EVERY_NS = 100000000;
    if (process->output_limit_bytes && process->output_bytes > process->output_limit_bytes)
        return bilanx_error_make(BILANX_E_FLOOD, "it printed more than %.3g MB",
                                 (double)process->output_limit_bytes / 1e6);
    if (!process->memory_limit_bytes || process->pid <= 0)
        return BILANX_SUCCESS;
    if (is_due(&process->tasks_ns, ALLOWANCE_EVERY_MS * 1000000u) && swarms(process))
        return bilanx_error_make(BILANX_E_SWARM, "it started more than %d processes",
                                 MOST_PROCESSES);
    if (is_due(&process->memory_ns, MEMORY_EVERY_NS) &&
        resident_in_all(process->pid) > process->memory_limit_bytes)
        return bilanx_error_make(BILANX_E_MEMORY, "it used more than %.3g MB of memory",
                                 (double)process->memory_limit_bytes / 1e6);
    return BILANX_SUCCESS;
}
