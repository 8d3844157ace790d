// sampler_perf: the kernel samples, and the controller reads the samples as they come.
//
// This process only opens the events, because it alone can switch them on and off around a batch
// without the controller's help. The controller duplicates their descriptors and maps the buffers.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/worker/message.h"
#include "core/worker/sampler.h"
#include "core/worker/sampling_event.h"
#include "core/worker/threads.h"

struct perf_sampler {
    int *fds;
    size_t count, room;
    bool hardware;
};

static void close_sampler(void *state)
{
    struct perf_sampler *sampler = state;
    for (size_t i = 0; i < sampler->count; i++)
        close(sampler->fds[i]);
    free(sampler->fds);
    free(sampler);
}

static bool add_event(struct perf_sampler *sampler, const struct sampling_event *event,
                      pid_t thread, int cpu)
{
    int fd = sampling_event_open(event, thread, cpu);
    if (fd < 0)
        return errno == ESRCH;  // the thread has ended
    mem_grow(sampler->fds, sampler->count, &sampler->room);
    sampler->fds[sampler->count++] = fd;
    return true;
}

// The threads that this one starts are sampled too. A buffer for those must belong to one CPU.
static bool add_this_thread(struct perf_sampler *sampler, struct sampling_event event)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    event.inherit = true;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && !add_event(sampler, &event, 0, cpu))
            return false;
    return true;
}

static bool add_others(struct perf_sampler *sampler, const struct sampling_event *event)
{
    AUTO(threads) struct threads threads = {0};
    threads_list(&threads);
    pid_t self = (pid_t)syscall(SYS_gettid);
    for (size_t i = 0; i < threads.count; i++)
        if (threads.items[i] != self && !add_event(sampler, event, threads.items[i], -1))
            return false;
    return true;
}

static void describe(const struct perf_sampler *sampler, const struct sampling_event *event,
                     struct text *answer)
{
    AUTO(text) struct text rings = {0};
    for (size_t i = 0; i < sampler->count; i++)
        text_format(&rings, "%s%d", i ? "," : "", sampler->fds[i]);
    message_add(answer, "rings", text_get(&rings));
    message_add(answer, "ticks", event->hardware ? "cycles" : "cpu-clock");
    message_add_count(answer, "kernel", event->kernel);
}

static struct bilanx_error open_sampler(const struct sampler_options *options, void **state,
                                        struct text *answer)
{
    struct sampling_event event = {.rate = options->rate, .stack_bytes = options->stack_bytes};
    if (event.stack_bytes > SAMPLING_STACK_MOST)
        event.stack_bytes = SAMPLING_STACK_MOST;
    BILANX_TRY(sampling_event_choose(&event));
    struct perf_sampler *sampler = mem_new(struct perf_sampler);
    if (!add_others(sampler, &event) || !add_this_thread(sampler, event)) {
        struct bilanx_error error = bilanx_error_make(
            BILANX_E_SYSTEM, "cannot sample all threads of the case: %s", strerror(errno));
        close_sampler(sampler);
        return error;
    }
    sampler->hardware = event.hardware;
    describe(sampler, &event, answer);
    *state = sampler;
    return BILANX_SUCCESS;
}

static void start(void *state)
{
    struct perf_sampler *sampler = state;
    for (size_t i = 0; i < sampler->count; i++)
        sampling_event_enable(sampler->fds[i], true);
}

static void stop(void *state)
{
    struct perf_sampler *sampler = state;
    for (size_t i = sampler->count; i-- > 0;)
        sampling_event_enable(sampler->fds[i], false);
}

// Cycles are sampled at a rate, whose period the kernel varies.
static bool retime(void *state, uint64_t period_ns)
{
    const struct perf_sampler *sampler = state;
    bool done = !sampler->hardware;
    for (size_t i = 0; done && i < sampler->count; i++)
        done = sampling_event_retime(sampler->fds[i], period_ns);
    return done;
}

const struct sampler sampler_perf = {
    .name = "perf",
    .open = open_sampler,
    .switches_slowly = true,
    .retime = retime,
    .start = start,
    .stop = stop,
    .close = close_sampler,
};
