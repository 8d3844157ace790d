// cpus: selects the CPUs that measured code runs on.
//
// We take the highest-numbered ones this process may use, because the first CPU serves most
// interrupts.
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdint.h>

// Returns the CPU for single-threaded code; -1: unknown.
int cpus_measuring(void);

// Returns how many CPUs this process may use, which may be fewer than the machine has; at least 1.
unsigned cpus_allowed(void);

// Restricts this process to its `count` highest CPUs, which are neighbours. Makes system calls
// only.
void cpus_pin(uint64_t count);

#endif
