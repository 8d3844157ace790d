// show_comparison: compares cases, in sentences below their table.
#include "show_comparison.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "core/stats/elementary.h"

// Number of decimals that show one digit of the interval's half width, or more: an interval that
// does not contain 1 must not look as if it did.
static int decimals_for(struct interval ci95)
{
    enum { FEWEST = 1, MOST = 3 };
    double half = (ci95.high - ci95.low) / 2;
    if (isnan(half))
        return FEWEST;
    int decimals = half > 0 ? -floor_log10(1.05 * half) : MOST;  // .095 rounds up to .1
    decimals = decimals < FEWEST ? FEWEST : decimals > MOST ? MOST : decimals;
    double step = decimals == 1 ? .1 : decimals == 2 ? .01 : .001;
    for (; decimals < MOST && ci95.low > 1 && ci95.low < 1 + step / 2; step /= 10)
        decimals++;
    return decimals;
}

static void add_name(struct text *out, const char *name)
{
    enum { LONGEST = 40 };
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, name);
    text_add_shortened(out, text_get(&harmless), LONGEST);
}

void comparison_add(const char *name, const char *other, double ratio, struct interval ci95,
                    const char *unknown, struct text *out)
{
    bool is_known = !isnan(ci95.low), differ = !(ci95.low <= 1 && ci95.high >= 1);
    bool faster = differ && ratio < 1;
    struct interval shown = faster ? (struct interval){1 / ci95.high, 1 / ci95.low} : ci95;
    int decimals = decimals_for(shown);
    AUTO(text) struct text line = {0};
    add_name(&line, name);
    text_format(&line, " %s %.*f times %s ", differ ? "is" : "takes", decimals,
                faster ? 1 / ratio : ratio,
                !differ  ? "as long as"
                : faster ? "faster than"
                         : "slower than");
    add_name(&line, other);
    if (is_known)
        text_format(&line, " (%.*f .. %.*f)", decimals, shown.low, decimals, shown.high);
    else if (unknown)
        text_format(&line, " (%s)", unknown);
    if (!differ)
        text_add(&line, ": no significant difference");
    text_add_wrapped(out, 0, terminal_width(STDOUT_FILENO), text_get(&line));
    text_add(out, "\n");
}

static bool is_timed(const struct bilanx_record *record)
{
    return !record->error && record->timing.raw_count > 0 && record->stats.estimate > 0;
}

// The intervals are of independent draws of processes, so their logarithms add like variances.
static struct interval ratio_interval(const struct bilanx_stats *a, const struct bilanx_stats *b,
                                      double ratio)
{
    const double *lows[] = {a->ci95, b->ci95};
    double squares = 0;
    for (size_t i = 0; i < 2; i++) {
        double low = lows[i][0], high = lows[i][1];
        if (!(low > 0) || !(high >= low))
            return (struct interval){NAN, NAN};
        double half = ln(high / low) / 2;
        squares += half * half;
    }
    double factor = exponential(square_root(squares));
    return (struct interval){ratio / factor, ratio * factor};
}

static const char *env_of(const struct shown *shown, size_t i)
{
    const char *env = shown->records[i].task.env;
    return env ? env : "";
}

static bool has_several_envs(const struct shown *shown)
{
    for (size_t i = 1; i < shown->count; i++)
        if (strcmp(env_of(shown, i), env_of(shown, 0)) != 0)
            return true;
    return false;
}

// The name of a case in such a sentence.
static const char *title_of(const struct shown *shown, size_t i, bool by_env)
{
    return by_env ? env_of(shown, i) : shown->cases[i]->name;
}

static void add_pair(const struct shown *shown, size_t at, size_t with, bool by_env,
                     struct text *out)
{
    const struct bilanx_record *records = shown->records;
    if (!is_timed(&records[at]) || !is_timed(&records[with]))
        return;
    double ratio = records[at].stats.estimate / records[with].stats.estimate;
    AUTO(memory) char *name = by_env
                                  ? mem_format("%s: %s", shown->cases[at]->name, env_of(shown, at))
                                  : mem_text(shown->cases[at]->name);
    comparison_add(name, title_of(shown, with, by_env), ratio,
                   ratio_interval(&records[with].stats, &records[at].stats, ratio), NULL, out);
}

void comparison_show(const struct shown *shown, const char *reference, struct text *out)
{
    bool by_env = has_several_envs(shown), found = false;
    const char *wanted = reference || !shown->count ? reference : title_of(shown, 0, by_env);
    for (size_t with = 0; with < shown->count; with++) {
        if (strcmp(title_of(shown, with, by_env), wanted) != 0)
            continue;
        bool is_first = !found;
        found = true;
        for (size_t at = 0; at < shown->count; at++) {
            bool alike = strcmp(shown->cases[at]->name, shown->cases[with]->name) == 0;
            if (at != with && (by_env ? alike : is_first))
                add_pair(shown, at, with, by_env, out);
        }
    }
}

struct bilanx_error comparison_check(const struct run_cases *cases, const char *reference)
{
    AUTO(list) struct list names = {0};
    for (size_t i = 0; i < cases->count; i++) {
        const struct run_case *item = &cases->items[i];
        if (text_equal(item->name, reference) || text_equal(item->subject->env, reference))
            return BILANX_SUCCESS;
        list_add(&names, item->name);
    }
    const char *nearest = text_nearest(reference, (const char *const *)names.items, names.count);
    return bilanx_error_make(BILANX_E_USAGE, "--reference '%s' names no case%s%s%s", reference,
                             nearest ? " (did you mean '" : "", nearest ? nearest : "",
                             nearest ? "'?)" : "");
}
