// allocations: counts kept by the preloaded library and read by the worker.
//
// The library puts the address of its counts into the environment. If it was not preloaded, the
// variable is not set.
#ifndef WORKER_ALLOCATIONS_H
#define WORKER_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdint.h>

#define ALLOCATIONS_VARIABLE "BILANX_ALLOCATIONS"

struct allocation_counts {
    atomic_bool counting;
    atomic_ullong count, bytes;  // while counting
    atomic_llong held, peak;     // usable bytes since counting began; negative if more was freed
};

#endif
