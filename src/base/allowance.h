// allowance: limits on the resources a measured process may use.
//
// We watch from outside. A limit enforced by the kernel would make an allocation or a fork fail
// inside the measured code, with unpredictable consequences.
#ifndef BASE_ALLOWANCE_H
#define BASE_ALLOWANCE_H

#include "base/process.h"

// Call this once, after starting a process.
void allowance_begin(struct process *process);

// Checks that a process and its descendants are within their limits. Call it often: a fork loop
// creates twenty processes per millisecond. Counting the machine's tasks takes 10 us. Adding up
// memory takes some 50 us, so that happens only every tenth of a second.
enum { ALLOWANCE_EVERY_MS = 20 };
struct bilanx_error allowance_check(struct process *process);

#endif
