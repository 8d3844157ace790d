// conclude: turns the runs of a command into its record.
#include "conclude.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "core/record/facts.h"
#include "core/stats/units.h"
#include "core/timer/core_floor.h"
#include "ratio.h"

double conclude_precision(const struct commands_run *runs, size_t count)
{
    double *times = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        times[i] = runs[i].wall;
    stats_sort(times, count);
    struct interval interval;
    double share = INFINITY;
    if (stats_median_interval(times, count, 0.95, &interval))
        share = (interval.high - interval.low) / 2 / stats_quantile(times, count, 0.5);
    free(times);
    return share;
}

static double median_of(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

struct outliers conclude_outliers(const double *times, size_t count)
{
    enum { FEWEST = 5, FEWEST_FOR_OUTLIERS = 10 };
    // Ten standard deviations, estimated from the median deviation, and at least 5 %: never reached
    // by runs of a steady command, and large enough to report.
    static const double FAR = 10 * 1.4826, LEAST = 0.05;
    struct outliers found = {0};
    if (count < FEWEST)
        return found;
    double *values = mem_array(double, count - 1);
    memcpy(values, times + 1, (count - 1) * sizeof *values);
    found.median = median_of(values, count - 1);
    for (size_t i = 0; i < count - 1; i++)
        values[i] = fabs(times[i + 1] - found.median);
    double limit = FAR * median_of(values, count - 1);
    limit = limit < LEAST * found.median ? LEAST * found.median : limit;
    free(values);
    found.slow_first = times[0] > found.median + limit;
    for (size_t i = found.slow_first; count >= FEWEST_FOR_OUTLIERS && i < count; i++) {
        if (fabs(times[i] - found.median) <= limit)
            continue;
        found.count++;
        found.slowest = times[i] > found.slowest ? times[i] : found.slowest;
    }
    return found;
}

static void judge_runs(struct bilanx_record *record, bool warmed_up)
{
    const struct bilanx_timing *timing = &record->timing;
    struct outliers found = conclude_outliers(timing->raw_times, timing->raw_count);
    char first[UNITS_SIZE], rest[UNITS_SIZE];
    if (found.slow_first)
        record_warn(
            record, "slow-first-run",
            "the first run took %s, the others %s: perhaps caches were cold. %s, or use --prepare "
            "to measure every run cold",
            units_time(timing->raw_times[0], NAN, first), units_time(found.median, NAN, rest),
            warmed_up ? "Use more --warmup runs" : "Use --warmup 3");
    if (found.count * 100 > timing->raw_count)
        record_warn(record, "outliers",
                    "%zu of %zu runs %s far from the others (slowest: %s): something interfered, "
                    "or the work varies. See 'bilanx doctor'; consider --warmup or --prepare",
                    found.count, timing->raw_count, found.count == 1 ? "is" : "are",
                    units_time(found.slowest, NAN, first));
}

static void copy_runs(const struct commands_item *item, struct bilanx_timing *timing)
{
    size_t count = item->run_count;
    timing->method = mem_text("runs");
    timing->number_per_run = 1;
    timing->raw_times = mem_array(double, count);
    timing->raw_cpu_times = mem_array(double, count);
    timing->raw_count = timing->raw_cpu_count = count;
    for (size_t i = 0; i < count; i++) {
        timing->raw_times[i] = item->runs[i].wall;
        timing->raw_cpu_times[i] = item->runs[i].user + item->runs[i].system;
    }
}

// Medians of user and system time, and the number of runs per nonzero exit status.
static char *count_up(const struct commands_item *item)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    double *user = mem_array(double, item->run_count);
    double *system = mem_array(double, item->run_count);
    for (size_t i = 0; i < item->run_count; i++) {
        user[i] = item->runs[i].user;
        system[i] = item->runs[i].system;
    }
    writer_open(&json, '{');
    writer_key_number(&json, "user_time", median_of(user, item->run_count));
    writer_key_number(&json, "system_time", median_of(system, item->run_count));
    for (size_t i = 0; i < item->exit_count; i++) {
        int status = item->exits[i].status;
        char key[32];
        if (WIFSIGNALED(status))
            snprintf(key, sizeof key, "signal_%d", WTERMSIG(status));
        else
            snprintf(key, sizeof key, "exit_%d", WEXITSTATUS(status));
        writer_key_count(&json, key, item->exits[i].count);
    }
    writer_close(&json, '}');
    free(user);
    free(system);
    return text_take(&out);
}

static void add_ratio(const struct commands *commands, struct commands_item *item)
{
    const struct commands_item *reference = commands_reference(commands, item);
    if (!reference || reference->run_count == 0 || text_equal(reference->record.kind, "failure"))
        return;
    struct ratio ratio =
        ratio_of_runs(reference->runs, reference->run_count, item->runs, item->run_count);
    if (ratio.pairs == 0)
        return;
    struct bilanx_ratio *out = item->record.ratio = mem_new(struct bilanx_ratio);
    out->to = mem_text(reference->measured.name);
    out->estimate = ratio.estimate;
    out->ci95[0] = ratio.ci95.low;
    out->ci95[1] = ratio.ci95.high;
    out->pairs = ratio.pairs;
}

// The readings before and after all runs, as a sample of the time.
static void set_core(struct commands_item *item)
{
    struct core_floor floor;
    core_floor_load(&floor);
    double lowest = pace_lowest(item->readings, item->reading_count);
    struct pace_summary core = pace_summarize(item->readings, item->reading_count,
                                              pace_lower_floor(core_floor_get(&floor), lowest));
    if (!core.readings)
        return;
    record_set_core(&item->record,
                    core_words[core.free >= CORE_MOSTLY_FREE ? CORE_FREE : CORE_SHARED],
                    &(struct bilanx_neighbour){
                        .free = core.free, .time = NAN, .change = NAN, .interval = {NAN, NAN}});
}

void conclude_item(const struct commands *commands, struct commands_item *item,
                   const struct commands_options *options, const struct warning_facts *facts)
{
    struct bilanx_record *record = &item->record;
    record_copy_task(&item->measured.task, &record->task);
    record->machine = machine_facts("monotonic-raw");
    record->elapsed = item->spent;
    record->max_rss = item->max_rss;
    record->attempts = 1;
    if (record->error)
        return;
    record->kind = mem_text("measurement");
    copy_runs(item, &record->timing);
    record->counters = count_up(item);
    record_summarize(record);
    set_core(item);
    record_judge(record, facts);
    judge_runs(record, options->warmup > 0);
    add_ratio(commands, item);
}
