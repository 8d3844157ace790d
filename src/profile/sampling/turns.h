// turns: in which order, for how long and how often cases are sampled in turns.
#ifndef SAMPLING_TURNS_H
#define SAMPLING_TURNS_H

#include "base/random.h"

// The order of a round, from that of the round before. Every other one is drawn; the one after it
// is the same backwards, so that no case is always sampled after the same one.
void turns_draw(struct random *random, size_t round, size_t *order, size_t count);

// How to divide a duration into epochs of which each takes `start_s` until it gets to its first
// sample. At most half of the time is spent on that, unless there would be only one epoch.
struct turns_plan {
    double epoch_s;
    size_t rounds;
};
struct turns_plan turns_plan(double duration_s, unsigned epochs, double start_s);

#endif
