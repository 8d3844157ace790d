// ticks: sends a thread a signal for each period of CPU time that it has used.
#include "ticks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t SECOND_NS = 1000000000u;

static uint64_t kernel_tick_ns(void)
{
    struct timespec tick = {0};
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return (uint64_t)tick.tv_sec * SECOND_NS + (uint64_t)tick.tv_nsec;
}

struct tick_source tick_source_choose(uint64_t rate, int signal)
{
    struct tick_source source = {
        .event = {.rate = rate}, .period_ns = SECOND_NS / rate, .signal = signal};
    source.by_perf = sampling_event_choose(&source.event).status == BILANX_OK;
    // Cycles are not time. Where both are possible, the clock makes all samples weigh the same.
    if (source.by_perf && source.event.hardware) {
        source.event.hardware = false;
        int fd = sampling_event_open(&source.event, 0, -1);
        source.by_perf = fd >= 0;
        if (fd >= 0)
            close(fd);
    }
    if (!source.by_perf && source.period_ns < kernel_tick_ns())
        source.period_ns = kernel_tick_ns();
    return source;
}

static bool start_event(const struct tick_source *source, pid_t thread, struct ticker *out)
{
    const struct f_owner_ex owner = {F_OWNER_TID, thread};
    int fd = sampling_event_open(&source->event, thread, -1);
    if (fd < 0)
        return false;
    if (fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 || fcntl(fd, F_SETSIG, source->signal) != 0 ||
        fcntl(fd, F_SETOWN_EX, &owner) != 0 || !sampling_event_enable(fd, true)) {
        close(fd);
        return false;
    }
    out->id = fd;
    return true;
}

// The kernel's own structure: those of C libraries differ, and old ones need another library.
struct kernel_sigevent {
    uint64_t value;
    int32_t signal, notify, thread;
    char unused[44];
};

static bool set_timer(int id, uint64_t period_ns)
{
    const struct timespec period = {.tv_sec = (time_t)(period_ns / SECOND_NS),
                                    .tv_nsec = (long)(period_ns % SECOND_NS)};
    const struct itimerspec times = {period, period};
    return syscall(SYS_timer_settime, id, 0, &times, NULL) == 0;
}

static bool start_timer(const struct tick_source *source, pid_t thread, struct ticker *out)
{
    enum { TO_THREAD = 4, CPU_TIME_OF_THREAD = 6 };
    clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | CPU_TIME_OF_THREAD);
    struct kernel_sigevent event = {
        .signal = source->signal, .notify = TO_THREAD, .thread = thread};
    int id = 0;
    if (syscall(SYS_timer_create, clock, &event, &id) != 0)
        return false;
    if (!set_timer(id, source->period_ns)) {
        syscall(SYS_timer_delete, id);
        return false;
    }
    out->id = id;
    return true;
}

bool ticker_start(const struct tick_source *source, pid_t thread, struct ticker *out)
{
    *out = (struct ticker){.thread = thread};
    return (source->by_perf ? start_event : start_timer)(source, thread, out);
}

// CPU time that passes meanwhile does not count.
void ticker_rest(const struct tick_source *source, struct ticker *ticker, bool resting)
{
    if (source->by_perf)
        sampling_event_enable(ticker->id, !resting);
    else
        set_timer(ticker->id, resting ? 0 : source->period_ns);
    ticker->last_ns = 0;
}

// Timers are checked at the kernel's ticks: periods that differ by less would be the same.
bool ticker_retime(const struct tick_source *source, struct ticker *ticker, uint64_t period_ns)
{
    return source->by_perf && sampling_event_retime(ticker->id, period_ns);
}

void ticker_stop(const struct tick_source *source, struct ticker *ticker)
{
    if (source->by_perf)
        close(ticker->id);
    else
        syscall(SYS_timer_delete, ticker->id);
}

uint64_t ticks_thread_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

bool tick_is_ours(const siginfo_t *info)
{
    return info->si_code == SI_TIMER || info->si_code == POLL_IN;
}
