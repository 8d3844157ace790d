// groups: code that takes one of two times, and the effect of code layout on time.
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include <stddef.h>

#include "bilanx/timing.h"

// With some code, each layout is either fast or slow, depending on how a branch or loop is aligned.
// They are groups by layout only if layouts that were measured again are in the same group as
// before, more often than one time in a hundred by chance.
//
// Other code takes one of two times per process, depending on the addresses that it draws. They are
// groups by process only if every process keeps its time while it runs, and processes of both kinds
// follow each other as fair dealing would have it: with a cause that comes and goes, neighbouring
// processes would agree.
enum groups_by { GROUPS_NONE, GROUPS_BY_LAYOUT, GROUPS_BY_PROCESS };

struct time_groups {
    enum groups_by by;
    size_t units;      // layouts or processes that were measured
    size_t counts[2];  // of them, in the faster and the slower group
    double times[2];   // of one call in each group
};
struct time_groups time_groups_find(const struct bilanx_timing *timing);

// Returns whether the times of epochs with different layouts form two groups, for whatever reason.
bool layout_groups_are_likely(const struct bilanx_timing *timing);

// Averages the logarithms of epochs that share a layout, in place, because they are not
// independent. Returns how many are left, in the order in which layouts first occurred.
size_t layout_means(const struct bilanx_timing *timing, double *logs, size_t count);

// Returns the relative spread due to layout: the spread between epochs, minus the spread between
// epochs of the same layout. NaN if epochs of the same layout do not differ less than others: then
// the layout is not the reason.
double layout_spread(const struct bilanx_timing *timing, const double *logs, size_t count);

#endif
