// rigorous: combines epochs into a measurement.
#include "rigorous.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/stats.h"

static const double EPOCH_NS = 25e6;
static const double WARMUP_NS = 4e6;
static const double PACE_EVERY_NS = 1e6;  // changes last for milliseconds; a reading costs 9 us
static const double SLOW_CALL_NS = 5e6;   // from here on, an epoch is three calls
static const double CRAWL_CALL_NS = 3e8;  // from here on, an epoch is one call
static const double DEFAULT_MAX_NS = 1e9;
static const double DEFAULT_PRECISION = 0.005;
enum { MIN_EPOCHS = 5, MAX_EPOCHS = 40 };
// A body that takes no time would fill an epoch with a million batches.
enum { MOST_BATCHES = 2500, MOST_EPOCHS = 2000 };

static double budget_of(const struct rigorous_options *options)
{
    return options->max_run_ns > 0 ? options->max_run_ns : DEFAULT_MAX_NS;
}

// Returns how long the user is prepared to wait.
static double wait_of(const struct rigorous_options *options)
{
    double budget_ns = budget_of(options);
    return options->min_run_ns > budget_ns ? options->min_run_ns : budget_ns;
}

// All setups together may take up to four times the budget. For the five that an interval needs,
// they may take up to forty times.
unsigned rigorous_patience(const struct rigorous_options *options, double setup_ns)
{
    static const double MANY = 4, FEW = 40;
    double budget_ns = wait_of(options);
    bool told = options->max_run_ns > 0 || options->min_run_ns > 0;
    double wanted = told ? budget_ns / EPOCH_NS : MAX_EPOCHS;
    double few = FEW * budget_ns / setup_ns, many = MANY * budget_ns / setup_ns;
    double epochs = few < MIN_EPOCHS ? few : many > MIN_EPOCHS ? many : MIN_EPOCHS;
    if (epochs >= wanted)
        return 0;
    return epochs > 2 ? (unsigned)epochs : 2;
}

// If there are few epochs, each gets its share of the budget.
static double epoch_ns_of(const struct rigorous_options *options)
{
    double least_ns = options->max_run_ns > 0 ? options->max_run_ns / MIN_EPOCHS : EPOCH_NS;
    double usual_ns = least_ns < EPOCH_NS ? least_ns : EPOCH_NS;
    double share_ns = options->epochs ? wait_of(options) / options->epochs : 0;
    return share_ns > usual_ns ? share_ns : usual_ns;
}

void rigorous_plan_epoch(const struct rigorous_options *options, uint64_t number, double batch_ns,
                         struct stepper_options *out)
{
    bool slow = number == 1 && batch_ns > SLOW_CALL_NS;
    uint64_t calls = batch_ns > CRAWL_CALL_NS ? 1 : 3;
    double epoch_ns = epoch_ns_of(options);
    double times = epoch_ns > EPOCH_NS ? epoch_ns / EPOCH_NS : 1;
    *out = (struct stepper_options){
        .method = &method_epoch,
        .number = number,
        .warmup_ns = options->warmup_ns > 0 ? options->warmup_ns
                     : slow                 ? 0
                                            : WARMUP_NS,
        .max_ns = epoch_ns,
        .min_blocks = calls,
        .max_blocks = slow ? (times > 1 ? calls + (uint64_t)(epoch_ns / batch_ns) : calls)
                           : (uint64_t)(times * MOST_BATCHES),
        .pace_every_ns = slow ? 0 : PACE_EVERY_NS,
        .longest_ns = epoch_ns < EPOCH_NS ? 0 : epoch_ns + EPOCH_NS,
    };
}

static void append(double **values, size_t *count, double value)
{
    *values = mem_resized(*values, (*count + 1) * sizeof **values);
    (*values)[(*count)++] = value;
}

void rigorous_add(struct bilanx_timing *timing, const struct epoch_report *report)
{
    double number = (double)report->number;
    timing->epochs =
        mem_resized(timing->epochs, (timing->epoch_count + 1) * sizeof *timing->epochs);
    timing->epochs[timing->epoch_count++] = report->epoch;
    append(&timing->raw_times, &timing->raw_count, report->epoch.time * number);
    append(&timing->raw_cpu_times, &timing->raw_cpu_count, report->cpu_ns / 1e9);
    timing->number_per_run = report->number;
    timing->overhead = report->empty_loop_ns / 1e9;
    timing->reference = report->epoch.reference;
    if (!timing->method)
        timing->method = mem_text("rigorous");
}

void rigorous_drop(struct bilanx_timing *timing, size_t index)
{
    size_t after = --timing->epoch_count - index;
    memmove(timing->epochs + index, timing->epochs + index + 1, after * sizeof *timing->epochs);
    for (size_t i = index; i < index + after; i++) {
        timing->raw_times[i] = timing->raw_times[i + 1];
        timing->raw_cpu_times[i] = timing->raw_cpu_times[i + 1];
    }
    timing->raw_count--;
    timing->raw_cpu_count--;
}

bool rigorous_has_room(const struct rigorous_options *options, const struct bilanx_timing *timing,
                       double spent_ns, double epoch_ns)
{
    double missing = (double)MIN_EPOCHS - (double)timing->epoch_count;
    return spent_ns + (missing > 1 ? missing : 1) * epoch_ns <= budget_of(options);
}

double rigorous_share(const struct rigorous_options *options, const struct bilanx_timing *timing,
                      double spent_ns)
{
    static const double ALMOST = 0.95, USUAL_EPOCHS = 2 * MIN_EPOCHS;
    double max_ns = budget_of(options), epochs = (double)timing->epoch_count;
    bool told = options->max_run_ns > 0 || options->min_run_ns > 0;
    if (options->epochs && timing->epoch_count >= options->epochs)
        return 1;
    if (timing->epoch_count < MIN_EPOCHS)
        return timing->epoch_count >= 2 && spent_ns > 10 * max_ns ? 1 : epochs / USUAL_EPOCHS;
    if (timing->epoch_count >= MOST_EPOCHS)
        return 1;
    if (spent_ns < options->min_run_ns)
        return ALMOST * spent_ns / options->min_run_ns;
    double used = told ? 0 : epochs / MAX_EPOCHS;
    used = spent_ns / max_ns > used ? spent_ns / max_ns : used;
    if (used >= 1)
        return 1;
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(timing, &stats);
    double precision = options->precision > 0 ? options->precision : DEFAULT_PRECISION;
    // Stopping as soon as the interval is narrow favors epochs that happen to agree, so a 95 %
    // interval would not hold 95 % of the time. Therefore the 99 % interval must be narrow.
    double df = epochs - 1;
    double wider = stats_student(0.995, df) / stats_student(0.975, df);
    double width = wider * (stats.ci95[1] - stats.ci95[0]), narrow = 2 * precision * stats.estimate;
    if (width <= narrow)
        return 1;
    // Half the width takes four times as many epochs.
    double reached = ALMOST * narrow * narrow / (width * width);
    return reached > used ? reached : used;
}
