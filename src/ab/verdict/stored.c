// stored: verdicts on existing measurements or counts.
#include "stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/verdict/reasons.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/record/records.h"
#include "core/record/variants.h"
#include "core/stats/elementary.h"

bool stored_is_same_task(const struct bilanx_task *a, const struct bilanx_task *b)
{
    return text_equal(a->stmt, b->stmt) && text_equal(a->setup, b->setup) &&
           text_equal(a->global_setup, b->global_setup) && text_equal(a->language, b->language) &&
           text_equal(a->label, b->label) && text_equal(a->sub_label, b->sub_label) &&
           text_equal(a->description, b->description) && a->num_threads == b->num_threads &&
           text_equal(a->parameters, b->parameters) && text_equal(a->command, b->command);
}

static double *logs_of(const struct bilanx_record *record)
{
    const struct bilanx_timing *timing = &record->timing;
    double *logs = mem_array(double, timing->raw_count);
    for (size_t i = 0; i < timing->raw_count; i++)
        logs[i] = ln(timing->raw_times[i] / (double)timing->number_per_run);
    return logs;
}

// A loop that the compiler removed takes as long as reading the clock, about 20 ns at best.
static bool is_too_short(const struct bilanx_record *record)
{
    static const double SHORTEST = 200e-9;
    double shortest = INFINITY;
    for (size_t i = 0; i < record->timing.raw_count; i++)
        shortest = fmin(shortest, record->timing.raw_times[i]);
    for (size_t i = 0; i < record->warning_count; i++)
        if (text_equal(record->warnings[i].code, "clock-too-coarse"))
            return shortest < SHORTEST;
    return false;
}

static void begin(const struct bilanx_record *after, struct bilanx_record *out)
{
    *out = (struct bilanx_record){.kind = mem_text("verdict"), .attempts = 1};
    record_copy_task(&after->task, &out->task);
    out->verdict = mem_new(struct bilanx_verdict);
}

// The variation of machines between hours, if nothing better is known. The other hardware thread of
// a core makes code up to 1.9 times slower. Even with the core to itself, its frequency moved by 6
// % within a minute (docs/method/two-sides.md).
static const double LN_NEIGHBOUR = 0.642, LN_FREQUENCY = 0.058;
enum { FEWEST_CASES = 8 };

struct stored_hours stored_hours(const double *changes, size_t count, bool free)
{
    static const double TO_SIGMA = 1.4826, Z_99 = 2.576;
    if (count < FEWEST_CASES)
        return (struct stored_hours){.spread = free ? LN_FREQUENCY : LN_NEIGHBOUR, .free = free};
    AUTO(memory) double *sorted = mem_array(double, count);
    memcpy(sorted, changes, count * sizeof *sorted);
    stats_sort(sorted, count);
    double middle = stats_quantile(sorted, count, .5);
    for (size_t i = 0; i < count; i++)
        sorted[i] = fabs(changes[i] - middle);
    stats_sort(sorted, count);
    double apart = stats_quantile(sorted, count, .5);
    return (struct stored_hours){
        .spread = fabs(middle) + Z_99 * TO_SIGMA * apart, .cases = count, .free = free};
}

double stored_change(const struct bilanx_record *before, const struct bilanx_record *after)
{
    AUTO(memory) double *a = logs_of(before);
    AUTO(memory) double *b = logs_of(after);
    return stats_mean(b, after->timing.raw_count) - stats_mean(a, before->timing.raw_count);
}

static enum verdict seeming(enum verdict verdict)
{
    return verdict == VERDICT_FASTER   ? VERDICT_SEEMS_FASTER
           : verdict == VERDICT_SLOWER ? VERDICT_SEEMS_SLOWER
           : verdict == VERDICT_SAME   ? VERDICT_SEEMS_SAME
                                       : verdict;
}

static void add_hours(struct text *reason, const struct stored_hours *hours)
{
    text_add(reason, ", measured at different times, which may account for ");
    reason_add_share(reason, judge_fraction(hours->spread));
    if (hours->cases)
        text_format(reason, ", as the changes of all %zu cases show", hours->cases);
    else if (hours->free)
        text_add(reason, ": the frequency may have changed");
    else
        text_add(reason, ": the records do not say whether they had the core to themselves");
}

void stored_judge_times(const struct bilanx_record *before, const struct bilanx_record *after,
                        const struct stored_hours *hours, const struct margins *margins,
                        struct bilanx_record *out)
{
    AUTO(memory) double *a = logs_of(before);
    AUTO(memory) double *b = logs_of(after);
    size_t a_count = before->timing.raw_count, b_count = after->timing.raw_count;
    double a_mean = stats_mean(a, a_count), b_mean = stats_mean(b, b_count);
    struct interval interval = {-INFINITY, INFINITY};
    if (a_count >= 2 && b_count >= 2)
        interval = stats_difference_interval(a, a_count, b, b_count, 1 - margins->alpha);
    interval.low -= hours->spread;
    interval.high += hours->spread;
    bool too_short = is_too_short(before) || is_too_short(after);
    enum verdict verdict =
        too_short ? VERDICT_UNDECIDED : seeming(judge_interval(&interval, margins));
    struct finding finding = {.change = b_mean - a_mean, .interval = interval};
    double detectable = judge_detectable(&finding, margins);
    bool open = verdict == VERDICT_UNDECIDED && !too_short && !isinf(detectable);
    AUTO(text) struct text reason = {0};
    text_format(&reason, "from %zu and %zu stored times", a_count, b_count);
    if (too_short)
        text_add(&reason, ", which are below the clock's resolution");
    else
        add_hours(&reason, hours);
    begin(after, out);
    *out->verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[verdict]),
        .reason = text_take(&reason),
        .change = judge_fraction(finding.change),
        .interval = {judge_fraction(interval.low), judge_fraction(interval.high)},
        .detectable = open ? detectable : NAN,
        .times = {exponential(a_mean), exponential(b_mean)}};
    record_warn(out, "not-interleaved",
                "the sides were measured at different times, so the change includes any change in "
                "the machine: compare them side by side for a verdict");
}

void stored_judge_counts(const struct bilanx_record *before, const struct bilanx_record *after,
                         const struct margins *margins, struct bilanx_record *out)
{
    double a = before->counts->per_iteration, b = after->counts->per_iteration;
    double change = b / a - 1;
    AUTO(text) struct text reason = {0};
    text_format(&reason, "instructions, not times: %.15g and %.15g; ", a, b);
    bool incomparable = variants_add_difference(before, after, &reason);
    if (!incomparable)
        text_cut(&reason, reason.size - strlen("; "));
    enum verdict verdict = incomparable               ? VERDICT_UNDECIDED
                           : change > margins->claim  ? VERDICT_SLOWER
                           : change < -margins->claim ? VERDICT_FASTER
                                                      : VERDICT_SAME;
    begin(after, out);
    *out->verdict = (struct bilanx_verdict){.verdict = mem_text(verdict_words[verdict]),
                                            .reason = text_take(&reason),
                                            .change = change,
                                            .interval = {change, change},
                                            .detectable = NAN};
}
