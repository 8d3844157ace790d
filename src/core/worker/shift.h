// shift: calls a function with stack and heap moved by a few times 16 bytes.
//
// Addresses are part of what an epoch draws; a fork inherits its parent's, and even a fresh process
// gets its stack and heap at coarse steps.
#ifndef WORKER_SHIFT_H
#define WORKER_SHIFT_H

#include <stdint.h>

void shift_call(uint64_t seed, void (*function)(void *context), void *context);

#endif
