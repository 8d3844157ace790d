// ticks: sends a thread a signal for each period of CPU time that it has used.
//
// By a perf event if the kernel allows one, which is precise; else by a timer, which the kernel
// only checks at its own ticks, a few hundred times per second.
#ifndef WORKER_TICKS_H
#define WORKER_TICKS_H

#include <signal.h>

#include "core/worker/sampling_event.h"

struct tick_source {
    bool by_perf;
    struct sampling_event event;
    _Atomic uint64_t period_ns;  // as far as this kernel can do it
    int signal;
};
struct tick_source tick_source_choose(uint64_t rate, int signal);

struct ticker {
    pid_t thread;
    int id;            // a descriptor, or the kernel's number of a timer
    uint64_t last_ns;  // for the caller: CPU time of the thread at its last tick
};
bool ticker_start(const struct tick_source *source, pid_t thread, struct ticker *out);
void ticker_rest(const struct tick_source *source, struct ticker *ticker, bool resting);
bool ticker_retime(const struct tick_source *source, struct ticker *ticker, uint64_t period_ns);
void ticker_stop(const struct tick_source *source, struct ticker *ticker);

uint64_t ticks_thread_ns(void);  // CPU time that the calling thread has used

// Whether a signal was sent by a ticker.
bool tick_is_ours(const siginfo_t *info);

#endif
