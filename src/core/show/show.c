// show: prints records as a table for the user.
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/warnings.h"
#include "core/stats/units.h"

void shown_add(struct shown *shown, const struct run_case *measured, struct bilanx_record *record)
{
    mem_grow(shown->cases, shown->count, &shown->cases_room);
    mem_grow(shown->records, shown->count, &shown->records_room);
    shown->cases[shown->count] = measured;
    shown->records[shown->count++] = *record;
}

struct place {
    const struct run_case *measured;
    size_t index;
};

static int by_definition(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int order = (left->measured > right->measured) - (left->measured < right->measured);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

void shown_sort(struct shown *shown)
{
    AUTO(memory) struct place *places = mem_array(struct place, shown->count);
    struct bilanx_record *sorted = mem_array(struct bilanx_record, shown->count);
    for (size_t i = 0; i < shown->count; i++)
        places[i] = (struct place){shown->cases[i], i};
    if (shown->count)
        qsort(places, shown->count, sizeof *places, by_definition);
    for (size_t i = 0; i < shown->count; i++) {
        shown->cases[i] = places[i].measured;
        sorted[i] = shown->records[places[i].index];
    }
    free(shown->records);
    shown->records = sorted;
    shown->records_room = shown->count;
}

void shown_done(struct shown *shown)
{
    for (size_t i = 0; i < shown->count; i++)
        bilanx_record_done(&shown->records[i]);
    free(shown->cases);
    free(shown->records);
    *shown = (struct shown){0};
}

static double half_width(const struct bilanx_record *record)
{
    return (record->stats.ci95[1] - record->stats.ci95[0]) / 2;
}

static bool timed(const struct bilanx_record *record)
{
    return record->timing.raw_count > 0;
}

static bool failed(const struct bilanx_record *record)
{
    return record->error != NULL;
}

static void fill_instructions(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->counts && record->counts->repeat_count)
        snprintf(out, UNITS_SIZE, "%.10g", record->counts->per_iteration);
}

static const char *const groups_words[] = {
    [GROUPS_BY_LAYOUT] = "by layout", [GROUPS_BY_PROCESS] = "by process"};

// Writes "3.1 or 5.2 us", and returns what decides; NULL if there is only one time.
static const char *fill_groups(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    struct time_groups groups = record_groups(record);
    char fast[UNITS_SIZE], slow[UNITS_SIZE];
    if (groups.by == GROUPS_NONE)
        return NULL;
    for (size_t i = 0; i < 2; i++)
        units_time_in(units_named(record->unit, groups.times[i]), groups.times[i],
                      groups.times[i] / 100, i ? slow : fast);
    const char *unit = strchr(fast, ' '), *other = strchr(slow, ' ');
    if (unit && other && strcmp(unit, other) == 0)
        fast[unit - fast] = '\0';
    snprintf(out, UNITS_SIZE, "%.12s or %.12s", fast, slow);
    return groups_words[groups.by];
}

void show_result(const struct bilanx_record *record, struct text *out)
{
    char time[UNITS_SIZE], share[UNITS_SIZE];
    if (failed(record)) {
        text_add(out, record_failure_word(record->error));
        return;
    }
    if (!timed(record)) {
        char instructions[UNITS_SIZE] = "";
        fill_instructions(record, instructions);
        text_format(out, "%s", instructions[0] ? instructions : "counted");
        text_add(out, instructions[0] ? " instructions" : "");
        return;
    }
    const char *by = fill_groups(record, time);
    if (by) {
        text_format(out, "%s %s", time, by);
        return;
    }
    struct unit unit = units_named(record->unit, record->stats.estimate);
    text_add(out, units_time_in(unit, record->stats.estimate, half_width(record), time));
    if (half_width(record) >= 0)
        text_format(out, " \u00b1 %s",
                    units_percent(half_width(record) / record->stats.estimate, share));
}

// Writes a cell's text to `out`. Empty text leaves the cell empty, and hides the column if all are.
struct column {
    const char *title;
    enum table_align align;
    enum table_tone tone;
    void (*fill)(const struct bilanx_record *record, char out[UNITS_SIZE]);
    unsigned rank;  // as in table_rank()
};

static void fill_time(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (timed(record) && !record->timing.latency && !fill_groups(record, out))
        units_time_in(units_named(record->unit, record->stats.estimate), record->stats.estimate,
                      half_width(record), out);
}

static void fill_interval(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    char groups[UNITS_SIZE];
    if (timed(record) && !record->timing.latency && half_width(record) >= 0 &&
        !fill_groups(record, groups))
        units_percent(half_width(record) / record->stats.estimate, out);
}

