// groups: the effect of code layout on time.
#include "groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scope.h"
#include "elementary.h"
#include "stats.h"

static bool are_drawn(const struct bilanx_timing *timing, size_t count)
{
    return timing->epoch_count == count && count > 0 && timing->epochs[0].layout > 0;
}

size_t layout_means(const struct bilanx_timing *timing, double *logs, size_t count)
{
    if (!are_drawn(timing, count))
        return count;
    AUTO(memory) double *means = mem_array(double, count);
    AUTO(memory) size_t *epochs = mem_array(size_t, count);
    AUTO(memory) uint64_t *layouts = mem_array(uint64_t, count);
    size_t units = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < units && layouts[at] != timing->epochs[i].layout)
            at++;
        units += at == units;
        layouts[at] = timing->epochs[i].layout;
        means[at] += (logs[i] - means[at]) / (double)++epochs[at];
    }
    memcpy(logs, means, units * sizeof *logs);
    return units;
}

double layout_spread(const struct bilanx_timing *timing, const double *logs, size_t count)
{
    enum { FEWEST = 3 };
    double squares = 0;
    size_t pairs = 0;
    if (!are_drawn(timing, count))
        return NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (timing->epochs[i].layout == timing->epochs[j].layout) {
                squares += (logs[i] - logs[j]) * (logs[i] - logs[j]) / 2;
                pairs++;
            }
    if (pairs < FEWEST)
        return NAN;
    double layouts = stats_variance(logs, count) - squares / (double)pairs;
    return layouts > 0 ? square_root(layouts) : 0;
}

static double variance_of(const double *values, size_t count)
{
    return count > 1 ? stats_variance(values, count) : 0;
}

// The widest gap separates the groups, if it is much wider than either and large enough to report.
static size_t find_gap(const double *sorted, size_t count)
{
    static const double LEAST = 0.04, TIMES = 4;
    enum { SMALLEST = 2 };
    size_t widest = 0;
    double gap = 0;
    for (size_t i = SMALLEST; i + SMALLEST <= count; i++)
        if (sorted[i] - sorted[i - 1] > gap) {
            gap = sorted[i] - sorted[i - 1];
            widest = i;
        }
    double low = variance_of(sorted, widest), high = variance_of(sorted + widest, count - widest);
    double spread = square_root(low > high ? low : high);
    return gap > LEAST && gap > TIMES * spread ? widest : 0;
}

// If other work occupies the CPU for most of an epoch, any code appears to have two groups.
static bool are_disturbed(const struct bilanx_timing *timing)
{
    size_t disturbed = 0;
    for (size_t i = 0; i < timing->epoch_count; i++)
        disturbed += 2 * timing->epochs[i].disturbed > timing->epochs[i].batches;
    return 4 * disturbed > timing->epoch_count;
}

struct layout_groups layout_groups_find(const struct bilanx_timing *timing)
{
    size_t count = timing->raw_count;
    struct layout_groups groups = {0};
    if (!are_drawn(timing, count) || are_disturbed(timing))
        return groups;
    AUTO(memory) double *logs = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        logs[i] = ln(timing->raw_times[i] / (double)timing->number_per_run);
    groups.layouts = layout_means(timing, logs, count);
    stats_sort(logs, groups.layouts);
    size_t first = find_gap(logs, groups.layouts);
    if (first == 0)
        return groups;
    groups.counts[0] = first;
    groups.counts[1] = groups.layouts - first;
    groups.times[0] = exponential(stats_mean(logs, first));
    groups.times[1] = exponential(stats_mean(logs + first, groups.counts[1]));
    return groups;
}
