// counter_perf: counts events of the processor and the kernel with perf_event_open().
//
// There are two groups, each read as a unit: processor events of the program itself, if the
// processor exposes them (most virtual machines do not), and kernel events, which are always
// available.
#include "counters.h"

#if __has_include(<linux/perf_event.h>)
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/worker/message.h"

struct event {
    const char *name;
    uint32_t type;
    uint64_t config;
};
static const struct event hardware[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};
static const struct event software[] = {
    {"task-clock-ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};
enum { MOST_EVENTS = 5 };

struct group {
    const struct event *events;  // those of the table that are available
    size_t count;
    bool had[MOST_EVENTS];
    int fds[MOST_EVENTS];  // the first available event is the leader; -1: unavailable
    int leader;            // -1: none available
    double *values;        // repeats x events
    size_t value_count, room;
};

struct perf {
    struct group groups[2];
    char missing[200];  // why there are no processor events; "" if there are
};

static int open_event(const struct event *event, int leader, bool kernel_too)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = event->type,
        .config = event->config,
        .disabled = leader < 0,
        .exclude_kernel = !kernel_too,
        .exclude_hv = 1,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

// Returns 0, or the reason why none of the events is available.
static int open_group(struct group *group, const struct event *events, size_t count)
{
    int reason = 0;
    *group = (struct group){.events = events, .count = count, .leader = -1};
    for (size_t i = 0; i < count; i++) {
        // Kernel events happen in the kernel, which not everybody may observe.
        bool kernel_too = events[i].type == PERF_TYPE_SOFTWARE;
        int fd = open_event(&events[i], group->leader, kernel_too);
        if (fd < 0 && kernel_too)
            fd = open_event(&events[i], group->leader, false);
        if (fd < 0 && !reason)
            reason = errno;
        group->fds[i] = fd;
        group->had[i] = fd >= 0;
        if (group->leader < 0)
            group->leader = fd;
    }
    return group->leader < 0 ? reason : 0;
}

static void close_group(struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->fds[i] >= 0)
            close(group->fds[i]);
    free(group->values);
}

static void close_perf(void *state)
{
    struct perf *perf = state;
    close_group(&perf->groups[0]);
    close_group(&perf->groups[1]);
    free(perf);
}

static void explain(int reason, char *out, size_t size)
{
    char paranoid[16];
    if (reason != EACCES && reason != EPERM)
        snprintf(out, size,
                 "this machine has no hardware counters (most virtual machines do not): "
                 "count instructions with --counter callgrind");
    else if (file_first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof paranoid))
        snprintf(out, size,
                 "the kernel does not let this user count (perf_event_paranoid is %s): "
                 "sysctl kernel.perf_event_paranoid=1, or --counter callgrind",
                 paranoid);
    else
        snprintf(out, size, "perf events are not permitted here: use --counter callgrind");
}

static struct bilanx_error open_perf(void **state)
{
    struct perf *perf = mem_new(struct perf);
    int reason = open_group(&perf->groups[0], hardware, sizeof hardware / sizeof *hardware);
    if (reason)
        explain(reason, perf->missing, sizeof perf->missing);
    int worse = open_group(&perf->groups[1], software, sizeof software / sizeof *software);
    if (reason && worse) {
        struct bilanx_error error = bilanx_error_make(BILANX_E_FAILED, "%s", perf->missing);
        close_perf(perf);
        return error;
    }
    *state = perf;
    return BILANX_SUCCESS;
}

static void each_group(struct perf *perf, unsigned long request)
{
    for (size_t i = 2; i-- > 0;)  // processor last, to count the least of our own code
        if (perf->groups[i].leader >= 0)
            ioctl(perf->groups[i].leader, request, PERF_IOC_FLAG_GROUP);
}

static void start(void *state)
{
    each_group(state, PERF_EVENT_IOC_ENABLE);
}

static void stop(void *state)
{
    struct perf *perf = state;
    for (size_t i = 0; i < 2; i++)
        if (perf->groups[i].leader >= 0)
            ioctl(perf->groups[i].leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

// If there are more events than hardware counters, the kernel multiplexes them and we scale up.
static void read_group(struct group *group)
{
    struct {
        uint64_t count, enabled, running, values[MOST_EVENTS];
    } now = {0};
    if (group->leader < 0 || read(group->leader, &now, sizeof now) <= 0)
        return;
    double scale = now.running ? (double)now.enabled / (double)now.running : 1;
    size_t next = 0;
    for (size_t i = 0; i < group->count; i++) {
        mem_grow(group->values, group->value_count, &group->room);
        group->values[group->value_count++] =
            group->had[i] && next < now.count ? (double)now.values[next++] * scale : 0;
    }
}

static void discard(void *state)
{
    each_group(state, PERF_EVENT_IOC_RESET);
}

static void repeat(void *state)
{
    struct perf *perf = state;
    read_group(&perf->groups[0]);
    read_group(&perf->groups[1]);
    discard(perf);
}

static void answer(void *state, struct text *out)
{
    struct perf *perf = state;
    for (size_t g = 0; g < 2; g++) {
        const struct group *group = &perf->groups[g];
        size_t repeats = group->value_count / group->count;
        AUTO(memory) double *values = mem_array(double, repeats + 1);
        for (size_t e = 0; e < group->count; e++) {
            char key[40];
            for (size_t r = 0; r < repeats; r++)
                values[r] = group->values[r * group->count + e];
            snprintf(key, sizeof key, "event.%s", group->events[e].name);
            if (group->had[e])
                message_add_numbers(out, key, values, repeats);
        }
    }
    if (perf->missing[0])
        message_add(out, "missing", perf->missing);
}

const struct counter counter_perf = {
    .name = "perf",
    .open = open_perf,
    .start = start,
    .stop = stop,
    .discard = discard,
    .repeat = repeat,
    .answer = answer,
    .close = close_perf,
};

#else  // musl does not include the kernel's headers

static struct bilanx_error open_perf(void **state)
{
    (void)state;
    return bilanx_error_make(BILANX_E_FAILED, "this program was built without perf events");
}

const struct counter counter_perf = {.name = "perf", .open = open_perf};

#endif