static void fill_marginal(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (timed(record) && record->stats.marginal >= 0)
        units_time(record->stats.marginal, NAN, out);
}

static void fill_cpu(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    double cpu = bilanx_timing_cpu(&record->timing);
    if (timed(record) && cpu >= 0)
        units_time_in(units_named(record->unit, cpu), cpu, half_width(record), out);
}

static void fill_bytes(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->rates && record->rates->bytes > 0)
        units_rate(record->rates->bytes / record->stats.estimate, "B", out);
}

static void fill_items(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->rates && record->rates->items > 0)
        units_rate(record->rates->items / record->stats.estimate, "", out);
}

static void fill_within(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (timed(record) && record->stats.within >= 0)
        units_percent(record->stats.within, out);
}

static void fill_between(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (timed(record) && record->stats.between >= 0)
        units_percent(record->stats.between, out);
}

static void fill_layout(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    static const double WORTH_SAYING = 0.001;
    if (timed(record) && record->stats.layout >= WORTH_SAYING)
        units_percent(record->stats.layout, out);
}

static void fill_p50(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->p50, NAN, out);
}

static void fill_p90(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->p90, NAN, out);
}

static void fill_p99(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->p99, NAN, out);
}

static void fill_p999(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->p999, NAN, out);
}

static void fill_max(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->max, NAN, out);
}

static void fill_clock_cost(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->timing.latency)
        units_time(record->timing.latency->clock_cost, NAN, out);
}

static void fill_baseline(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->counts && record->counts->baseline > 0)
        snprintf(out, UNITS_SIZE, "%.10g",
                 record->counts->baseline / (double)record->counts->number);
}

static void fill_repeats(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    const struct bilanx_counts *counts = record->counts;
    if (!counts || counts->repeat_count < 2)
        return;
    bool varies = false;
    for (size_t i = 1; i < counts->repeat_count; i++)
        varies |= counts->repeats[i] != counts->repeats[0];
    snprintf(out, UNITS_SIZE, varies ? "vary" : "deterministic");
}

static void fill_allocations(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->counts && record->counts->allocations)
        snprintf(out, UNITS_SIZE, "%.10g", record->counts->allocations->count);
}

static void fill_allocated(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->counts && record->counts->allocations)
        snprintf(out, UNITS_SIZE, "%.10g", record->counts->allocations->bytes);
}

static void fill_peak(const struct bilanx_record *record, char out[UNITS_SIZE])
{
    if (record->counts && record->counts->allocations)
        snprintf(out, UNITS_SIZE, "%.10g", record->counts->allocations->peak);
}

