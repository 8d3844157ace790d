// measure: makes plans and results.
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/stats.h"

static double first_of(double asked, double otherwise)
{
    return asked > 0 ? asked : otherwise;
}

void measure_plan(const struct measure_options *options, double read_cost_ns,
                  struct stepper_options *out)
{
    bool adaptive = options->method == &method_adaptive;
    double min_run_time = first_of(options->min_run_time, adaptive ? 0.01 : 0.2);
    double max_run_time = first_of(options->max_run_time, adaptive ? 10 : 0.5);
    // An explicit setting beats a default; of two explicit ones, the maximum wins.
    if (options->max_run_time > 0 && min_run_time > max_run_time)
        min_run_time = max_run_time;
    if (options->min_run_time > max_run_time)
        max_run_time = min_run_time;
    double block_ns = min_run_time * 1e9 / 1000;
    *out = (struct stepper_options){
        .method = options->method,
        .number = options->number,
        .target_ns = block_ns > read_cost_ns * 1e4 ? block_ns : read_cost_ns * 1e4,
        .warmup_ns = options->warmup * 1e9,
        .min_ns = min_run_time * 1e9,
        .max_ns = max_run_time * 1e9,
        .min_blocks = 1,
        .threshold = first_of(options->threshold, 0.1),
    };
    if (options->method == &method_timeit) {
        out->target_ns = min_run_time * 1e9;  // if no number was given
        out->max_blocks = options->repeats ? options->repeats : 1;
    }
}

static double *seconds_of(const double *ns, size_t count)
{
    double *seconds = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        seconds[i] = ns[i] / 1e9;
    return seconds;
}

// A million samples are too many for a record. It keeps their percentiles and, as raw times, a
// thousand of them evenly spaced by rank, which preserves the quartiles.
static void summarize_latency(const struct stepper *stepper, double read_cost_ns,
                              struct bilanx_timing *out)
{
    enum { KEPT = 1000 };
    size_t count = stepper->count;
    double *sorted = seconds_of(stepper->times_ns, count);
    stats_sort(sorted, count);
    struct bilanx_latency *latency = mem_new(struct bilanx_latency);
    *latency = (struct bilanx_latency){
        .p50 = stats_quantile(sorted, count, 0.5),
        .p90 = stats_quantile(sorted, count, 0.9),
        .p99 = stats_quantile(sorted, count, 0.99),
        .p999 = stats_quantile(sorted, count, 0.999),
        .max = sorted[count - 1],
        .clock_cost = read_cost_ns / 1e9,
        .samples = count,
    };
    out->latency = latency;
    out->raw_count = count < KEPT ? count : KEPT;
    for (size_t i = 0; i < out->raw_count; i++)
        sorted[i] = sorted[count == out->raw_count ? i : (2 * i + 1) * count / (2 * KEPT)];
    out->raw_times = sorted;
}

void measure_result(const struct stepper *stepper, double read_cost_ns, struct bilanx_timing *out)
{
    const struct method *method = stepper->options.method;
    *out = (struct bilanx_timing){.method = mem_text(method->name), .number_per_run = stepper->n};
    if (method == &method_latency) {
        summarize_latency(stepper, read_cost_ns, out);
        return;
    }
    out->raw_times = seconds_of(stepper->times_ns, stepper->count);
    out->raw_count = stepper->count;
    if (method->cpu_per_batch) {
        out->raw_cpu_times = seconds_of(stepper->cpu_ns, stepper->count);
        out->raw_cpu_count = stepper->count;
    }
}
