// gathering: collects samples in the background while a worker runs.
//
// Samples are kept as they come and unwound afterwards, so that little work is done on this machine
// meanwhile. Only a long collection is worked off in between, to bound memory.
#ifndef SAMPLING_GATHERING_H
#define SAMPLING_GATHERING_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/worker/sample_board.h"
#include "core/worker/sample_memory.h"
#include "rings.h"

struct gathering {
    struct ring *rings;
    size_t ring_count, ring_room;
    struct sample_mapping *mapping;  // of the worker's own samples; NULL: none. Not owned
    struct sample_board *board;      // of processes that sample themselves; NULL: none. Not owned
    const struct sample_events *events;
    double period_ns;    // periods are varied around this one; 0: they are not
    double even;         // decides the next one
    struct pile pile;    // from the rings
    struct pile stacks;  // from the memory
    pthread_t thread;
    bool running;
    atomic_bool ending;
};
void gathering_done(struct gathering *gathering);  // what was not delivered is lost
SCOPE_VALUE(gathering, gathering_done)

// Adds the buffer of an event, whose descriptor it takes.
struct bilanx_error gathering_add(struct gathering *gathering, int fd);

struct bilanx_error gathering_start(struct gathering *gathering,
                                    const struct sample_events *events);

// Takes what is left, and delivers everything. Adds to how many samples were lost, and how often
// the kernel paused.
struct gathering_losses {
    double lost;
    uint64_t throttled;
};
void gathering_stop(struct gathering *gathering, struct gathering_losses *losses);

#endif
