// groups: what the layout of the code does to its time.
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include <stddef.h>

#include "bilanx/timing.h"

// Layouts of some code are all fast or all slow, as a branch or a loop lies well or not.
struct layout_groups {
    size_t layouts;    // that were measured; 0: they were not drawn
    size_t counts[2];  // layouts in the faster and in the slower group; 0: there are no groups
    double times[2];   // of a call in each
};
struct layout_groups layout_groups_find(const struct bilanx_timing *timing);

// Averages the logarithms of epochs that share a layout, in place: those are no draws of their own.
// Returns how many are left, in the order in which layouts first came.
size_t layout_means(const struct bilanx_timing *timing, double *logs, size_t count);

// The relative spread that layouts explain: what is left of that between epochs without what
// epochs of one layout spread. NaN where too few layouts came twice.
double layout_spread(const struct bilanx_timing *timing, const double *logs, size_t count);

#endif
