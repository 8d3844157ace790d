// ab_bisect: shows the result of `bilanx ab --bisect`.
#include <stdio.h>

#include "ab/comparison/bisect.h"
#include "ab_report.h"

void ab_show_step(const char *title, const char *what, const struct bilanx_record *record)
{
    AUTO(text) struct text line = {0};
    text_add_harmless(&line, title);
    text_format(&line, ": %s", what);
    if (record && record->verdict)
        text_format(&line, ", %+.2f %%", 100 * record->verdict->change);
    fprintf(stderr, "%s\n", text_get(&line));
}

static void add_commit(const struct ab_bisection *bisection, struct text *out)
{
    const struct bilanx_verdict *verdict = bisection->record.verdict;
    text_add(out, "first slower commit: ");
    text_add_harmless(out, bisection->commit);
    text_add(out, "\n");
    if (bisection->unjudged)
        text_format(out, "or one of the %zu before it, which were undecided\n",
                    bisection->unjudged);
    text_add_harmless(out, bisection->name);
    text_format(out, ": %+.2f %%, %+.2f .. %+.2f, against %s\n", 100 * verdict->change,
                100 * verdict->interval[0], 100 * verdict->interval[1],
                bisection->unjudged ? "the last commit that is not slower" : "its parent");
}

static void add_ends(const struct ab_bisection *bisection, struct text *out)
{
    text_add(out, "no single commit is clearly slower\n");
    text_add_harmless(out, bisection->name);
    text_format(out, ": %+.2f %% from end to end, but %s between\n", 100 * bisection->change,
                bisection->is_not_slower ? "not slower" : "undecided");
    text_add_harmless(out, bisection->from);
    text_add(out, " and\n");
    text_add_harmless(out, bisection->to);
    text_add(out, "\n");
}

struct bilanx_error ab_show_bisection(const struct ab_bisection *bisection)
{
    AUTO(text) struct text out = {0};
    (bisection->commit ? add_commit : add_ends)(bisection, &out);
    fputs(text_get(&out), stdout);
    if (bisection->commit)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_FAILED,
                             "no commit is clearly slower than the one before it: the change may "
                             "be spread over several commits or be chance; try a larger --budget");
}
