// groups: the effect of code layout on time.
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include <stddef.h>

#include "bilanx/timing.h"

// With some code, each layout is either fast or slow, depending on how a branch or loop is aligned.
// They are groups by layout only if layouts that were measured again are in the same group as
// before, more often than one time in a hundred by chance.
struct layout_groups {
    size_t layouts;    // number measured; 0: layouts were not varied
    size_t counts[2];  // layouts in the faster and the slower group; 0: no groups
    double times[2];   // of one call in each group
};
struct layout_groups layout_groups_find(const struct bilanx_timing *timing);

// Returns whether the times of epochs form two groups, for whatever reason.
bool layout_groups_are_likely(const struct bilanx_timing *timing);

// Averages the logarithms of epochs that share a layout, in place, because they are not
// independent. Returns how many are left, in the order in which layouts first occurred.
size_t layout_means(const struct bilanx_timing *timing, double *logs, size_t count);

// Returns the relative spread due to layout: the spread between epochs, minus the spread between
// epochs of the same layout. NaN if epochs of the same layout do not differ less than others: then
// the layout is not the reason.
double layout_spread(const struct bilanx_timing *timing, const double *logs, size_t count);

#endif
