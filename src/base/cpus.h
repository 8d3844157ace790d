// cpus: which CPUs measured code runs on.
//
// The highest ones that this process may use: the first one serves most interrupts.
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdint.h>

// The CPU for code of one thread; -1: unknown.
int cpus_measuring(void);

// Restricts this process to its `count` highest CPUs, which are neighbors. Makes only system calls.
void cpus_pin(uint64_t count);

#endif
