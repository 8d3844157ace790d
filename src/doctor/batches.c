// batches: times the same work repeatedly.
#include "batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"

enum {
    LONG_COUNT = BATCH_EPOCHS * BATCH_EPOCH_LONG,
    SHORT_COUNT = LONG_COUNT * BATCH_RATIO,
};

// Each multiplication depends on the one before it, and the empty asm keeps the compiler from
// folding them. So the time depends only on the core's frequency and on interruptions.
static uint64_t multiply(uint64_t product, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        product *= 0x9E3779B97F4A7C15u;
        __asm__ volatile("" : "+r"(product));
    }
    return product;
}

static double time_batch(const struct clock *clock, uint64_t steps)
{
    uint64_t before = clock_read(clock);
    multiply(1, steps);
    return clock_ns(clock, clock_read(clock) - before);
}

static uint64_t steps_for(const struct clock *clock, double target_ns)
{
    enum { TRIAL_STEPS = 20000, TRIALS = 50 };
    double least = 1e18;
    for (int i = 0; i < TRIALS; i++) {
        double taken = time_batch(clock, TRIAL_STEPS);
        least = taken > 0 && taken < least ? taken : least;
    }
    double steps = target_ns / least * TRIAL_STEPS;
    return steps < 1 ? 1 : (uint64_t)steps;
}

static double *touched(size_t count)
{
    double *values = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        values[i] = 1;
    return values;
}

void batches_init(struct batches *batches, const struct clock *clock)
{
    *batches = (struct batches){
        .short_ns = touched(SHORT_COUNT),
        .long_ns = touched(LONG_COUNT),
        .short_n = steps_for(clock, BATCH_SHORT_NS),
    };
}

void batches_done(struct batches *batches)
{
    free(batches->short_ns);
    free(batches->long_ns);
    *batches = (struct batches){0};
}

void batches_measure_epoch(struct batches *batches, const struct clock *clock)
{
    double *long_ns = batches->long_ns + batches->epochs * BATCH_EPOCH_LONG;
    double *short_ns = batches->short_ns + batches->epochs * BATCH_EPOCH_LONG * BATCH_RATIO;
    for (size_t i = 0; i < BATCH_EPOCH_LONG; i++) {
        long_ns[i] = time_batch(clock, batches->short_n * BATCH_RATIO);
        for (size_t j = 0; j < BATCH_RATIO; j++)
            short_ns[i * BATCH_RATIO + j] = time_batch(clock, batches->short_n);
    }
    batches->epochs++;
}

// Returns the midmean of the logarithms, as a measurement does. Sorts.
static double estimate_epoch(double *times_ns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        times_ns[i] = ln(times_ns[i]);
    stats_sort(times_ns, n);
    return stats_midmean(times_ns, n);
}

struct bilanx_doctor_batches batches_summarize(const double *times_ns, size_t epochs,
                                               size_t per_epoch, double target_ns)
{
    size_t count = epochs * per_epoch;
    AUTO(memory) double *sorted = mem_array(double, count);
    AUTO(memory) double *estimates = mem_array(double, epochs);
    memcpy(sorted, times_ns, count * sizeof *sorted);
    for (size_t i = 0; i < epochs; i++)
        estimates[i] = estimate_epoch(sorted + i * per_epoch, per_epoch);
    memcpy(sorted, times_ns, count * sizeof *sorted);
    stats_sort(sorted, count);
    double median = stats_quantile(sorted, count, 0.5);
    double middle = stats_quantile(sorted, count, 0.75) - stats_quantile(sorted, count, 0.25);
    return (struct bilanx_doctor_batches){
        .target_ns = target_ns,
        .count = count,
        .median_ns = median,
        .iqr = middle / median,
        .epoch_ns = (double)per_epoch * target_ns,
        .estimate_sd = square_root(stats_variance(estimates, epochs)),
    };
}
