// monotonic: a clock for deadlines.
#ifndef BASE_MONOTONIC_H
#define BASE_MONOTONIC_H

#include <stdint.h>

uint64_t monotonic_ns(void);  // for deadlines, not for measuring

#endif
