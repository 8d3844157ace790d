// watch: how much of the machine others took while something was measured.
#ifndef RUN_WATCH_H
#define RUN_WATCH_H

#include "core/record/facts.h"

struct watch {
    struct machine_load load;
    uint64_t own_ns;
};

struct watch watch_start(void);

// The share of all CPUs that others took since. Unknown, so 0, over a few of the kernel's ticks.
double watch_busy_share(const struct watch *since);

#endif
