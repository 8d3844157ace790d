// duel: two sides take turns, batch by batch, following a plan that both know.
//
// Batches come in pairs, one of each side. A fair coin decides which side starts a pair. Each timed
// batch follows an untimed one of the same side, a third as long. Times are stored in memory that
// both sides and the controller share. The sides hand over to each other: between two processes by
// a futex, within one process by switching stacks. The controller only says when to start.
//
// The pace of the core is read before and after each timed batch. As long as too few pairs had the
// core to themselves, the duel continues, up to a limit.
#ifndef WORKER_DUEL_H
#define WORKER_DUEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bilanx/error.h"
#include "core/clock/clock.h"
#include "core/timer/pace.h"
#include "core/timer/stepper.h"

enum { DUEL_MOST_PAIRS = 1000 };

struct duel_memory {
    atomic_uint turn;               // current slot: two per pair, warm-up pairs first
    atomic_bool over;               // the controller has given up
    atomic_uint pairs;              // timed so far
    atomic_uint free_pairs;         // of these, with the core to themselves, or not about it
    double ns[2][DUEL_MOST_PAIRS];  // of each timed batch
    bool disturbed[2][DUEL_MOST_PAIRS];
    struct pace paces[2][DUEL_MOST_PAIRS][2];  // before and after each timed batch; 0: not read
};

struct duel_plan {
    uint64_t seed;    // for the coins
    uint64_t number;  // calls per timed batch
    unsigned warm_pairs, pairs;
    unsigned most_pairs;  // go on up to this many for a few with the core to themselves; 0: no more
    double floor;         // of the core, as in pace.h; 0: unknown
};

struct duel {
    struct duel_memory *memory;
    struct duel_plan plan;
    unsigned role;  // 0 or 1
    unsigned slot;
    enum { DUEL_BEGIN, DUEL_LEAD_IN, DUEL_TIMED } stage;
    // Lets the other side continue. Returns when it is this side's turn or the duel is over;
    // returns false if the other side is gone.
    bool (*hand_over)(struct duel *duel);
    void *context;
    const struct clock *clock;  // for readings of the pace; NULL: none
    struct pace before;         // the reading before the current batch
    bool forsaken;              // the other side is gone
};

// Mapped memory of a duel. A worker opens it by its path.
struct duel_mapping {
    struct duel_memory *memory;
    int fd;
    char path[64];
};
struct bilanx_error duel_mapping_init(struct duel_mapping *mapping);
void duel_mapping_done(struct duel_mapping *mapping);

struct bilanx_error duel_memory_open(const char *path, struct duel_memory **out);
void duel_memory_close(struct duel_memory *memory);

// Pairs with the core to themselves that make the others unnecessary.
unsigned duel_enough_free(const struct duel_plan *plan);

// Returns the state of the core that both halves of a pair had; unknown if they differ.
enum core_state duel_pair_state(const struct duel_memory *memory, unsigned pair, double floor);

// Returns whether a slot belongs to this side; all slots after the last one do.
bool duel_is_mine(const struct duel *duel, unsigned slot);

// Returns the size of this side's next batch, or 0 at the end. `last` is NULL the first time.
uint64_t duel_next(struct duel *duel, const struct batch *last);

// Implements duel.hand_over if the other side is another process.
bool duel_hand_over_by_futex(struct duel *duel);

#endif
