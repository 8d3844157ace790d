// turn: a few batches of something that is timed elsewhere, with the core to themselves if
// possible.
//
// For measurements without epochs: operators of a backend, variants of a kernel, the limits of the
// machine. The median batch counts, because others may have been interrupted.
#ifndef TIMER_TURN_H
#define TIMER_TURN_H

#include "bilanx/error.h"
#include "core/clock/clock.h"
#include "core/timer/pace.h"

enum { TURN_MOST_BATCHES = 64 };

struct turn_options {
    const struct clock *clock;
    size_t batches;
    double floor;      // of the core; 0: unknown
    bool pace_unread;  // the readings would not describe it: it has several threads
};

struct turn {
    double ns;              // of the middle batch
    enum core_state state;  // of the batches that count
    struct pace_summary core;
};

// `run` times one batch. As long as too few batches had the core to themselves, continues, up to
// eight times as many batches.
struct bilanx_error turn_take(const struct turn_options *options,
                              struct bilanx_error (*run)(void *context, double *ns), void *context,
                              struct turn *out);

#endif
