// rare: epochs that are far from all others.
//
// With some code, one process in a hundred draws addresses with which it takes several times as
// long, as when its data lies across two pages. Whether a run meets such a draw is chance, and its
// mean would depend on it. So a few such epochs are limited to the range of the others, and
// reported.
#ifndef STATS_RARE_H
#define STATS_RARE_H

#include "bilanx/timing.h"

// Limits the logarithms of times that are far from the others, if they are few. Returns how many.
size_t rare_limit(double *logs, size_t count);

struct rare_epochs {
    size_t count;
    double furthest;  // seconds per call of the one that is furthest from the others
};
struct rare_epochs rare_find(const struct bilanx_timing *timing);

#endif
