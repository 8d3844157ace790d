// duel: two sides that take turns, batch by batch, by a plan that both know.
//
// Pairs of batches, one of each side; a fair coin decides who begins a pair, and an untimed third
// of a batch of the same side goes before each. Times lie in memory that both sides and the
// controller share, and the sides hand over to each other: between two processes by a futex,
// within one by a switch of stacks. The controller only says when to begin.
#ifndef WORKER_DUEL_H
#define WORKER_DUEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bilanx/error.h"
#include "core/timer/stepper.h"

enum { DUEL_MOST_PAIRS = 1000 };

struct duel_memory {
    atomic_uint turn;  // the slot under way: two for each pair, those that only warm up first
    atomic_bool over;  // the controller gave up
    double ns[2][DUEL_MOST_PAIRS];  // of each timed batch
    bool disturbed[2][DUEL_MOST_PAIRS];
};

struct duel_plan {
    uint64_t seed;    // of the coins
    uint64_t number;  // calls in a timed batch
    unsigned warm_pairs, pairs;
};

struct duel {
    struct duel_memory *memory;
    struct duel_plan plan;
    unsigned role;  // 0 or 1
    unsigned slot;
    enum { DUEL_BEGIN, DUEL_LEAD_IN, DUEL_TIMED } stage;
    // Lets the other side go on, and returns when it is this one's turn or all is over. False: the
    // other side is gone.
    bool (*hand_over)(struct duel *duel);
    void *context;
    bool forsaken;  // it was
};

// The memory of duels, mapped; a worker opens it by its path.
struct duel_mapping {
    struct duel_memory *memory;
    int fd;
    char path[64];
};
struct bilanx_error duel_mapping_init(struct duel_mapping *mapping);
void duel_mapping_done(struct duel_mapping *mapping);

struct bilanx_error duel_memory_open(const char *path, struct duel_memory **out);
void duel_memory_close(struct duel_memory *memory);

// Whether a slot is this side's; after the last one everything is.
bool duel_is_mine(const struct duel *duel, unsigned slot);

// The size of this side's next batch, 0 when the duel is over. `last` is NULL the first time.
uint64_t duel_next(struct duel *duel, const struct batch *last);

// For duel.hand_over, where the other side is another process.
bool duel_hand_over_by_futex(struct duel *duel);

#endif
