// report: results of commands, formatted for people.
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/show/show_comparison.h"
#include "core/stats/elementary.h"
#include "core/stats/units.h"
#include "ratio.h"

static bool was_measured(const struct commands_item *item)
{
    return item->record.kind && !item->record.error;
}

static double half_width(const struct commands_item *item)
{
    const struct bilanx_stats *stats = &item->record.stats;
    return (stats->ci95[1] - stats->ci95[0]) / 2;
}

// A table column; an empty result leaves the cell blank, and may drop the column.
struct column {
    const char *title;
    enum table_align align;
    enum table_tone tone;
    void (*fill)(const struct commands *commands, const struct commands_item *item,
                 char out[UNITS_SIZE]);
    unsigned rank;  // as in table_rank()
};
#define FILL(name)                                                                             \
    static void fill_##name(const struct commands *commands, const struct commands_item *item, \
                            char out[UNITS_SIZE])

FILL(time)
{
    (void)commands;
    units_time(item->record.stats.estimate, half_width(item), out);
}

FILL(interval)
{
    (void)commands;
    if (half_width(item) >= 0)
        units_percent(half_width(item) / item->record.stats.estimate, out);
}

FILL(mean)
{
    (void)commands;
    units_time(item->record.stats.mean, NAN, out);
}

FILL(deviation)
{
    (void)commands;
    if (item->run_count > 1)
        units_time(item->record.stats.stddev, item->record.stats.stddev / 10, out);
}

FILL(least)
{
    (void)commands;
    units_time(item->record.stats.min, NAN, out);
}

static double longest(const struct commands_item *item)
{
    double most = 0;
    for (size_t i = 0; i < item->run_count; i++)
        most = item->runs[i].wall > most ? item->runs[i].wall : most;
    return most;
}

FILL(most)
{
    (void)commands;
    units_time(longest(item), NAN, out);
}

static double median_of(const struct commands_item *item, size_t offset)
{
    double *values = mem_array(double, item->run_count);
    for (size_t i = 0; i < item->run_count; i++)
        values[i] = *(const double *)((const char *)&item->runs[i] + offset);
    stats_sort(values, item->run_count);
    double median = stats_quantile(values, item->run_count, 0.5);
    free(values);
    return median;
}

// The kernel reports user and system time in microseconds.
static void fill_cpu(double seconds, char out[UNITS_SIZE])
{
    units_time(seconds, seconds > 1e-6 ? 1e-6 : NAN, out);
}

FILL(user)
{
    (void)commands;
    fill_cpu(median_of(item, offsetof(struct commands_run, user)), out);
}

FILL(system)
{
    (void)commands;
    fill_cpu(median_of(item, offsetof(struct commands_run, system)), out);
}

FILL(memory)
{
    if (item->max_rss > 0)
        snprintf(out, UNITS_SIZE, "%.1f MB", item->max_rss / 1e6);
    else
        snprintf(out, UNITS_SIZE, "<%.1f MB", commands->least_max_rss / 1e6);
}

FILL(runs)
{
    (void)commands;
    snprintf(out, UNITS_SIZE, "%zu", item->run_count);
}

// Number of decimals that show two digits of the interval's half width.
static int decimals_for(const struct ratio *ratio)
{
    double half = (ratio->ci95.high - ratio->ci95.low) / 2;
    if (!(half > 0))
        return 3;
    int decimals = 1 - floor_log10(half);
    return decimals < 1 ? 1 : decimals > 5 ? 5 : decimals;
}

static bool find_ratio(const struct commands *commands, const struct commands_item *item,
                       struct ratio *out)
{
    const struct commands_item *other = commands_reference(commands, item);
    if (!other || !was_measured(other) || !was_measured(item))
        return false;
    *out = ratio_of_runs(other->runs, other->run_count, item->runs, item->run_count);
    return true;
}

FILL(ratio)
{
    struct ratio ratio;
    if (!find_ratio(commands, item, &ratio))
        return;
    int decimals = decimals_for(&ratio);
    if (isnan(ratio.ci95.low))
        snprintf(out, UNITS_SIZE, "%.*f", decimals, ratio.estimate);
    else
        snprintf(out, UNITS_SIZE, "%.*f (%.*f to %.*f)", decimals, ratio.estimate, decimals,
                 ratio.ci95.low, decimals, ratio.ci95.high);
}

