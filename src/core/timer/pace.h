// pace: how fast the core ran while batches were timed, and which batches to keep.
//
// A core changes its clock for milliseconds to seconds, and shares its units with another thread of
// the host for as long; a guest sees neither. Two small kernels (reference.h) timed between batches
// see both. What was measured at another pace is left out. It is not scaled: code that waits for
// memory takes a quarter of the change, arithmetic all of it, and nobody knows which it is.
//
// Pure functions. Ownership: a log belongs to who fills it, and pace_log_done() frees its memory.
#ifndef TIMER_PACE_H
#define TIMER_PACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct pace {         // a zero is unknown, and as good as any
    double chain_ns;  // dependent multiplications: the core's clock
    double wide_ns;   // several operations at a time: slower when another thread shares the core
};

bool pace_same(struct pace a, struct pace b);

// The pace that most of the readings agree on.
struct pace pace_usual(const struct pace *readings, size_t count);

// Readings between batches, in order.
struct pace_log {
    struct pace *readings;
    size_t *batches;  // how many there were before each reading
    size_t count, room, batches_room;
};

void pace_log_add(struct pace_log *log, struct pace reading, size_t batches);
void pace_log_done(struct pace_log *log);
SCOPE_VALUE(pace_log, pace_log_done)

// Which pace to keep: the wanted one if at least a quarter of the batches ran at it, otherwise the
// usual one; unknown, which keeps everything, where that one has no quarter either.
struct pace pace_log_choose(const struct pace_log *log, struct pace wanted);

// Moves the times of batches that ran at this pace to the front: the reading before and the one
// after them say so. Returns how many there are.
size_t pace_log_keep(const struct pace_log *log, struct pace pace, double *times);

// The pace of a run, which all its cases should be measured at: what most of the recent epochs ran
// at, once it is not the one that was chosen before. Recent are some seconds: a core that runs
// faster for one of them comes back.
struct pace_tracker {
    struct pace wanted;
    struct pace recent[512];
    size_t seen;
};

void pace_tracker_add(struct pace_tracker *tracker, struct pace pace);

#endif
