// gaps: how often and how long a core that does nothing but read the clock is kept from it.
#ifndef DOCTOR_GAPS_H
#define DOCTOR_GAPS_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/doctor.h"
#include "core/clock/clock.h"

// Longer than anything the watching itself can take (a read of the clock and a few cache misses of
// 0.1 us each), shorter than the cheapest interruption: entering and leaving the kernel for a timer
// tick takes 1 to 3 us.
#define GAP_THRESHOLD_NS 1000.0

struct gaps {
    double *lengths_ns;  // of `room`, all touched before, so that watching causes no page fault
    size_t count, room;
    double watched_ns;
};

void gaps_init(struct gaps *gaps, size_t room);
void gaps_done(struct gaps *gaps);
SCOPE_VALUE(gaps, gaps_done)

// Watches for a while and adds what it sees. Stops early when there is no room left.
void gaps_watch(struct gaps *gaps, const struct clock *clock, double duration_ns);

// Sorts the lengths.
struct bilanx_doctor_gaps gaps_summarize(struct gaps *gaps);

#endif
