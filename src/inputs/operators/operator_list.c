// operator_list: the contents of a log as a table, and as a log again.
#include "operator_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_names[] = {
    [OPERATOR_COMPUTES] = "",
    [OPERATOR_VIEWS] = "view",
    [OPERATOR_CONSTRUCTS] = "constructor",
};

// Of its arguments, as they were recorded.
static uint64_t largest_bytes(const struct logged_operator *logged)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < logged->sample_count; i++) {
        AUTO(operator_call) struct operator_call call = {0};
        const struct operator_sample *sample = &logged->samples[i];
        // It was parsed before, so there is nothing to report.
        if (operator_call_parse(logged->name, sample->arguments, sample->file, sample->line, &call)
                .status != BILANX_OK)
            continue;
        uint64_t bytes = operator_bytes(&call.call);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

static void add_bytes(struct table *table, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    table_cell(table, TABLE_PLAIN, unit == 0 ? "%.0f %s" : "%.3g %s", value, units[unit]);
}

void operator_log_tabulate(const struct operator_log *log, bool exact, struct table *table)
{
    table_column(table, "operator", TABLE_LEFT);
    table_column(table, "samples", TABLE_RIGHT);
    table_column(table, "calls", TABLE_RIGHT);
    table_column(table, exact ? "largest_bytes" : "largest", TABLE_RIGHT);
    table_column(table, "kind", TABLE_LEFT);
    for (size_t i = 0; i < log->operator_count; i++) {
        const struct logged_operator *logged = &log->operators[i];
        uint64_t bytes = largest_bytes(logged);
        table_row(table);
        table_cell(table, TABLE_PLAIN, "%s", logged->name);
        table_cell(table, TABLE_PLAIN, "%zu", logged->sample_count);
        table_cell(table, TABLE_PLAIN, "%" PRIu64, logged->count);
        if (exact)
            table_cell(table, TABLE_PLAIN, "%" PRIu64, bytes);
        else
            add_bytes(table, bytes);
        table_cell(table, TABLE_DIM, "%s", role_names[operator_role(logged->name)]);
    }
}

void operator_log_summarize(const struct operator_log *log, struct text *out)
{
    size_t samples = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < log->operator_count; i++) {
        samples += log->operators[i].sample_count;
        if (__builtin_add_overflow(calls, log->operators[i].count, &calls))
            calls = UINT64_MAX;
    }
    text_format(out, "%zu operator%s, %zu sample%s, %" PRIu64 " call%s", log->operator_count,
                log->operator_count == 1 ? "" : "s", samples, samples == 1 ? "" : "s", calls,
                calls == 1 ? "" : "s");
}

void operator_log_write(const struct operator_log *log, struct text *out)
{
    for (size_t i = 0; i < log->operator_count; i++) {
        const struct logged_operator *logged = &log->operators[i];
        text_format(out, "Operator: %s\n", logged->name);
        for (size_t j = 0; j < logged->sample_count; j++)
            text_format(out, "cnt: %" PRIu64 ", %s\n", logged->samples[j].count,
                        logged->samples[j].arguments);
    }
}
