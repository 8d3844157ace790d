// ab_records: sides that are stored: nothing is interleaved, so the interval is of two samples.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"
#include "record/records.h"
#include "stats/stats.h"

static const char NOT_INTERLEAVED[] =
    "the sides were measured at different times: what the machine did meanwhile is in the change";

struct stored {
    struct bilanx_record *items;
    size_t count, room;
};

static void stored_done(struct stored *stored)
{
    for (size_t i = 0; i < stored->count; i++)
        bilanx_record_done(&stored->items[i]);
    free(stored->items);
}
SCOPE_VALUE(stored, stored_done)

static void ignore_working(void *context, const struct run_case *measured)
{
    (void)context;
    (void)measured;
}

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct stored *stored = context;
    (void)measured;
    mem_grow(stored->items, stored->count, &stored->room);
    stored->items[stored->count++] = *record;
}

// The records of a file, or of a side that is measured now.
static struct bilanx_error collect(const struct ab_arguments *arguments, struct ab_side *side,
                                   struct stored *out)
{
    if (side->side->kind == &side_records)
        return bilanx_record_read_file(side->side->path, &out->items, &out->count);
    struct run_options options = {.max_run_time = arguments->budget,
                                  .timeout = arguments->settings.timeout,
                                  .seed = arguments->settings.seed};
    BILANX_TRY(surroundings_enter(&side->side->surroundings));
    struct bilanx_error error =
        run_measure(&side->cases, &options, &(struct run_observer){out, ignore_working, keep});
    surroundings_leave(&side->side->surroundings);
    return error;
}

// The same benchmark: what it is compiled by, and in which environment, may differ.
static bool is_same_task(const struct bilanx_task *a, const struct bilanx_task *b)
{
    return text_equal(a->stmt, b->stmt) && text_equal(a->setup, b->setup) &&
           text_equal(a->global_setup, b->global_setup) && text_equal(a->language, b->language) &&
           text_equal(a->label, b->label) && text_equal(a->sub_label, b->sub_label) &&
           text_equal(a->description, b->description) && a->num_threads == b->num_threads &&
           text_equal(a->parameters, b->parameters) && text_equal(a->command, b->command);
}

static const struct bilanx_record *find(const struct stored *stored, const struct bilanx_task *task)
{
    for (size_t i = 0; i < stored->count; i++)
        if (text_equal(stored->items[i].kind, "measurement") &&
            is_same_task(&stored->items[i].task, task))
            return &stored->items[i];
    return NULL;
}

static double *logs_of(const struct bilanx_record *record)
{
    const struct bilanx_timing *timing = &record->timing;
    double *logs = mem_array(double, timing->raw_count);
    for (size_t i = 0; i < timing->raw_count; i++)
        logs[i] = log(timing->raw_times[i] / (double)timing->number_per_run);
    return logs;
}

static enum verdict judge_samples(const struct interval *interval, const struct margins *margins)
{
    if (interval->low > margins->claim)
        return VERDICT_SLOWER;
    if (interval->high < -margins->claim)
        return VERDICT_FASTER;
    if (interval->low > -margins->same && interval->high < margins->same)
        return VERDICT_SAME;
    return VERDICT_UNDECIDED;
}

static void compare_records(const struct bilanx_record *before, const struct bilanx_record *after,
                            const struct margins *margins, const char *baseline,
                            struct bilanx_record *out)
{
    AUTO(memory) double *a = logs_of(before);
    AUTO(memory) double *b = logs_of(after);
    size_t a_count = before->timing.raw_count, b_count = after->timing.raw_count;
    double a_mean = stats_mean(a, a_count), b_mean = stats_mean(b, b_count);
    struct interval interval = {-INFINITY, INFINITY};
    if (a_count >= 2 && b_count >= 2)
        interval = stats_difference_interval(a, a_count, b, b_count, 1 - margins->alpha);
    enum verdict verdict = judge_samples(&interval, margins);
    *out = (struct bilanx_record){.kind = mem_text("verdict"), .attempts = 1};
    record_copy_task(&after->task, &out->task);
    out->verdict = mem_new(struct bilanx_verdict);
    *out->verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[verdict]),
        .reason = mem_format("from %zu and %zu stored times", a_count, b_count),
        .baseline = mem_text(baseline),
        .change = expm1(b_mean - a_mean),
        .interval = {expm1(interval.low), expm1(interval.high)},
        .detectable = NAN,
        .times = {exp(a_mean), exp(b_mean)}};
    record_warn(out, "not-interleaved", "%s", NOT_INTERLEAVED);
}

static const char *name_of(const struct bilanx_task *task)
{
    return task->label && *task->label ? task->label : task->stmt ? task->stmt : "";
}

struct bilanx_error ab_compare_stored(const struct ab_arguments *arguments, struct ab_side *first,
                                      struct ab_side *other, struct ab_results *out)
{
    AUTO(stored) struct stored before = {0}, after = {0};
    BILANX_TRY(collect(arguments, first, &before));
    BILANX_TRY(collect(arguments, other, &after));
    out->records = mem_array(struct bilanx_record, after.count);
    out->names = mem_array(char *, after.count);
    for (size_t i = 0; i < after.count; i++) {
        const struct bilanx_record *counterpart = find(&before, &after.items[i].task);
        if (!text_equal(after.items[i].kind, "measurement") || !counterpart)
            continue;
        compare_records(counterpart, &after.items[i], &arguments->margins, first->side->title,
                        &out->records[out->count]);
        out->records[out->count].side = mem_text(other->side->name);
        out->names[out->count++] = mem_text(name_of(&after.items[i].task));
    }
    return out->count
               ? BILANX_SUCCESS
               : bilanx_error_make(BILANX_E_FAILED, "sides %s and %s have no measurement in common",
                                   first->side->name, other->side->name);
}
