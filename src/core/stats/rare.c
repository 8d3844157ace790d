// rare: epochs that are far from all others.
#include "rare.h"

#include <string.h>

#include "base/mem.h"
#include "base/scope.h"
#include "elementary.h"
#include "stats.h"

struct range {
    double low, high;
};

// The range of the values that are not far from the middle half; everything if too many are.
static struct range usual_range(const double *values, size_t count)
{
    enum { FEWEST = 16, ONE_IN = 16 };
    static const double TIMES = 3, LEAST = .02;
    struct range all = {-INFINITY, INFINITY};
    if (count < FEWEST)
        return all;
    AUTO(memory) double *sorted = mem_array(double, count);
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    double low = stats_quantile(sorted, count, .25), high = stats_quantile(sorted, count, .75);
    double room = TIMES * (high - low) > LEAST ? TIMES * (high - low) : LEAST;
    size_t first = 0, last = count - 1;
    while (sorted[first] < low - room)
        first++;
    while (sorted[last] > high + room)
        last--;
    return first + (count - 1 - last) <= count / ONE_IN
               ? (struct range){sorted[first], sorted[last]}
               : all;
}

size_t rare_limit(double *logs, size_t count)
{
    struct range usual = usual_range(logs, count);
    size_t limited = 0;
    for (size_t i = 0; i < count; i++) {
        double within = logs[i] < usual.low    ? usual.low
                        : logs[i] > usual.high ? usual.high
                                               : logs[i];
        limited += within != logs[i];
        logs[i] = within;
    }
    return limited;
}

struct rare_epochs rare_find(const struct bilanx_timing *timing)
{
    struct rare_epochs rare = {0};
    size_t count = timing->raw_count;
    if (timing->epoch_count != count || count == 0)
        return rare;
    AUTO(memory) double *logs = mem_array(double, count);
    for (size_t i = 0; i < count; i++) {
        if (!(timing->raw_times[i] > 0))
            return rare;
        logs[i] = ln(timing->raw_times[i]);
    }
    struct range usual = usual_range(logs, count);
    double furthest = 0;
    for (size_t i = 0; i < count; i++) {
        double beyond = logs[i] < usual.low ? usual.low - logs[i] : logs[i] - usual.high;
        rare.count += beyond > 0;
        if (beyond > furthest) {
            furthest = beyond;
            rare.furthest = timing->raw_times[i] / (double)timing->number_per_run;
        }
    }
    return rare;
}
