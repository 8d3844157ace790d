// remarks: says how samples were taken and what is missing, in the note of stacks.
#include "remarks.h"

#include <math.h>

#include "base/text.h"
#include "core/stats/stats.h"

double remarks_overhead(double *with, size_t with_count, double *without, size_t without_count,
                        double least)
{
    if (with_count == 0 || without_count == 0)
        return NAN;
    stats_sort(with, with_count);
    stats_sort(without, without_count);
    double before = without[without_count / 4];
    return before >= least ? with[with_count / 4] / before - 1 : NAN;
}

static void add_overhead(struct text *out, double overhead)
{
    if (isnan(overhead))
        text_add(out, "overhead not measured");
    else if (overhead < 0.001)
        text_add(out, "overhead below 0.1 %");
    else
        text_format(out, "overhead %.1f %%", 100 * overhead);
}

static void add_how(struct text *out, const struct remarks_facts *facts)
{
    text_format(out, "%.0f per second of CPU time (%s), ", facts->rate, facts->ticks);
    add_overhead(out, facts->overhead);
    if (facts->losses.lost > 0)
        text_format(out, ", %.0f samples lost", facts->losses.lost);
    if (facts->losses.throttled)
        text_format(out, ", paused %llu times by the kernel: use a lower --rate",
                    (unsigned long long)facts->losses.throttled);
}

static void add_unnamed(struct text *out, const struct list *unnamed)
{
    enum { NAMED = 3 };
    text_add(out, "shown as addresses, for lack of symbols: functions of ");
    for (size_t i = 0; i < unnamed->count && i < NAMED; i++)
        text_format(out, "%s%s", i ? ", " : "", unnamed->items[i]);
    if (unnamed->count > NAMED)
        text_format(out, " and %zu other files", unnamed->count - NAMED);
}

static void remark(struct stacks *stacks, struct text *text)
{
    stacks_remark(stacks, text_get(text));
    text_clear(text);
}

void remarks_add(struct stacks *stacks, const struct assembly *assembly,
                 const struct remarks_facts *facts)
{
    AUTO(text) struct text text = {0};
    add_how(&text, facts);
    remark(stacks, &text);
    if (facts->why)
        stacks_remark(stacks, facts->why);
    if (!facts->kernel)
        stacks_remark(stacks, facts->by_signals ? "without frames of the kernel"
                                                : "without frames of the kernel, which needs "
                                                  "kernel.perf_event_paranoid=1");
    else if (facts->own)
        stacks_remark(stacks, "without frames of the kernel where Python runs");
    if (assembly->kernel_hidden)
        stacks_remark(stacks, "the kernel hides the names of its functions "
                              "(kernel.kptr_restrict)");
    if (facts->unknown) {
        text_format(&text, "without frames of %s: %s", facts->language, facts->unknown);
        remark(stacks, &text);
    }
    if (assembly->unnamed.count) {
        add_unnamed(&text, &assembly->unnamed);
        remark(stacks, &text);
    }
    if (assembly->cut > 0.005 * assembly->samples) {
        text_format(&text, "the outermost callers of %.1f %% of the samples are unknown",
                    100 * assembly->cut / assembly->samples);
        remark(stacks, &text);
    }
}
