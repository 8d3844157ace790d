// collection: the epochs of one case, sorted by the state of the core, until they are enough.
//
// A time belongs to one state. As long as there are epochs with the core to themselves, only these
// count. Those beside a busy neighbour are collected too: they are the result if the neighbour
// never rests, and the other number if it does.
#ifndef TIMER_COLLECTION_H
#define TIMER_COLLECTION_H

#include "core/timer/core_floor.h"
#include "core/timer/rigorous.h"

struct collection {
    struct core_floor *core;  // shared by all cases of a run; set by the owner
    double core_wait_ns;      // time to wait for the core beyond the usual; set by the owner
    struct bilanx_timing free, other;
    double floor;     // of the core, when the last epoch was added
    bool has_states;  // batches are short enough to tell in which state they ran
    double readings, free_readings;
    double spent_ns;   // in measured batches
    double calmest;    // smallest relative spread of batches within an epoch so far
    bool calm;         // that is known
    uint64_t epochs;   // measured, in whichever state
    uint64_t dropped;  // of these, because their batches vary too much
    double share;      // how much is done; never falls
    bool done;
};

// Adds the parts of an epoch to those of their state, or drops them. Sets `done` when there are
// enough.
void collection_add(struct collection *collection, const struct epoch_report *report,
                    const struct rigorous_options *options);

// How many epochs the result has so far.
size_t collection_count(const struct collection *collection);

// The result: the epochs of one state.
struct core_outcome {
    enum core_state state;
    double free_share;  // share of the time that had the core to itself; NaN: unknown
    double other_time;  // seconds per call in the other state; NaN: unknown
    uint64_t other_epochs;
    uint64_t redrawn;  // epochs that are not part of the result
};

// Moves the epochs of the chosen state to `out`; it is empty if there are none.
void collection_take(struct collection *collection, struct bilanx_timing *out,
                     struct core_outcome *outcome);
void collection_done(struct collection *collection);

#endif
