// ratio: how much longer one command takes than another, from paired runs.
#ifndef COMMANDS_RATIO_H
#define COMMANDS_RATIO_H

#include "core/stats/stats.h"
#include "sources/commands/commands.h"

struct ratio {
    double estimate;
    struct interval ci95;  // NaN when unknown
    size_t pairs;          // runs of the same round; 0: computed from the medians only
};

// b over a. Runs must be ordered by round, with at least one each.
struct ratio ratio_of_runs(const struct commands_run *a, size_t a_count,
                           const struct commands_run *b, size_t b_count);

#endif