static const struct column columns[] = {
    {"time", TABLE_RIGHT, TABLE_BOLD, fill_time},
    {"\u00b1", TABLE_RIGHT, TABLE_PLAIN, fill_interval},
    {"marginal", TABLE_RIGHT, TABLE_PLAIN, fill_marginal, 5},
    {"cpu", TABLE_RIGHT, TABLE_PLAIN, fill_cpu, 7},
    {"p50", TABLE_RIGHT, TABLE_BOLD, fill_p50},
    {"p90", TABLE_RIGHT, TABLE_PLAIN, fill_p90, 3},
    {"p99", TABLE_RIGHT, TABLE_PLAIN, fill_p99, 1},
    {"p99.9", TABLE_RIGHT, TABLE_PLAIN, fill_p999, 2},
    {"max", TABLE_RIGHT, TABLE_PLAIN, fill_max, 3},
    {"clock", TABLE_RIGHT, TABLE_DIM, fill_clock_cost, 8},
    {"bytes/s", TABLE_RIGHT, TABLE_PLAIN, fill_bytes, 2},
    {"items/s", TABLE_RIGHT, TABLE_PLAIN, fill_items, 2},
    {"instructions", TABLE_RIGHT, TABLE_BOLD, fill_instructions, 1},
    {"empty loop", TABLE_RIGHT, TABLE_DIM, fill_baseline, 6},
    {"repeats", TABLE_LEFT, TABLE_PLAIN, fill_repeats, 5},
    {"allocations", TABLE_RIGHT, TABLE_PLAIN, fill_allocations, 3},
    {"bytes", TABLE_RIGHT, TABLE_PLAIN, fill_allocated, 4},
    {"peak", TABLE_RIGHT, TABLE_PLAIN, fill_peak, 5},
    {"within", TABLE_RIGHT, TABLE_DIM, fill_within, 10},
    {"between", TABLE_RIGHT, TABLE_DIM, fill_between, 8},
    {"layout", TABLE_RIGHT, TABLE_DIM, fill_layout, 9},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

// Writes a number after its name. A rate is scaled: 1.06 G/s.
static const char *add_number(struct text *out, const char *text)
{
    char *end, rate[UNITS_SIZE];
    double value = strtod(text, &end);
    if (out->size >= 2 && strcmp(text_get(out) + out->size - 2, "/s") == 0 && end > text) {
        out->size -= 2;
        text_format(out, " %s", units_rate(value, "", rate));
        return end;
    }
    text_add_char(out, ' ');
    return text;
}

// {"name":1.5,"other":2} is readable without its punctuation.
static void add_named(struct text *out, const char *object)
{
    if (object && strlen(object) > 2 && out->size)
        text_add(out, "  ");
    for (const char *at = object ? object : ""; *at;) {
        if (*at == ':') {
            at = add_number(out, at + 1);
            continue;
        }
        if (*at == ',')
            text_add(out, "  ");
        else if (!strchr("{}\"", *at))
            text_add_char(out, *at);
        at++;
    }
}

// Whether a number is about the code at all comes before how much it varies: the last words of a
// list may not fit.
static const char *const about_the_code[] = {"optimised-away",
                                             "partly-optimised",
                                             "below-resolution",
                                             "not-laundered",
                                             "name-of-libc",
                                             "unoptimised-build",
                                             NULL};

static bool is_about_the_code(const char *code)
{
    const char *const *known = about_the_code;
    while (*known && strcmp(*known, code) != 0)
        known++;
    return *known != NULL;
}

static void add_codes(const struct bilanx_record *record, bool about_code, struct text *codes)
{
    struct time_groups groups = record_groups(record);
    for (size_t i = 0; i < record->warning_count; i++) {
        const char *code = record->warnings[i].code;
        if (is_about_the_code(code) != about_code)
            continue;
        text_add(codes, codes->size ? ", " : "");
        if (groups.by && (text_equal(code, "layout-groups") || text_equal(code, "process-groups")))
            text_format(codes, "%s (%zu and %zu of %zu)", groups_words[groups.by], groups.counts[0],
                        groups.counts[1], groups.units);
        else
            text_add(codes, code);
    }
}

static void add_notes(struct table *table, const struct bilanx_record *record)
{
    AUTO(text) struct text codes = {0};
    add_codes(record, true, &codes);
    add_codes(record, false, &codes);
    AUTO(text) struct text counters = {0};
    add_named(&counters, record->counters);
    add_named(&counters, record->counts ? record->counts->events : NULL);
    if (record->remark)
        text_format(&counters, "%s%s", counters.size ? "  " : "", record->remark);
    table_cell(table, TABLE_PLAIN, "%s", text_get(&counters));
    table_cell(table, TABLE_WARN, "%s", text_get(&codes));
}

static void add_row(struct table *table, const struct run_case *measured,
                    const struct bilanx_record *record, size_t failure_column)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", measured->name);
    table_cell(table, TABLE_PLAIN, "%s", record->task.env ? record->task.env : "");
    if (failed(record)) {
        for (size_t i = 0; i < failure_column; i++)
            table_cell(table, TABLE_PLAIN, "%s", "");
        table_cell(table, record_skipped(record) ? TABLE_DIM : TABLE_BAD, "%s",
                   record_failure_word(record->error));
        table_row(table);
        return;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        char text[UNITS_SIZE] = "";
        columns[i].fill(record, text);
        table_cell(table, columns[i].tone, "%s", text);
    }
    add_notes(table, record);
}

// Returns the column where the result would be: the first or, if all cases were counted, that of
// the instructions.
static size_t column_of_failures(const struct shown *shown)
{
    bool counted = false;
    for (size_t i = 0; i < shown->count; i++) {
        if (timed(&shown->records[i]))
            return 0;
        counted |= shown->records[i].counts != NULL;
    }
    size_t column = 0;
    while (counted && columns[column].fill != fill_instructions)
        column++;
    return column;
}

void show_table(const struct shown *shown, struct table_look look, struct text *out)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "benchmark", TABLE_LEFT);
    table_column(&table, "env", TABLE_LEFT);
    for (size_t i = 0; i < COLUMNS; i++) {
        table_column(&table, columns[i].title, columns[i].align);
        table_rank(&table, columns[i].rank);
    }
    table_column(&table, "counters", TABLE_LEFT);
    table_rank(&table, 1);
    table_column(&table, "note", TABLE_LIST);
    for (size_t i = 0; i < shown->count; i++)
        add_row(&table, shown->cases[i], &shown->records[i], column_of_failures(shown));
    table_row(&table);
    table_print(&table, look, out);
}
