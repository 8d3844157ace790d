// shift: calls a function with the stack and heap moved by a multiple of 16 bytes.
//
// Each epoch should have different addresses. A fork inherits its parent's, and even a new process
// gets its stack and heap only in coarse steps.
#ifndef WORKER_SHIFT_H
#define WORKER_SHIFT_H

#include <stdint.h>

void shift_call(uint64_t seed, void (*function)(void *context), void *context);

#endif
