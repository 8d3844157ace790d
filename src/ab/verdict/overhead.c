// overhead: how much more time one case takes than another, per call.
#include "overhead.h"

#include <math.h>
#include <stdlib.h>

#include "ab/verdict/interleaved.h"
#include "base/mem.h"
#include "core/record/shape.h"
#include "core/stats/elementary.h"

void overhead_result_done(struct overhead_result *result)
{
    if (result->overhead)
        shape_done(&shape_overhead, result->overhead);
    free(result->overhead);
    free(result->reason);
    *result = (struct overhead_result){0};
}

// Half the width of the interval of the first side's time, as a share: the change is relative to
// it. Epochs record the time of the second side.
static double doubt_of_first(const struct bilanx_record *record)
{
    const struct bilanx_verdict *verdict = record->verdict;
    size_t count = record->timing.epoch_count;
    if (count < 2 || verdict->change_count != count)
        return 0;
    AUTO(memory) double *logs = mem_array(double, count);
    for (size_t i = 0; i < count; i++)
        logs[i] = ln(record->timing.epochs[i].time) - verdict->changes[i];
    struct interval interval = stats_mean_interval(logs, count, .95);
    return (interval.high - interval.low) / 2;
}

static double joint(double one, double other)
{
    return square_root(one * one + other * other);
}

struct bilanx_overhead *overhead_of_verdict(const struct bilanx_record *record, const char *to)
{
    const struct bilanx_verdict *verdict = record->verdict;
    if (!verdict || !(verdict->times[0] > 0) || !isfinite(verdict->interval[0]) ||
        !isfinite(verdict->interval[1]))
        return NULL;
    struct bilanx_overhead *overhead = mem_new(struct bilanx_overhead);
    double first = verdict->times[0], estimate = verdict->times[1] - first;
    double scale = fabs(estimate) * doubt_of_first(record);
    overhead->to = mem_text(to);
    overhead->estimate = estimate;
    overhead->ci95[0] = estimate - joint(estimate - first * verdict->interval[0], scale);
    overhead->ci95[1] = estimate + joint(first * verdict->interval[1] - estimate, scale);
    overhead->epochs = verdict->change_count;
    return overhead;
}

// Two forks cannot take turns if they come from one standby worker, as it has one conversation at a
// time. So the other side gets its own workers.
struct spares {
    struct spare_subject {
        const struct run_subject *of;
        struct run_subject *copy;
    } *items;
    size_t count, room;
};

static void spares_done(struct spares *spares)
{
    for (size_t i = 0; i < spares->count; i++) {
        run_standby_free(spares->items[i].copy->standby);
        free(spares->items[i].copy);
    }
    free(spares->items);
}
SCOPE_VALUE(spares, spares_done)

static const struct run_subject *spare_of(struct spares *spares, const struct run_subject *subject)
{
    for (size_t i = 0; i < spares->count; i++)
        if (spares->items[i].of == subject)
            return spares->items[i].copy;
    struct run_subject *copy = mem_new(struct run_subject);
    *copy = *subject;
    copy->standby = run_standby_new();
    mem_grow(spares->items, spares->count, &spares->room);
    spares->items[spares->count++] = (struct spare_subject){subject, copy};
    return copy;
}

struct measuring {
    const struct overhead_pair *pairs;
    const struct overhead_observer *observer;
    struct overhead_result *results;
};

static void working(void *context, const struct run_case *item, double ahead)
{
    const struct measuring *measuring = context;
    if (measuring->observer && measuring->observer->working)
        measuring->observer->working(measuring->observer->context, item, ahead);
}

static void finished(void *context, size_t index, struct bilanx_record *record)
{
    const struct measuring *measuring = context;
    struct overhead_result *result = &measuring->results[index];
    if (record->error)
        result->reason = mem_text(record->error->text);
    else
        result->overhead = overhead_of_verdict(record, measuring->pairs[index].other->name);
    if (!result->overhead && !result->reason)
        result->reason = mem_text(record->verdict ? record->verdict->reason : "too few epochs");
    bilanx_record_done(record);
}

struct bilanx_error overhead_measure(const struct overhead_pair *pairs, size_t count,
                                     const struct overhead_options *options,
                                     const struct overhead_observer *observer,
                                     struct overhead_result *results)
{
    AUTO(spares) struct spares spares = {0};
    AUTO(memory) struct run_case *others = mem_array(struct run_case, count);
    AUTO(memory) struct run_case *items = mem_array(struct run_case, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = *pairs[i].item;
        others[i] = *pairs[i].other;
        if (!others[i].failure && others[i].subject->standby &&
            others[i].subject == items[i].subject)
            others[i].subject = spare_of(&spares, others[i].subject);
    }
    const struct run_cases first = {.items = others, .count = count},
                           second = {.items = items, .count = count};
    const struct interleaved_side sides[2] = {{"the other case", "the other case", &first},
                                              {"the case", "the case", &second}};
    struct interleaved_options how = {
        .margins = {.alpha = .05, .claim = default_margins.claim, .same = default_margins.same},
        .budget = options->budget > 0 ? options->budget : OVERHEAD_BUDGET_S,
        .timeout = options->timeout,
        .max_memory = options->max_memory,
        .seed = options->seed,
        .precise = true,
        .unconfirmed = true,
    };
    struct measuring measuring = {pairs, observer, results};
    struct interleaved_summary summary;
    return interleaved_compare(
        sides, &how, &(struct interleaved_observer){&measuring, working, finished}, &summary);
}
