// allocations: what the preloaded library counts and the worker reads.
//
// The library names the address of its counts in the environment; whoever was started without it
// finds nothing there.
#ifndef WORKER_ALLOCATIONS_H
#define WORKER_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdint.h>

#define ALLOCATIONS_VARIABLE "BILANX_ALLOCATIONS"

struct allocation_counts {
    atomic_bool counting;
    atomic_ullong count, bytes;  // while counting
    atomic_llong held, peak;     // usable bytes, since counting began; less than 0 when freed more
};

#endif
