// growth: fits an exponent with its interval, from the slope of ln time over ln argument.
//
// Why not choose among the six usual curves: they differ by factors that caches and allocators
// easily distort. An exponent says what doubling the argument does, and how certain that is.
#include "growth.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"

static const struct run_argument *varied(const struct run_case *item)
{
    for (size_t i = 0; i < item->argument_count; i++)
        if (text_equal(item->arguments[i].name, item->complexity))
            return &item->arguments[i];
    return NULL;
}

static bool fits(const struct shown *shown, size_t i)
{
    const struct run_argument *argument = varied(shown->cases[i]);
    return argument && argument->value > 0 && !shown->records[i].error &&
           shown->records[i].stats.estimate > 0;
}

// Returns whether two cases differ only in the varied argument.
static bool same_line(const struct run_case *a, const struct run_case *b)
{
    if (a->subject != b->subject || a->argument_count != b->argument_count ||
        a->task.num_threads != b->task.num_threads || !text_equal(a->complexity, b->complexity) ||
        !text_equal(a->task.label, b->task.label))
        return false;
    for (size_t i = 0; i < a->argument_count; i++)
        if (!text_equal(a->arguments[i].name, a->complexity) &&
            a->arguments[i].value != b->arguments[i].value)
            return false;
    return true;
}

static void add_title(const struct run_case *item, struct text *out)
{
    text_add_harmless(out, item->task.label ? item->task.label : item->name);
    for (size_t i = 0; i < item->argument_count; i++)
        if (!text_equal(item->arguments[i].name, item->complexity)) {
            text_add_char(out, ' ');
            text_add_harmless(out, item->arguments[i].name);
            text_format(out, "=%g", item->arguments[i].value);
        }
    if (item->task.num_threads > 1)
        text_format(out, " threads=%llu", (unsigned long long)item->task.num_threads);
}

static void fit(const struct shown *shown, size_t first, struct text *out)
{
    const struct run_case *item = shown->cases[first];
    double *x = mem_array(double, shown->count), *y = mem_array(double, shown->count);
    size_t n = 0;
    bool varies = false;
    for (size_t i = first; i < shown->count; i++) {
        if (!fits(shown, i) || !same_line(item, shown->cases[i]))
            continue;
        x[n] = ln(varied(shown->cases[i])->value);
        y[n] = ln(shown->records[i].stats.estimate);
        varies |= x[n++] != x[0];
    }
    add_title(item, out);
    bool unnamed = item->complexity[0] >= '0' && item->complexity[0] <= '9';
    AUTO(text) struct text name = {0};
    text_add_harmless(&name, unnamed ? "n" : item->complexity);
    if (n >= 3 && varies) {
        struct line line = stats_fit_line(x, y, n, 0.95);
        text_format(out, ": time grows as %s^%.2f (95 %%: %.2f to %.2f)\n", text_get(&name),
                    line.slope, line.slope_interval.low, line.slope_interval.high);
    } else {
        text_format(out, ": needs three values of %s to show how time grows\n", text_get(&name));
    }
    free(x);
    free(y);
}

void growth_show(const struct shown *shown, struct text *out)
{
    for (size_t i = 0; i < shown->count; i++) {
        if (!fits(shown, i))
            continue;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = fits(shown, j) && same_line(shown->cases[i], shown->cases[j]);
        if (!seen)
            fit(shown, i, out);
    }
}
