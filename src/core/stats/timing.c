// timing: turns raw times into statistics.
#include "bilanx/timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elementary.h"
#include "groups.h"
#include "pace_effect.h"
#include "rare.h"
#include "stats.h"
#include "steps.h"

void bilanx_timing_done(struct bilanx_timing *timing)
{
    if (!timing)
        return;
    free(timing->method);
    free(timing->raw_times);
    free(timing->raw_cpu_times);
    for (size_t i = 0; i < timing->epoch_count; i++)
        free(timing->epochs[i].extra);
    free(timing->epochs);
    if (timing->latency)
        free(timing->latency->extra);
    free(timing->latency);
    *timing = (struct bilanx_timing){0};
}

struct bilanx_epoch bilanx_epoch_make(double *seconds, size_t count, uint64_t number)
{
    if (!seconds || count == 0)
        return (struct bilanx_epoch){0};
    stats_sort(seconds, count);
    double per_call = 1 / (double)(number ? number : 1);
    struct bilanx_epoch epoch = {
        .min = seconds[0] * per_call,
        .p25 = stats_quantile(seconds, count, 0.25) * per_call,
        .p75 = stats_quantile(seconds, count, 0.75) * per_call,
        .p99 = stats_quantile(seconds, count, 0.99) * per_call,
        .batches = count,
    };
    // A fake clock may stand still; a real batch never takes zero time.
    if (seconds[0] <= 0) {
        epoch.time = stats_midmean(seconds, count) * per_call;
        return epoch;
    }
    double *logs = mem_array(double, count);
    memcpy(logs, seconds, count * sizeof *logs);
    steps_blur(logs, count);
    for (size_t i = 0; i < count; i++)
        logs[i] = ln(logs[i]);
    epoch.time = exponential(stats_midmean(logs, count)) * per_call;
    free(logs);
    return epoch;
}

// Correlated neighbours are not independent: merges pairs until the correlation is gone.
static size_t independent(double *values, size_t n)
{
    enum { FEWEST = 5 };
    while (n >= 2 * FEWEST && stats_autocorrelation(values, n) > 0.3)
        n = stats_merge_neighbours(values, n);
    return n;
}

static void summarize_epochs(const struct bilanx_timing *timing, const double *times, size_t n,
                             struct bilanx_stats *out)
{
    double *logs = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        logs[i] = ln(times[i]);
    double pace_error = pace_effect_remove(timing, logs, n);
    rare_limit(logs, n);
    out->between = square_root(stats_variance(logs, n));
    out->layout = layout_spread(timing, logs, n);
    size_t draws = layout_means(timing, logs, n);
    out->estimate = exponential(stats_mean(logs, draws));
    draws = independent(logs, draws);
    if (draws >= 2) {
        struct interval interval = stats_mean_interval(logs, draws, 0.95);
        double half = (interval.high - interval.low) / 2, middle = interval.low + half;
        half = square_root(half * half + 4 * pace_error * pace_error);
        out->ci95[0] = exponential(middle - half);
        out->ci95[1] = exponential(middle + half);
    }
    free(logs);
}

static double spread_within(const struct bilanx_timing *timing)
{
    double *spreads = mem_array(double, timing->epoch_count);
    size_t known = 0;
    for (size_t i = 0; i < timing->epoch_count; i++) {
        const struct bilanx_epoch *epoch = &timing->epochs[i];
        double spread = epoch->time > 0 ? (epoch->p75 - epoch->p25) / epoch->time : 0;
        if (!isnan(spread))  // records from other tools may have no quartiles
            spreads[known++] = spread;
    }
    stats_sort(spreads, known);
    double median = known ? stats_quantile(spreads, known, 0.5) : NAN;
    free(spreads);
    return median;
}

void bilanx_timing_summarize(const struct bilanx_timing *timing, struct bilanx_stats *out)
{
    if (!timing || !out || timing->raw_count == 0)
        return;
    size_t n = timing->raw_count;
    double *times = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        times[i] = timing->raw_times[i] / (double)timing->number_per_run;
    out->ci95[0] = out->ci95[1] = out->between = out->layout = NAN;
    out->within = spread_within(timing);
    out->mean = stats_mean(times, n);
    out->stddev = square_root(stats_variance(times, n));
    bool rigorous = timing->method && strcmp(timing->method, "rigorous") == 0;
    double *sorted = mem_array(double, n);
    memcpy(sorted, times, n * sizeof *sorted);
    stats_sort(sorted, n);
    out->min = sorted[0];
    out->p25 = stats_quantile(sorted, n, 0.25);
    out->p75 = stats_quantile(sorted, n, 0.75);
    out->iqr = out->p75 - out->p25;
    out->median = out->estimate = stats_quantile(sorted, n, 0.5);
    out->significant_figures = stats_significant_figures(sorted, n);
    struct interval interval;
    if (rigorous && sorted[0] > 0)
        summarize_epochs(timing, times, n, out);
    else if (stats_median_interval(sorted, n, 0.95, &interval))
        memcpy(out->ci95, &(double[]){interval.low, interval.high}, sizeof out->ci95);
    free(sorted);
    free(times);
}

// For a rigorous measurement: the CPU's share of the time, applied to the estimate, which is stated
// for another pace of the core than the raw times.
static double cpu_of_estimate(const struct bilanx_timing *timing)
{
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(timing, &stats);
    double *shares = mem_array(double, timing->raw_count);
    for (size_t i = 0; i < timing->raw_count; i++)
        shares[i] = timing->raw_times[i] > 0 ? timing->raw_cpu_times[i] / timing->raw_times[i] : 0;
    stats_sort(shares, timing->raw_count);
    double cpu = stats.estimate * stats_quantile(shares, timing->raw_count, 0.5);
    free(shares);
    return cpu;
}

double bilanx_timing_cpu(const struct bilanx_timing *timing)
{
    size_t n = timing ? timing->raw_cpu_count : 0;
    if (n == 0)
        return NAN;
    if (timing->epoch_count == n && timing->raw_count == n)
        return cpu_of_estimate(timing);
    double *sorted = mem_array(double, n);
    memcpy(sorted, timing->raw_cpu_times, n * sizeof *sorted);
    stats_sort(sorted, n);
    double median = stats_quantile(sorted, n, 0.5) / (double)timing->number_per_run;
    free(sorted);
    return median;
}
