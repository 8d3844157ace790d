// bundle_counts: instructions per call, by function, on both sides.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/table.h"
#include "bundle_parts.h"
#include "core/record/facts.h"
#include "core/record/variants.h"
#include "count/counts/shown_names.h"

void counted_functions_done(struct counted_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->items[i].name);
    free(functions->items);
}

static int by_change(const void *a, const void *b)
{
    const struct counted_function *left = a, *right = b;
    double x = fabs(left->after - left->before), y = fabs(right->after - right->before);
    if (x == y) {
        x = left->after;
        y = right->after;
    }
    return x != y ? (x < y ? 1 : -1) : strcmp(left->name, right->name);
}

static void add_side(struct counted_functions *out, struct index *index, size_t *room,
                     const struct bilanx_functions *named, uint64_t number, bool after)
{
    for (size_t i = 0; i < named->count; i++) {
        const char *name = named->items[i].function;
        struct hash key = hash_start();
        bool added = false;
        hash_add_text(&key, name);
        size_t place = index_find_or_add(index, key, out->count, &added);
        if (added) {
            mem_grow(out->items, out->count, room);
            out->items[out->count++] = (struct counted_function){.name = mem_text(name)};
        }
        double count = named->items[i].count / (number ? (double)number : 1);
        *(after ? &out->items[place].after : &out->items[place].before) += count;
        *(after ? &out->after : &out->before) += count;
    }
}

bool bundle_functions(const struct bundle_case *item, size_t side, struct counted_functions *out)
{
    const struct bilanx_counts *before = item->parts[0].slots[BUNDLE_COUNTS].counts;
    const struct bilanx_counts *after = item->parts[side].slots[BUNDLE_COUNTS].counts;
    *out = (struct counted_functions){0};
    if (!before || !after)
        return false;
    AUTO(bilanx_functions) struct bilanx_functions left = bilanx_functions_of(before, false);
    AUTO(bilanx_functions) struct bilanx_functions right = bilanx_functions_of(after, false);
    AUTO(bilanx_functions) struct bilanx_functions shown_left = {0}, shown_right = {0};
    AUTO(index) struct index index = {0};
    size_t room = 0;
    functions_show(&left, &right, true, &shown_left, &shown_right);
    add_side(out, &index, &room, &shown_left, before->number, false);
    add_side(out, &index, &room, &shown_right, after->number, true);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_change);
    return true;
}

// Times and samples are always of glibc's own choice, which may include AVX-512.
void case_add_variants(const struct bundle_case *item, size_t side, struct text *out)
{
    const struct bilanx_record *before = &item->parts[0].slots[BUNDLE_COUNTS];
    const struct bilanx_record *after = &item->parts[side].slots[BUNDLE_COUNTS];
    if (!before->counts || !after->counts)
        return;
    AUTO(text) struct text difference = {0};
    AUTO(memory) char *features = machine_fact(after->machine, "cpu_features");
    const char *hwcaps = after->counts->hwcaps;
    if (variants_add_difference(before, after, &difference))
        text_format(out, "The %s.", text_get(&difference));
    else if (hwcaps && !text_starts(hwcaps, "native"))
        text_format(out,
                    "Counted with glibc's functions for %s; timed and sampled with the variants "
                    "that glibc chooses for this processor.",
                    hwcaps);
    else if (features && strstr(features, "avx512vl"))
        text_add(out, "Counted without AVX-512, which valgrind does not support; timed and sampled "
                      "with the variants of glibc's functions that use it.");
}

void bundle_add_variants(const struct bundle *bundle, struct text *out)
{
    size_t start = out->size;
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count && out->size == start; side++)
            case_add_variants(&bundle->cases[i], side, out);
}

void count_add(struct text *out, double count, bool is_signed)
{
    char digits[64];
    snprintf(digits, sizeof digits, fabs(count - rint(count)) < .005 ? "%.0f" : "%.2f",
             fabs(count));
    size_t whole = strspn(digits, "0123456789");
    if (count < 0)
        text_add_char(out, '-');
    else if (is_signed && count > 0)
        text_add_char(out, '+');
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, digits[i]);
    }
    text_add(out, digits + whole);
}

static void add_count_cell(struct table *table, double count, bool is_signed)
{
    AUTO(text) struct text text = {0};
    if (count != 0)
        count_add(&text, count, is_signed);
    table_cell(table, TABLE_PLAIN, "%s", text_get(&text));
}

static void add_row(struct table *table, const char *name, double before, double after)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", name);
    add_count_cell(table, before, false);
    add_count_cell(table, after, false);
    add_count_cell(table, after - before, true);
}

static void add_table(const struct bundle *bundle, size_t side,
                      const struct counted_functions *functions, enum bilanx_output_format format,
                      struct text *out)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "function", TABLE_LEFT);
    table_column(&table, bundle->sides[0].name, TABLE_RIGHT);
    table_column(&table, bundle->sides[side].name, TABLE_RIGHT);
    table_column(&table, "change", TABLE_RIGHT);
    table_show_all(&table);
    for (size_t i = 0; i < functions->count; i++)
        add_row(&table, functions->items[i].name, functions->items[i].before,
                functions->items[i].after);
    add_row(&table, "all", functions->before, functions->after);
    table_print(&table, (struct table_look){.format = format}, out);
}

// Names are data: in a terminal as in Markdown.
static void add_name(const char *name, enum bilanx_output_format format, struct text *out)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, name);
    if (format == BILANX_MARKDOWN)
        table_add_markdown(out, text_get(&harmless));
    else
        text_add(out, text_get(&harmless));
}

static void add_heading(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                        enum bilanx_output_format format, struct text *out)
{
    text_add(out, out->size ? "\n" : "");
    text_add(out, format == BILANX_MARKDOWN ? "### " : "");
    add_name(item->name, format, out);
    text_add(out, ": instructions per call, ");
    add_name(bundle->sides[0].name, format, out);
    text_add(out, " and ");
    add_name(bundle->sides[side].name, format, out);
    text_add(out, format == BILANX_MARKDOWN ? "\n\n" : "\n");
}

static const char *why_not(const struct bundle_case *item, size_t side)
{
    const struct bilanx_failure *failures[] = {item->parts[0].slots[BUNDLE_COUNTS].error,
                                               item->parts[side].slots[BUNDLE_COUNTS].error};
    return failures[0] ? failures[0]->text : failures[1] ? failures[1]->text : NULL;
}

static void add_case(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                     enum bilanx_output_format format, struct text *out)
{
    AUTO(counted_functions) struct counted_functions functions = {0};
    if (bundle_functions(item, side, &functions)) {
        add_heading(bundle, item, side, format, out);
        add_table(bundle, side, &functions, format, out);
    } else if (why_not(item, side)) {
        add_heading(bundle, item, side, format, out);
        text_add(out, "not counted: ");
        add_name(why_not(item, side), format, out);
        text_add(out, "\n");
    }
}

void bundle_add_counts(const struct bundle *bundle, enum bilanx_output_format format,
                       struct text *out)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++)
            add_case(bundle, &bundle->cases[i], side, format, out);
    AUTO(text) struct text variants = {0};
    bundle_add_variants(bundle, &variants);
    if (variants.size) {
        text_add(out, "\n");
        add_name(text_get(&variants), format, out);
        text_add(out, "\n");
    }
    if (!out->size)
        text_add(out, "nothing was counted\n");
}
