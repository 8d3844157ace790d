// rigorous: combines epochs into a measurement.
#include "rigorous.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/stats.h"

static const double WARMUP_NS = 4e6;
static const double WAIT_NS = 50e6;        // most that an epoch waits for the core
static const double PACE_EVERY_NS = 30e3;  // less than a batch: a reading takes 2 to 4 us
static const double SLOW_CALL_NS = 5e6;    // from here on, an epoch is three calls
static const double CRAWL_CALL_NS = 3e8;   // from here on, an epoch is one call
static const double DEFAULT_MAX_NS = 1e9;
static const double DEFAULT_PRECISION = 0.005;
enum { MIN_EPOCHS = 5 };

// Batches with the core to themselves repeat within .1 %. What varies are the draws, so many short
// epochs say more than a few long ones, unless starting a process takes longer than measuring in
// it. Some code has two speeds, by layout or address: five draws may all be of one kind by chance,
// one time in ten; two dozen hardly ever.
static const struct regime {
    double setup_ns;  // from here on
    double epoch_ns;
    unsigned usual, most;  // epochs
} regimes[] = {{0, 5e6, 24, 96}, {20e6, 25e6, 12, 40}};

static const struct regime *regime_of(double setup_ns)
{
    return &regimes[setup_ns >= regimes[1].setup_ns];
}

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
    const struct regime *regime = regime_of(setup_ns);
    double wanted = told ? budget_ns / regime->epoch_ns : regime->most;
    double few = FEW * budget_ns / setup_ns, many = MANY * budget_ns / setup_ns;
    double epochs = few < MIN_EPOCHS ? few : many > MIN_EPOCHS ? many : MIN_EPOCHS;
    if (epochs >= wanted)
        return 0;
    return epochs > 2 ? (unsigned)epochs : 2;
}

// If there are few epochs, each gets its share of the budget.
static double epoch_ns_of(const struct rigorous_options *options)
{
    double epoch_ns = regime_of(options->setup_ns)->epoch_ns;
    double least_ns = options->max_run_ns > 0 ? options->max_run_ns / MIN_EPOCHS : epoch_ns;
    double usual_ns = least_ns < epoch_ns ? least_ns : epoch_ns;
    double share_ns = options->epochs ? wait_of(options) / options->epochs : 0;
    return share_ns > usual_ns ? share_ns : usual_ns;
}

void rigorous_plan_epoch(const struct rigorous_options *options, uint64_t number, double batch_ns,
                         struct stepper_options *out)
{
    bool slow = number == 1 && batch_ns > SLOW_CALL_NS;
    uint64_t calls = batch_ns > CRAWL_CALL_NS ? 1 : 3;
    double epoch_ns = epoch_ns_of(options), usual_ns = regime_of(options->setup_ns)->epoch_ns;
    double times = epoch_ns > usual_ns ? epoch_ns / usual_ns : 1;
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
        .pace_every_ns = PACE_EVERY_NS,
        .longest_ns = slow || epoch_ns < usual_ns ? 0 : epoch_ns + WAIT_NS,
    };
}

static void append(double **values, size_t *count, double value)
{
    *values = mem_resized(*values, (*count + 1) * sizeof **values);
    (*values)[(*count)++] = value;
}

void rigorous_add(struct bilanx_timing *timing, const struct epoch_report *report,
                  const struct epoch_part *part)
{
    double number = (double)report->number;
    timing->epochs =
        mem_resized(timing->epochs, (timing->epoch_count + 1) * sizeof *timing->epochs);
    timing->epochs[timing->epoch_count++] = part->epoch;
    append(&timing->raw_times, &timing->raw_count, part->epoch.time * number);
    append(&timing->raw_cpu_times, &timing->raw_cpu_count, part->cpu_ns / 1e9);
    timing->number_per_run = report->number;
    timing->overhead = report->empty_loop_ns / 1e9;
    timing->reference = part->epoch.reference;
    if (!timing->method)
        timing->method = mem_text("rigorous");
}

bool rigorous_is_spent(const struct rigorous_options *options, double spent_ns)
{
    return spent_ns >= wait_of(options);
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
    static const double ALMOST = 0.95;
    const struct regime *regime = regime_of(options->setup_ns);
    double max_ns = budget_of(options), epochs = (double)timing->epoch_count;
    bool told = options->max_run_ns > 0 || options->min_run_ns > 0;
    if (options->epochs && timing->epoch_count >= options->epochs)
        return 1;
    if (timing->epoch_count < MIN_EPOCHS)
        return timing->epoch_count >= 2 && spent_ns > 10 * max_ns ? 1 : epochs / regime->usual / 2;
    if (timing->epoch_count >= MOST_EPOCHS)
        return 1;
    if (spent_ns < options->min_run_ns)
        return ALMOST * spent_ns / options->min_run_ns;
    double used = told ? 0 : epochs / regime->most;
    used = spent_ns / max_ns > used ? spent_ns / max_ns : used;
    if (used >= 1)
        return 1;
    if (timing->epoch_count < regime->usual && spent_ns < max_ns / 2)
        return used;
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(timing, &stats);
    double precision = options->precision > 0 ? options->precision : DEFAULT_PRECISION;
    // Stopping as soon as the interval is narrow favours epochs that happen to agree, so a 95 %
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
