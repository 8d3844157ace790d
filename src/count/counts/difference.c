// difference: changes, largest first.
#include "difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/want.h"

void bilanx_difference_done(struct bilanx_difference *difference)
{
    if (!difference)
        return;
    names_release(difference->names);
    free(difference->items);
    *difference = (struct bilanx_difference){0};
}

static double change_of(const struct bilanx_function_change *item)
{
    return item->after - item->before;
}

static int compare_changes(const void *a, const void *b)
{
    const struct bilanx_function_change *left = a, *right = b;
    double x = fabs(change_of(left)), y = fabs(change_of(right));
    if (x != y)
        return x < y ? 1 : -1;
    return function_name_compare(
        &(struct function_name){left->file, left->function, left->object},
        &(struct function_name){right->file, right->function, right->object});
}

struct bilanx_error bilanx_functions_difference(const struct bilanx_functions *before,
                                                const struct bilanx_functions *after,
                                                struct bilanx_difference *out)
{
    WANT(before);
    WANT(after);
    WANT(out);
    AUTO(bilanx_functions) struct bilanx_functions change = {0};
    BILANX_TRY(bilanx_functions_subtract(after, before, &change));
    struct tally befores;
    tally_start(&befores);
    for (size_t i = 0; i < before->count; i++) {
        const struct bilanx_function_count *item = &before->items[i];
        *tally_count(&befores, item->file, item->function, item->object) = item->count;
    }
    *out = (struct bilanx_difference){.inclusive = before->inclusive, .count = change.count};
    out->items = mem_array(struct bilanx_function_change, change.count);
    for (size_t i = 0; i < change.count; i++) {
        const struct bilanx_function_count *item = &change.items[i];
        double was = *tally_count(&befores, item->file, item->function, item->object);
        out->items[i] = (struct bilanx_function_change){item->file, item->function, item->object,
                                                        was, was + item->count};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_changes);
    out->names = TAKE(change.names);
    struct bilanx_functions ended = tally_finish(&befores, false);
    bilanx_functions_done(&ended);
    return BILANX_SUCCESS;
}

// 1234567.5 as "1,234,567.5" for people, unchanged for programs.
static void add_count(struct text *out, double count, bool grouped)
{
    char digits[NUMBER_SIZE];
    if (fabs(count) < 0x1p53 && count == (double)(int64_t)count)
        snprintf(digits, sizeof digits, "%.0f", fabs(count));
    else
        number_shortest(fabs(count), digits);
    size_t whole = strspn(digits, "0123456789");
    bool group = grouped && (digits[whole] == '\0' || digits[whole] == '.');
    if (count < 0)
        text_add_char(out, '-');
    for (size_t i = 0; i < whole; i++) {
        if (group && i && (whole - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, digits[i]);
    }
    text_add(out, digits + whole);
}

static void count_cell(struct table *table, enum table_tone tone, double count, bool is_change,
                       bool grouped)
{
    AUTO(text) struct text cell = {0};
    if (is_change && count > 0 && grouped)
        text_add_char(&cell, '+');
    add_count(&cell, count, grouped);
    table_cell(table, tone, "%s", text_get(&cell));
}

static const char *status_of(double before, double after)
{
    return before == 0 && after != 0 ? "appeared" : after == 0 && before != 0 ? "vanished" : "";
}

static void add_row(struct table *table, const char *title, double before, double after,
                    bool grouped, const char *status, const char *name)
{
    double change = after - before;
    enum table_tone tone = change < 0 ? TABLE_GOOD : change > 0 ? TABLE_BAD : TABLE_PLAIN;
    table_row(table);
    if (title)
        table_cell(table, TABLE_PLAIN, "%s", title);
    count_cell(table, tone, change, true, grouped);
    count_cell(table, TABLE_PLAIN, before, false, grouped);
    count_cell(table, TABLE_PLAIN, after, false, grouped);
    if (before != 0)
        table_cell(table, tone, grouped ? "%+.2f %%" : "%.2f", 100 * change / fabs(before));
    else
        table_cell(table, tone, "%s", "");
    table_cell(table, TABLE_DIM, "%s", status);
    table_cell(table, TABLE_PLAIN, "%s", name);
}

void difference_columns(struct table *table, bool for_programs)
{
    if (for_programs)
        table_column(table, "case", TABLE_LEFT);
    table_column(table, "change", TABLE_RIGHT);
    table_column(table, "before", TABLE_RIGHT);
    table_column(table, "after", TABLE_RIGHT);
    table_column(table, "percent", TABLE_RIGHT);
    table_column(table, "status", TABLE_LEFT);
    table_column(table, for_programs ? "file:function [object]" : "function", TABLE_LEFT);
}

// How many rows are shown individually: they are sorted by size, so small ones are at the end.
static size_t shown_count(const struct bilanx_difference *difference, double minimum)
{
    size_t shown = 0;
    while (shown < difference->count && fabs(change_of(&difference->items[shown])) >= minimum)
        shown++;
    return shown;
}

// Inclusive counts of several functions cannot be added.
static void add_rest(const struct bilanx_difference *difference, size_t from, bool grouped,
                     const char *title, struct table *table)
{
    double before = 0, after = 0;
    for (size_t i = from; i < difference->count; i++) {
        before += difference->items[i].before;
        after += difference->items[i].after;
    }
    size_t count = difference->count - from;
    AUTO(memory) char *name = mem_format("(%zu smaller change%s)", count, count == 1 ? "" : "s");
    if (count && !difference->inclusive) {
        add_row(table, title, before, after, grouped, "", name);
    } else if (count) {
        table_row(table);
        for (int i = title ? -1 : 0; i < 5; i++)
            table_cell(table, TABLE_PLAIN, "%s", i < 0 ? title : "");
        table_cell(table, TABLE_PLAIN, "%s", name);
    }
}

void difference_rows(const struct bilanx_difference *difference,
                     const struct difference_totals *totals,
                     const struct bilanx_functions_options *options, const char *title,
                     struct table *table)
{
    bool grouped = options->format != BILANX_CSV;
    size_t shown = shown_count(difference, options->minimum);
    for (size_t i = 0; i < shown; i++) {
        const struct bilanx_function_change *item = &difference->items[i];
        AUTO(memory) char *name = bilanx_function_name(
            &(struct bilanx_function_count){item->file, item->function, item->object, 0});
        add_row(table, title, item->before, item->after, grouped,
                status_of(item->before, item->after), name);
    }
    add_rest(difference, shown, grouped, title, table);
    add_row(table, title, totals->before, totals->after, grouped, "", "(total)");
}

static void json_change(struct json_writer *json, double before, double after)
{
    writer_key_number(json, "before", before);
    writer_key_number(json, "after", after);
    writer_key_number(json, "change", after - before);
}

static void json_name(struct json_writer *json, const char *key, const char *name)
{
    if (name)
        writer_key_text(json, key, name);
}

void difference_json(const struct bilanx_difference *difference,
                     const struct difference_totals *totals, double minimum,
                     struct json_writer *json)
{
    json_change(json, totals->before, totals->after);
    writer_key(json, "functions");
    writer_open(json, '[');
    size_t shown = shown_count(difference, minimum);
    for (size_t i = 0; i < shown; i++) {
        const struct bilanx_function_change *item = &difference->items[i];
        const char *status = status_of(item->before, item->after);
        writer_open(json, '{');
        json_name(json, "file", item->file);
        json_name(json, "function", item->function);
        json_name(json, "object", item->object);
        json_change(json, item->before, item->after);
        json_name(json, "status", *status ? status : NULL);
        writer_close(json, '}');
    }
    writer_close(json, ']');
}
