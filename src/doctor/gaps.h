// gaps: measures how often, and for how long, a core that only reads the clock is interrupted.
#ifndef DOCTOR_GAPS_H
#define DOCTOR_GAPS_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/doctor.h"
#include "core/clock/clock.h"

// Longer than anything the watching itself can take (a clock read and a few cache misses of 0.1 us
// each), and shorter than the cheapest interruption: a timer tick takes 1 to 3 us in the kernel.
#define GAP_THRESHOLD_NS 1000.0

struct gaps {
    double *lengths_ns;  // `room` of them, touched in advance to avoid page faults
    size_t count, room;
    double watched_ns;
};

void gaps_init(struct gaps *gaps, size_t room);
void gaps_done(struct gaps *gaps);
SCOPE_VALUE(gaps, gaps_done)

// Watches for a while and adds the gaps it sees. Stops early if there is no room left.
void gaps_watch(struct gaps *gaps, const struct clock *clock, double duration_ns);

// Sorts the lengths.
struct bilanx_doctor_gaps gaps_summarize(struct gaps *gaps);

#endif
