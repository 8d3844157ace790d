// pace: how fast the core ran while batches were timed, and which batches to keep.
//
// A core changes its frequency, or shares its execution units with another thread of the host, for
// milliseconds to seconds at a time. A guest sees neither. Two small kernels (reference.h), timed
// between batches, detect both. Batches at a different pace are left out, not scaled: memory-bound
// code is affected by a quarter of the change, arithmetic by all of it, and we do not know which it
// is.
//
// Pure functions. Ownership: the caller frees a log with pace_log_done().
#ifndef TIMER_PACE_H
#define TIMER_PACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct pace {         // 0 means unknown, and matches anything
    double chain_ns;  // dependent multiplications: measures the core's frequency
    double wide_ns;   // parallel operations: slower if another thread shares the core
};

bool pace_same(struct pace a, struct pace b);

// Returns the pace that most readings agree on.
struct pace pace_usual(const struct pace *readings, size_t count);

// Readings taken between batches, in order.
struct pace_log {
    struct pace *readings;
    size_t *batches;  // number of batches before each reading
    size_t count, room, batches_room;
};

void pace_log_add(struct pace_log *log, struct pace reading, size_t batches);
void pace_log_done(struct pace_log *log);
SCOPE_VALUE(pace_log, pace_log_done)

// Chooses the pace to keep: the wanted one if at least a quarter of the batches ran at it,
// otherwise the most common one. If that has less than a quarter too, returns unknown, which keeps
// everything.
struct pace pace_log_choose(const struct pace_log *log, struct pace wanted);

// Moves the times of batches that ran at this pace, judging from the readings before and after
// them, to the front. Returns how many there are.
size_t pace_log_keep(const struct pace_log *log, struct pace pace, double *times);

// The pace at which all cases of a run should be measured. It changes once fewer than half of the
// recent epochs ran at it. "Recent" is some seconds, so a core that runs faster for one second
// changes nothing.
struct pace_tracker {
    struct pace wanted;
    struct pace recent[512];
    size_t seen;
};

void pace_tracker_add(struct pace_tracker *tracker, struct pace pace);

#endif
