// growth: fits an exponent with its interval, from the slope of ln time over ln argument.
//
// Why not choose among the six usual curves: they differ by factors that caches and allocators
// easily distort. An exponent says what doubling the argument does, and how certain that is.
#include "growth.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/number.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"

static const char *name_of(const struct run_case *item, const char *over)
{
    return over ? over : item->complexity;
}

static const struct run_argument *varied(const struct run_case *item, const char *over)
{
    for (size_t i = 0; i < item->argument_count; i++)
        if (text_equal(item->arguments[i].name, name_of(item, over)))
            return &item->arguments[i];
    return NULL;
}

static bool fits(const struct shown *shown, size_t i, const char *over)
{
    const struct run_argument *argument = varied(shown->cases[i], over);
    return argument && argument->value > 0 && !shown->records[i].error &&
           shown->records[i].stats.estimate > 0;
}

// Statements on generated inputs also differ by their text. In programs and commands, the text and
// the names contain the varied argument.
static bool same_task(const struct bilanx_task *a, const struct bilanx_task *b, bool by_text)
{
    if (a->num_threads != b->num_threads || !text_equal(a->label, b->label))
        return false;
    return !by_text || (text_equal(a->sub_label, b->sub_label) && text_equal(a->env, b->env) &&
                        text_equal(a->stmt, b->stmt) && text_equal(a->setup, b->setup));
}

// Returns whether two cases differ only in the varied argument.
static bool same_line(const struct run_case *a, const struct run_case *b, const char *over)
{
    if (a->subject != b->subject || a->argument_count != b->argument_count ||
        !same_task(&a->task, &b->task, over != NULL) ||
        !text_equal(name_of(a, over), name_of(b, over)))
        return false;
    for (size_t i = 0; i < a->argument_count; i++)
        if (!text_equal(a->arguments[i].name, name_of(a, over)) &&
            a->arguments[i].value != b->arguments[i].value)
            return false;
    return true;
}

// A benchmark is named by its label, a statement by its text, because the name of its case belongs
// to one sample.
static void add_title(const struct run_case *item, const char *over, struct text *out)
{
    const struct bilanx_task *task = &item->task;
    const char *statement = task->sub_label ? task->sub_label : task->stmt;
    const char *label = task->label ? task->label : item->name;
    text_add_harmless(out, over && task->stmt ? statement : label);
    for (size_t i = 0; i < item->argument_count; i++)
        if (!text_equal(item->arguments[i].name, name_of(item, over))) {
            text_add_char(out, ' ');
            text_add_harmless(out, item->arguments[i].name);
            char value[NUMBER_SIZE];
            text_format(out, "=%s", number_shortest(item->arguments[i].value, value));
        }
    if (over && task->env && *task->env)
        text_format(out, " (%s)", task->env);
    if (task->num_threads > 1)
        text_format(out, " threads=%llu", (unsigned long long)task->num_threads);
}

static void fit(const struct shown *shown, size_t first, const char *over, struct text *out)
{
    const struct run_case *item = shown->cases[first];
    double *x = mem_array(double, shown->count), *y = mem_array(double, shown->count);
    size_t n = 0;
    enum { ENOUGH = 4 };  // the interval of a line through three points is huge by construction
    bool varies = false;
    for (size_t i = first; i < shown->count; i++) {
        if (!fits(shown, i, over) || !same_line(item, shown->cases[i], over))
            continue;
        x[n] = ln(varied(shown->cases[i], over)->value);
        y[n] = ln(shown->records[i].stats.estimate);
        varies |= x[n++] != x[0];
    }
    add_title(item, over, out);
    const char *argument = name_of(item, over);
    bool unnamed = argument[0] >= '0' && argument[0] <= '9';
    AUTO(text) struct text name = {0};
    text_add_harmless(&name, unnamed ? "n" : argument);
    if (n >= 3 && varies) {
        struct line line = stats_fit_line(x, y, n, 0.95);
        text_format(out, ": time grows as %s^%.2f (95 %%: %.2f to %.2f", text_get(&name),
                    line.slope, line.slope_interval.low, line.slope_interval.high);
        if (n < ENOUGH)
            text_format(out, "; %zu values are few", n);
        text_add(out, ")\n");
    } else {
        text_format(out, ": needs three values of %s to show how time grows\n", text_get(&name));
    }
    free(x);
    free(y);
}

void growth_show(const struct shown *shown, const char *over, struct text *out)
{
    for (size_t i = 0; i < shown->count; i++) {
        if (!fits(shown, i, over))
            continue;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = fits(shown, j, over) && same_line(shown->cases[i], shown->cases[j], over);
        if (!seen)
            fit(shown, i, over, out);
    }
}
