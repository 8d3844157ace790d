// show_csv: prints records for programs: plain numbers, one per column, times in seconds.
#include <math.h>

#include "show.h"

static bool timed(const struct bilanx_record *record)
{
    return record->timing.raw_count > 0;
}

// A figure from the timing.
#define TIMED(name, value)                                       \
    static double get_##name(const struct bilanx_record *record) \
    {                                                            \
        return timed(record) ? (value) : NAN;                    \
    }
TIMED(time, record->stats.estimate)
TIMED(low, record->stats.ci95[0])
TIMED(high, record->stats.ci95[1])
TIMED(marginal, record->stats.marginal)
TIMED(cpu, bilanx_timing_cpu(&record->timing))
TIMED(median, record->stats.median)
TIMED(min, record->stats.min)
TIMED(stddev, record->stats.stddev)
TIMED(within, record->stats.within)
TIMED(between, record->stats.between)
TIMED(layout, record->stats.layout)
TIMED(epochs, (double)record->timing.epoch_count)

// A figure from a part that a record may lack.
#define PART(name, part, value)                                  \
    static double get_##name(const struct bilanx_record *record) \
    {                                                            \
        return (part) ? (value) : NAN;                           \
    }
PART(p50, record->timing.latency, record->timing.latency->p50)
PART(p90, record->timing.latency, record->timing.latency->p90)
PART(p99, record->timing.latency, record->timing.latency->p99)
PART(p999, record->timing.latency, record->timing.latency->p999)
PART(max, record->timing.latency, record->timing.latency->max)
PART(bytes_rate, record->rates && record->rates->bytes > 0,
     record->rates->bytes / record->stats.estimate)
PART(items_rate, record->rates && record->rates->items > 0,
     record->rates->items / record->stats.estimate)
PART(core_free, record->neighbour, record->neighbour->free)
PART(other_core, record->neighbour, record->neighbour->time)
PART(instructions, record->counts && record->counts->repeat_count, record->counts->per_iteration)
PART(allocations, record->counts && record->counts->allocations, record->counts->allocations->count)
PART(allocated, record->counts && record->counts->allocations, record->counts->allocations->bytes)
PART(peak, record->counts && record->counts->allocations, record->counts->allocations->peak)

static const struct {
    const char *title;
    double (*get)(const struct bilanx_record *record);
} columns[] = {
    {"time_s", get_time},
    {"time_low_s", get_low},
    {"time_high_s", get_high},
    {"marginal_s", get_marginal},
    {"cpu_s", get_cpu},
    {"median_s", get_median},
    {"min_s", get_min},
    {"stddev_s", get_stddev},
    {"p50_s", get_p50},
    {"p90_s", get_p90},
    {"p99_s", get_p99},
    {"p99.9_s", get_p999},
    {"max_s", get_max},
    {"bytes_per_s", get_bytes_rate},
    {"items_per_s", get_items_rate},
    {"instructions", get_instructions},
    {"allocations", get_allocations},
    {"allocated_bytes", get_allocated},
    {"peak_bytes", get_peak},
    {"within", get_within},
    {"between", get_between},
    {"layout", get_layout},
    {"epochs", get_epochs},
    {"core_free", get_core_free},
    {"other_core_s", get_other_core},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_warnings(const struct bilanx_record *record, struct table *table)
{
    AUTO(text) struct text codes = {0};
    for (size_t i = 0; i < record->warning_count; i++)
        text_format(&codes, "%s%s", i ? " " : "", record->warnings[i].code);
    table_cell(table, TABLE_PLAIN, "%s", text_get(&codes));
}

static void add_row(const struct run_case *measured, const struct bilanx_record *record,
                    struct table *table)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", measured->name);
    table_cell(table, TABLE_PLAIN, "%s", record->task.env ? record->task.env : "");
    for (size_t i = 0; i < COLUMNS; i++)
        table_number(table, record->error ? NAN : columns[i].get(record));
    table_cell(table, TABLE_PLAIN, "%s", record->core ? record->core : "");
    table_cell(table, TABLE_PLAIN, "%s", record->counters ? record->counters : "");
    add_warnings(record, table);
    table_cell(table, TABLE_PLAIN, "%s", record->error ? record->error->code : "");
}

void show_csv(const struct shown *shown, bool safe, struct text *out)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "benchmark", TABLE_LEFT);
    table_column(&table, "env", TABLE_LEFT);
    for (size_t i = 0; i < COLUMNS; i++)
        table_column(&table, columns[i].title, TABLE_LEFT);
    table_column(&table, "core", TABLE_LEFT);
    table_column(&table, "counters", TABLE_LEFT);
    table_column(&table, "warnings", TABLE_LEFT);
    table_column(&table, "failure", TABLE_LEFT);
    table_show_all(&table);
    for (size_t i = 0; i < shown->count; i++)
        add_row(shown->cases[i], &shown->records[i], &table);
    table_print(&table, (struct table_look){BILANX_CSV, .csv_safe = safe}, out);
}
