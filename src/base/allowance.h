// allowance: what a measured process may take of the machine.
//
// Watched from outside: a limit that the kernel enforces would fail an allocation or a fork inside,
// and what the measured code does then is anybody's guess.
#ifndef BASE_ALLOWANCE_H
#define BASE_ALLOWANCE_H

#include "base/process.h"

// To be called once a process was started.
void allowance_begin(struct process *process);

// Whether it and what it started are within their limits. May be asked at any time, and wants to be
// asked every so often: what forks in a loop makes twenty a millisecond. Counting all tasks of the
// machine takes 10 us; adding up memory, some 50 us, is done every tenth of a second only.
enum { ALLOWANCE_EVERY_MS = 20 };
struct bilanx_error allowance_check(struct process *process);

#endif
