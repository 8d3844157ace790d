// metric: which value of a record fills a cell, and how it is printed.
#include "metric.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "support/json/json.h"

static struct quantity alone(double value)
{
    return (struct quantity){value, NAN, NAN};
}

static bool timed(const struct bilanx_record *record)
{
    return record->timing.raw_count > 0;
}

static struct quantity of_time(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    const struct bilanx_stats *stats = &record->stats;
    return timed(record) ? (struct quantity){stats->estimate, stats->ci95[0], stats->ci95[1]}
                         : alone(NAN);
}

static struct quantity of_cpu(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(timed(record) ? bilanx_timing_cpu(&record->timing) : NAN);
}

static struct quantity of_median(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(timed(record) ? record->stats.median : NAN);
}

static struct quantity of_mean(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(timed(record) ? record->stats.mean : NAN);
}

static struct quantity of_min(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(timed(record) ? record->stats.min : NAN);
}

static struct quantity of_stddev(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(timed(record) ? record->stats.stddev : NAN);
}

static struct quantity of_instructions(const struct metric *metric,
                                       const struct bilanx_record *record)
{
    (void)metric;
    const struct bilanx_counts *counts = record->counts;
    if (!counts || !(counts->number > 0))
        return alone(NAN);
    struct quantity out = alone(counts->per_iteration);
    for (size_t i = 0; i < counts->repeat_count; i++) {  // exact if the repeats agree
        double each = counts->repeats[i] / (double)counts->number;
        out.low = isnan(out.low) || each < out.low ? each : out.low;
        out.high = isnan(out.high) || each > out.high ? each : out.high;
    }
    return out;
}

static struct quantity per_second(double amount, const struct bilanx_record *record)
{
    const struct bilanx_stats *stats = &record->stats;
    if (!(amount > 0) || !timed(record))
        return alone(NAN);
    return (struct quantity){amount / stats->estimate, amount / stats->ci95[1],
                             amount / stats->ci95[0]};
}

static struct quantity of_bytes(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return per_second(record->rates ? record->rates->bytes : 0, record);
}

static struct quantity of_items(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return per_second(record->rates ? record->rates->items : 0, record);
}

static struct quantity of_allocations(const struct metric *metric,
                                      const struct bilanx_record *record)
{
    (void)metric;
    const struct bilanx_counts *counts = record->counts;
    return alone(counts && counts->allocations ? counts->allocations->count : NAN);
}

static struct quantity of_max_rss(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return alone(record->max_rss > 0 ? record->max_rss : NAN);
}

static struct quantity of_overhead(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    const struct bilanx_overhead *overhead = record->overhead_of;
    return overhead ? (struct quantity){overhead->estimate, overhead->ci95[0], overhead->ci95[1]}
                    : alone(NAN);
}

// In words: the number only says whether there are any.
static struct quantity of_expected(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    const struct bilanx_expected *expected = record->expected;
    if (!expected || !expected->says || !expected->met)
        return alone(NAN);
    return alone(text_equal(expected->met, "yes") ? 1 : 0);
}

static void say_expected(const struct bilanx_record *record, struct text *out)
{
    text_format(out, "%s: %s", record->expected->says, record->expected->met);
}

static struct quantity of_machine(const struct metric *metric, const struct bilanx_record *record)
{
    (void)metric;
    return (struct quantity){record->machine ? 1 : NAN, NAN, NAN};
}

// {"cpu":"..."}, as collate.c keeps it.
static void say_machine(const struct bilanx_record *record, struct text *out)
{
    enum { WIDEST = 24 };
    static const char BEFORE[] = "{\"cpu\":\"";
    AUTO(memory) char *cpu =
        mem_text_n(record->machine + strlen(BEFORE), strlen(record->machine) - strlen(BEFORE) - 2);
    text_add_shortened(out, cpu, WIDEST);
}

static struct quantity of_counter(const struct metric *metric, const struct bilanx_record *record)
{
    AUTO(json) json_t *counters = NULL;
    const char *text = record->counters;
    if (!text || read_json(text, strlen(text), "counters", &counters).status != BILANX_OK)
        return alone(NAN);
    const json_t *counter = json_object_get(counters, metric->name);
    return alone(json_is_number(counter) ? json_number_value(counter) : NAN);
}

static const char *print_bytes_rate(double value, double half_width, char out[UNITS_SIZE])
{
    return units_measured_rate(value, half_width, "B", out);
}

static const char *print_items_rate(double value, double half_width, char out[UNITS_SIZE])
{
    return units_measured_rate(value, half_width, "", out);
}

// A difference has a sign.
static const char *print_difference(double value, double half_width, char out[UNITS_SIZE])
{
    char size[UNITS_SIZE];
    units_measured_time(fabs(value), half_width, size);
    snprintf(out, UNITS_SIZE, "%c%.*s", value < 0 ? '-' : '+', UNITS_SIZE - 2, size);
    return out;
}

static const struct metric metrics[] = {
    {"time", "s", -1, of_time, units_measured_time},
    {"cpu", "s", -1, of_cpu, units_measured_time},
    {"instructions", "", -1, of_instructions, units_measured, .counted = true},
    {"bytes-per-second", "B/s", 1, of_bytes, print_bytes_rate},
    {"items-per-second", "1/s", 1, of_items, print_items_rate},
    {"median", "s", -1, of_median, units_measured_time},
    {"mean", "s", -1, of_mean, units_measured_time},
    {"min", "s", -1, of_min, units_measured_time},
    {"stddev", "s", -1, of_stddev, units_measured_time},
    {"allocations", "", -1, of_allocations, units_measured, .counted = true},
    {"max-rss", "B", -1, of_max_rss, units_measured_size},
    {"overhead", "s", -1, of_overhead, print_difference},
    {"expected", "", 1, of_expected, units_measured, say_expected},
    {"machine", "", 0, of_machine, units_measured, say_machine},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

struct metric metric_find(const char *name)
{
    for (size_t i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return metrics[i];
    return (struct metric){name, "", 0, of_counter, units_measured};
}

bool metric_is_known(const char *name)
{
    return metric_find(name).of != of_counter;
}

static void add_once(struct list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    list_add(names, name);
}

void metric_names(const struct bilanx_record *record, struct list *out)
{
    for (size_t i = 0; i < METRICS; i++)
        if (!isnan(metrics[i].of(&metrics[i], record).value))
            add_once(out, metrics[i].name);
    AUTO(json) json_t *counters = NULL;
    const char *text = record->counters;
    if (!text || read_json(text, strlen(text), "counters", &counters).status != BILANX_OK)
        return;
    const char *key;
    json_t *value;
    json_object_foreach(counters, key, value) add_once(out, key);
}

// A note that the core was shared at other times says nothing against a value.
bool metric_doubts(const struct metric *metric, const char *code)
{
    static const char *const about_times[] = {
        "below-resolution", "busy-machine",   "clock-too-coarse", "core-relearned",
        "core-shared",      "core-unknown",   "disturbed",        "cpu-frequency-scaling",
        "high-iqr",         "layout-groups",  "no-overhead",      "outliers",
        "paused",           "process-groups", "rare-epochs",      "slow-first-run",
        "unreliable-iqr",   "wide-interval"};
    if (!code || strcmp(code, "neighbour") == 0)
        return false;
    for (size_t i = 0; metric->counted && i < sizeof about_times / sizeof *about_times; i++)
        if (strcmp(code, about_times[i]) == 0)
            return false;
    return true;
}
