// watch: measures how much CPU time other processes used during a measurement.
#ifndef RUN_WATCH_H
#define RUN_WATCH_H

#include "core/record/facts.h"

struct watch {
    struct machine_load load;
    uint64_t own_ns;
};

struct watch watch_start(void);

// Returns the CPU time of this process and all its descendants, ended or running.
uint64_t watch_own_ns(void);

// Returns the share of all CPUs that other processes have used since then. Returns 0, for unknown,
// if only a few kernel ticks have passed.
double watch_busy_share(const struct watch *since);

#endif
