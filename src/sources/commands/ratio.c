// ratio: how much longer one command takes than another, from paired runs.
//
// Uses the midmean of the pairs' log-ratios. A disturbance of one run would shift a mean, and one
// that lasts a second would shift the ratio of medians; neither affects this (figures in
// docs/method.md).
#include "ratio.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/elementary.h"

static double median_wall(const struct commands_run *runs, size_t count)
{
    double *walls = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        walls[i] = runs[i].wall;
    stats_sort(walls, count);
    double median = stats_quantile(walls, count, 0.5);
    free(walls);
    return median;
}

// Log-ratios of runs in the same round.
static size_t pair_up(const struct commands_run *a, size_t a_count, const struct commands_run *b,
                      size_t b_count, double *logs)
{
    size_t pairs = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        if (a[i].round == b[j].round)
            logs[pairs++] = ln(b[j++].wall / a[i++].wall);
        else if (a[i].round < b[j].round)
            i++;
        else
            j++;
    }
    return pairs;
}

struct ratio ratio_of_runs(const struct commands_run *a, size_t a_count,
                           const struct commands_run *b, size_t b_count)
{
    enum { FEWEST = 5 };  // with fewer, an interval would be meaningless
    double *logs = mem_array(double, a_count < b_count ? a_count : b_count);
    struct ratio ratio = {.ci95 = {NAN, NAN}, .pairs = pair_up(a, a_count, b, b_count, logs)};
    stats_sort(logs, ratio.pairs);
    if (ratio.pairs == 0)
        ratio.estimate = median_wall(b, b_count) / median_wall(a, a_count);
    else
        ratio.estimate = exponential(stats_midmean(logs, ratio.pairs));
    if (ratio.pairs >= FEWEST) {
        struct interval interval = stats_midmean_interval(logs, ratio.pairs, 0.95);
        ratio.ci95 = (struct interval){exponential(interval.low), exponential(interval.high)};
    }
    free(logs);
    return ratio;
}
