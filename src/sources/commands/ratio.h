// ratio: how many times as long as another a command takes, from runs side by side.
#ifndef COMMANDS_RATIO_H
#define COMMANDS_RATIO_H

#include "core/stats/stats.h"
#include "sources/commands/commands.h"

struct ratio {
    double estimate;
    struct interval ci95;  // NaN when unknown
    size_t pairs;          // runs of the same round; 0: from the medians alone
};

// b over a. The runs of each are in the order of their rounds; each has at least one.
struct ratio ratio_of_runs(const struct commands_run *a, size_t a_count,
                           const struct commands_run *b, size_t b_count);

#endif
