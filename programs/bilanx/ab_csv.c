// ab_csv: verdicts and counts of two sides for programs: plain numbers, one per column, times in
// seconds, changes as fractions.
#include <math.h>
#include <stdio.h>

#include "ab_report.h"
#include "core/record/records.h"

static void start(struct table *table, const char *const *titles)
{
    for (; *titles; titles++)
        table_column(table, *titles, TABLE_LEFT);
    table_show_all(table);
}

static void print(const struct ab_arguments *arguments, struct table *table)
{
    AUTO(text) struct text out = {0};
    table_print(table, show_look(&arguments->settings), &out);
    fputs(text_get(&out), stdout);
}

static void add_names(struct table *table, const char *name, const struct ab_pair *pair)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", name);
    table_cell(table, TABLE_PLAIN, "%s", pair->first->title);
    table_cell(table, TABLE_PLAIN, "%s", pair->other->title);
}

static void add_verdict(struct table *table, const struct bilanx_record *record)
{
    static const struct bilanx_verdict none = {.change = NAN, .interval = {NAN, NAN}};
    const struct bilanx_verdict *verdict = record->verdict ? record->verdict : &none;
    AUTO(text) struct text reason = {0};
    for (size_t i = 0; i < 2; i++)
        table_number(table, verdict->times[i] > 0 ? verdict->times[i] : NAN);
    table_number(table, verdict->change);
    table_number(table, verdict->interval[0]);
    table_number(table, verdict->interval[1]);
    table_cell(table, TABLE_PLAIN, "%s", verdict->verdict ? verdict->verdict : "");
    table_number(table, (double)verdict->change_count);
    table_number(table, (double)verdict->layout_count);
    ab_add_reason(record, &reason);
    table_cell(table, TABLE_PLAIN, "%s", text_get(&reason));
    table_cell(table, TABLE_PLAIN, "%s", record->error ? record->error->code : "");
}

void ab_show_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                 const struct ab_results *results)
{
    static const char *const titles[] = {
        "case",        "baseline", "side",   "baseline_s", "side_s", "change",  "change_low",
        "change_high", "verdict",  "epochs", "layouts",    "reason", "failure", NULL};
    AUTO(table) struct table table = {0};
    start(&table, titles);
    for (size_t i = 0; i < results->count; i++) {
        const struct bilanx_record *record = &results->records[i];
        if (!record->kind || record_skipped(record))
            continue;
        add_names(&table, results->names[i], pair);
        add_verdict(&table, record);
    }
    print(arguments, &table);
}

static double per_iteration(const struct bilanx_record *record)
{
    return record->counts && !record->error ? record->counts->per_iteration : NAN;
}

void ab_show_counts_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                        const struct ab_counts *counts)
{
    static const char *const titles[] = {
        "case",   "baseline", "side", "baseline_instructions", "side_instructions",
        "change", "failure",  NULL};
    AUTO(table) struct table table = {0};
    start(&table, titles);
    for (size_t i = 0; i < counts->count; i++) {
        const struct bilanx_record *before = &counts->before[i], *after = &counts->after[i];
        const struct bilanx_failure *error = before->error ? before->error : after->error;
        add_names(&table, counts->names[i], pair);
        table_number(&table, per_iteration(before));
        table_number(&table, per_iteration(after));
        table_number(&table, per_iteration(after) / per_iteration(before) - 1);
        table_cell(&table, TABLE_PLAIN, "%s", error ? error->code : "");
    }
    print(arguments, &table);
}