static const struct column columns[] = {
    {"time", TABLE_RIGHT, TABLE_BOLD, fill_time},
    {"\u00b1", TABLE_RIGHT, TABLE_PLAIN, fill_interval},
    {"mean", TABLE_RIGHT, TABLE_PLAIN, fill_mean, 7},
    {"\u03c3", TABLE_RIGHT, TABLE_PLAIN, fill_deviation, 6},
    {"min", TABLE_RIGHT, TABLE_PLAIN, fill_least, 5},
    {"max", TABLE_RIGHT, TABLE_PLAIN, fill_most, 5},
    {"user", TABLE_RIGHT, TABLE_PLAIN, fill_user, 3},
    {"system", TABLE_RIGHT, TABLE_PLAIN, fill_system, 3},
    {"memory", TABLE_RIGHT, TABLE_PLAIN, fill_memory, 4},
    {"runs", TABLE_RIGHT, TABLE_DIM, fill_runs, 8},
    {"ratio", TABLE_RIGHT, TABLE_PLAIN, fill_ratio,
     1},  // for people, a line below the table instead
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_row(struct table *table, const struct commands *commands,
                    const struct commands_item *item, size_t column_count)
{
    const struct bilanx_record *record = &item->record;
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", item->measured.name);
    if (record->error) {
        table_cell(table, TABLE_BAD, "%s", record_failure_word(record->error));
        table_row(table);
        return;
    }
    for (size_t i = 0; i < column_count; i++) {
        char text[UNITS_SIZE] = "";
        columns[i].fill(commands, item, text);
        table_cell(table, columns[i].tone, "%s", text);
    }
    AUTO(text) struct text codes = {0};
    for (size_t i = 0; i < record->warning_count; i++)
        text_format(&codes, "%s%s", i ? ", " : "", record->warnings[i].code);
    table_cell(table, TABLE_WARN, "%s", text_get(&codes));
}

static void add_csv_row(const struct commands *commands, const struct commands_item *item,
                        struct table *table)
{
    const struct bilanx_record *record = &item->record;
    const struct bilanx_stats *stats = &record->stats;
    struct ratio ratio = {NAN, {NAN, NAN}, 0};
    bool measured = was_measured(item);
    if (measured)
        find_ratio(commands, item, &ratio);
    const double figures[] = {
        stats->estimate,
        stats->ci95[0],
        stats->ci95[1],
        stats->mean,
        item->run_count > 1 ? stats->stddev : NAN,
        stats->median,
        measured ? median_of(item, offsetof(struct commands_run, user)) : NAN,
        measured ? median_of(item, offsetof(struct commands_run, system)) : NAN,
        stats->min,
        measured ? longest(item) : NAN,
        item->max_rss > 0 ? item->max_rss : NAN,
        (double)item->run_count,
        ratio.estimate,
        ratio.ci95.low,
        ratio.ci95.high,
    };
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", item->measured.name);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        table_number(table, measured ? figures[i] : NAN);
    AUTO(text) struct text codes = {0};
    for (size_t i = 0; i < record->warning_count; i++)
        text_format(&codes, "%s%s", i ? " " : "", record->warnings[i].code);
    table_cell(table, TABLE_PLAIN, "%s", text_get(&codes));
    table_cell(table, TABLE_PLAIN, "%s", record->error ? record->error->code : "");
}

void report_csv(const struct commands *commands, bool safe, struct text *out)
{
    static const char *const titles[] = {
        "command",  "time_s", "time_low_s", "time_high_s", "mean_s",   "stddev_s",
        "median_s", "user_s", "system_s",   "min_s",       "max_s",    "max_rss_bytes",
        "runs",     "ratio",  "ratio_low",  "ratio_high",  "warnings", "failure"};
    AUTO(table) struct table table = {0};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, titles[i], TABLE_LEFT);
    table_show_all(&table);
    for (size_t i = 0; i < commands->count; i++)
        if (commands->items[i].record.kind)
            add_csv_row(commands, &commands->items[i], &table);
    table_print(&table, (struct table_look){BILANX_CSV, .csv_safe = safe}, out);
}

void report_table(const struct commands *commands, struct table_look look, struct text *out)
{
    AUTO(table) struct table table = {0};
    size_t column_count = COLUMNS - (look.format == BILANX_TABLE);
    table_column(&table, "command", TABLE_LEFT);
    for (size_t i = 0; i < column_count; i++) {
        table_column(&table, columns[i].title, columns[i].align);
        table_rank(&table, columns[i].rank);
    }
    table_column(&table, "note", TABLE_LIST);
    table_rank(&table, 2);
    for (size_t i = 0; i < commands->count; i++)
        if (commands->items[i].record.kind)
            add_row(&table, commands, &commands->items[i], column_count);
    table_row(&table);
    table_print(&table, look, out);
}

static void add_ratio(const struct commands *commands, const struct commands_item *item,
                      const struct ratio *ratio, struct text *out)
{
    const char *unknown = ratio->pairs ? "too few runs for an interval"
                                       : "from medians; not run side by side, so no interval";
    comparison_add(item->measured.name, commands_reference(commands, item)->measured.name,
                   ratio->estimate, ratio->ci95, unknown, out);
}

void report_ratios(const struct commands *commands, struct text *out)
{
    for (size_t i = 0; i < commands->count; i++) {
        struct ratio ratio;
        if (find_ratio(commands, &commands->items[i], &ratio))
            add_ratio(commands, &commands->items[i], &ratio, out);
    }
}

void report_notes(const struct commands *commands, bool only_failures, bool color, struct text *out)
{
    struct shown shown = {.cases = mem_array(const struct run_case *, commands->count),
                          .records = mem_array(struct bilanx_record, commands->count)};
    for (size_t i = 0; i < commands->count; i++) {
        if (!commands->items[i].record.kind)
            continue;
        shown.cases[shown.count] = &commands->items[i].measured;
        shown.records[shown.count++] = commands->items[i].record;  // still owned by the item
    }
    (only_failures ? show_failures : show_notes)(&shown, color, out);
    free(shown.cases);
    free(shown.records);
}
