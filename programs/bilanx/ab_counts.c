// ab_counts: shows the instructions of two sides and the differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab_report.h"
#include "base/mem.h"
#include "count/counts/shown_names.h"

static const struct bilanx_failure *failure_of(const struct ab_counts *counts, size_t i)
{
    return counts->before[i].error ? counts->before[i].error : counts->after[i].error;
}

static bool is_counted(const struct ab_counts *counts, size_t i)
{
    return counts->before[i].counts && counts->after[i].counts;
}

static enum table_tone tone_of(double share)
{
    static const double steps[TABLE_STEPS] = {.005, .025, .1, .25, .5, 1};
    int step = 0;
    while (step < TABLE_STEPS && fabs(share) >= steps[step])
        step++;
    if (step == 0)
        return TABLE_PLAIN;
    return (share > 0 ? TABLE_RISE : TABLE_FALL) + (enum table_tone)(step - 1);
}

static void add_row(struct table *table, const struct ab_counts *counts, size_t i)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", counts->names[i]);
    if (!is_counted(counts, i)) {
        const struct bilanx_failure *failure = failure_of(counts, i);
        for (int cell = 0; cell < 4; cell++)
            table_cell(table, TABLE_PLAIN, "%s", "");
        table_cell(table, TABLE_BAD, "%s", failure ? failure->text : "not counted");
        return;
    }
    double before = counts->before[i].counts->per_iteration;
    double after = counts->after[i].counts->per_iteration;
    double share = after / before - 1;
    table_cell(table, TABLE_PLAIN, "%.15g", before);
    table_cell(table, TABLE_PLAIN, "%.15g", after);
    if (before == after) {
        table_cell(table, TABLE_DIM, "%s", "none");
        return;
    }
    enum table_tone tone = tone_of(share);
    table_cell(table, tone, "%+.12g", after - before);
    table_cell(table, tone, "%+.*f %%", fabs(share) < .001 ? 3 : 1, 100 * share);
}

// 0: not counted on both sides, or no change.
static double share_of(const struct ab_counts *counts, size_t i)
{
    return is_counted(counts, i)
               ? counts->after[i].counts->instructions / counts->before[i].counts->instructions - 1
               : 0;
}

static void add_function(double change, const char *name, size_t width, struct text *out)
{
    enum { INDENT = 14 };
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, name);
    text_format(out, "%+12.6g  ", change);
    text_add_paragraph(out, INDENT, INDENT, width, text_get(&harmless));
    text_add(out, "\n");
}

// Adds a line per function, largest change first, and one for what remains.
static void add_changes(const struct bilanx_difference *difference, double number, size_t width,
                        struct text *out)
{
    enum { MOST = 10 };
    double rest = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct bilanx_function_change *item = &difference->items[i];
        double change = (item->after - item->before) / number;
        if (i < MOST)
            add_function(change, item->function, width, out);
        else
            rest += change;
    }
    if (difference->count <= MOST)
        return;
    size_t count = difference->count - MOST;
    AUTO(memory) char *name = mem_format("(%zu smaller change%s)", count, count == 1 ? "" : "s");
    add_function(rest, name, width, out);
}

static void add_functions(const struct ab_counts *counts, size_t at, size_t width, struct text *out)
{
    AUTO(bilanx_functions) struct bilanx_functions before =
        bilanx_functions_of(counts->before[at].counts, false);
    AUTO(bilanx_functions) struct bilanx_functions after =
        bilanx_functions_of(counts->after[at].counts, false);
    AUTO(bilanx_functions) struct bilanx_functions shown_before = {0}, shown_after = {0};
    functions_show(&before, &after, true, &shown_before, &shown_after);
    AUTO(bilanx_difference) struct bilanx_difference difference = {0};
    if (bilanx_functions_difference(&shown_before, &shown_after, &difference).status != BILANX_OK)
        return;
    AUTO(memory) char *heading = mem_format("%s, by function:", counts->names[at]);
    text_add(out, "\n");
    text_add_wrapped(out, 0, width, heading);
    text_add(out, "\n");
    add_changes(&difference, (double)counts->after[at].counts->number, width, out);
}

struct changed_case {
    size_t at;
    double share;
};

// Slower cases first: they are what a reader has to act on.
static int by_urgency(const void *a, const void *b)
{
    const struct changed_case *left = a, *right = b;
    double x = left->share, y = right->share;
    if ((x > 0) != (y > 0))
        return x > 0 ? -1 : 1;
    if (fabs(x) != fabs(y))
        return fabs(x) < fabs(y) ? 1 : -1;
    return (left->at > right->at) - (left->at < right->at);
}

// "3 more cases differ: parse, print and 1 more"
static void add_left_out(const struct ab_counts *counts, const struct changed_case *cases,
                         size_t count, size_t width, struct text *out)
{
    enum { MOST = 8 };
    AUTO(text) struct text line = {0};
    text_format(&line, "%zu more case%s: ", count, count == 1 ? " differs" : "s differ");
    for (size_t i = 0; i < count && i < MOST; i++) {
        text_add(&line, i ? ", " : "");
        text_add_harmless(&line, counts->names[cases[i].at]);
    }
    if (count > MOST)
        text_format(&line, " and %zu more", count - MOST);
    text_add(out, "\n");
    text_add_wrapped(out, 0, width, text_get(&line));
    text_add(out, "\n");
}

// Lists the functions of the cases that changed most.
static void explain(const struct ab_counts *counts, size_t width, struct text *out)
{
    enum { MOST = 3 };
    AUTO(memory) struct changed_case *cases = mem_array(struct changed_case, counts->count);
    size_t changed = 0;
    for (size_t i = 0; i < counts->count; i++)
        if (share_of(counts, i) != 0)
            cases[changed++] = (struct changed_case){i, share_of(counts, i)};
    if (changed == 0)
        return;
    qsort(cases, changed, sizeof *cases, by_urgency);
    for (size_t i = 0; i < changed && i < MOST; i++)
        add_functions(counts, cases[i].at, width, out);
    if (changed > MOST)
        add_left_out(counts, cases + MOST, changed - MOST, width, out);
}

void ab_add_counts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                   const struct ab_counts *counts, bool with_legend, struct table_look look,
                   struct text *out)
{
    AUTO(table) struct table table = {0};
    AUTO(memory) char *title = mem_format("instructions on %s", pair->first->name);
    AUTO(memory) char *other = mem_format("on %s", pair->other->name);
    if (with_legend && look.format == BILANX_TABLE)
        ab_add_legend(pair, look.width, out);
    table_column(&table, "case", TABLE_LEFT);
    table_column(&table, title, TABLE_RIGHT);
    table_column(&table, other, TABLE_RIGHT);
    table_column(&table, "change", TABLE_RIGHT);
    table_column(&table, "", TABLE_RIGHT);
    table_column(&table, "", TABLE_LEFT);
    for (size_t i = 0; i < counts->count; i++)
        add_row(&table, counts, i);
    table_print(&table, look, out);
    if (arguments->explain && look.format == BILANX_TABLE)
        explain(counts, look.width, out);
}

void ab_show_counts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                    const struct ab_counts *counts, bool with_legend)
{
    if (arguments->settings.format == BILANX_CSV) {
        ab_show_counts_csv(arguments, pair, counts);
        return;
    }
    AUTO(text) struct text out = {0};
    ab_add_counts(arguments, pair, counts, with_legend, show_look(&arguments->settings), &out);
    fputs(text_get(&out), stdout);
}
