// rings: the kernel's buffers of perf events.
#ifndef SAMPLING_RINGS_H
#define SAMPLING_RINGS_H

#include "base/scope.h"
#include "bilanx/error.h"
#include "samples.h"

struct ring {
    int fd;
    void *memory;
    size_t size;  // of the data
};
// Maps the buffer of an event, and owns the descriptor from then on, also if it fails.
struct bilanx_error ring_init(struct ring *ring, int fd);
void ring_done(struct ring *ring);

struct pile {  // records as they came
    unsigned char *data;
    size_t size, room;
    double lost;
    uint64_t throttled;  // how often the kernel paused because samples took too long
};
void pile_done(struct pile *pile);
void pile_add(struct pile *pile, const void *record, size_t size);

// Moves all records to the pile, without the unused part of stacks.
void ring_drain(struct ring *ring, struct pile *pile);

// Delivers the records of a pile, in order of time, and empties it.
void pile_deliver(struct pile *pile, const struct sample_events *events);

#endif
