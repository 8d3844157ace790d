// run: measures cases, interleaving the epochs of neighbouring ones.
#include "run.h"

#include <stdlib.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/random.h"
#include "core/record/facts.h"
#include "measure_case.h"
#include "watch.h"

// Number of cases measured at a time. A larger group would spread a slow minute more evenly, but ^C
// leaves the whole group unfinished.
enum { GROUP = 8 };

// State shared by all cases of a run.
struct whole {
    const struct run_options *options;
    const struct run_observer *observer;
    struct random random;
    struct core_floor core;
};

struct group {
    struct whole *whole;
    struct progress items[GROUP];
    size_t count;
    struct watch watch;
};

static void conclude(struct group *group, struct progress *progress)
{
    const struct run_options *options = group->whole->options;
    const struct run_observer *observer = group->whole->observer;
    struct warning_facts facts = {.busy_share = watch_busy_share(&group->watch)};
    machine_governor(cpus_measuring(), facts.governor, sizeof facts.governor);
    if (!progress_conclude(progress, &facts))
        return;
    if (options->check && progress->done && !progress->record.error)
        options->check(options->check_context, progress->measured, &progress->record);
    observer->finished(observer->context, progress->measured, &progress->record);
}

static double share_of_unfinished(const struct group *group)
{
    double sum = 0;
    for (size_t i = 0; i < group->count; i++)
        sum += group->items[i].done ? 0 : group->items[i].epochs.share;
    return sum;
}

// Each round runs one process of every unfinished case, in a new random order.
static struct bilanx_error measure_group(struct group *group)
{
    struct whole *whole = group->whole;
    for (;;) {
        size_t order[GROUP], open = 0;
        for (size_t i = 0; i < group->count; i++)
            if (!group->items[i].done)
                order[open++] = i;
        if (open == 0)
            return BILANX_SUCCESS;
        random_shuffle(&whole->random, order, open);
        for (size_t i = 0; i < open; i++) {
            struct progress *progress = &group->items[order[i]];
            if (whole->observer->working)
                whole->observer->working(whole->observer->context, progress->measured,
                                         share_of_unfinished(group));
            uint64_t seed = random_bits(&whole->random) >> 1;
            BILANX_TRY(progress_step(progress, whole->options, seed));
            if (progress->done)
                conclude(group, progress);
        }
    }
}

// After an error, which can only be ^C, concludes the cases with what they have so far.
static struct bilanx_error run_group(struct group *group)
{
    group->watch = watch_start();
    struct bilanx_error error = measure_group(group);
    for (size_t i = 0; i < group->count; i++)
        if (!group->items[i].done)
            conclude(group, &group->items[i]);
    return error;
}

static struct bilanx_error run_new(struct whole *whole, const struct run_case *cases, size_t count)
{
    struct group group = {.whole = whole, .count = count};
    for (size_t i = 0; i < count; i++)
        progress_init(&group.items[i], &cases[i], whole->options, &whole->core);
    return run_group(&group);
}

static struct bilanx_error run_all(struct whole *whole, const struct run_cases *cases)
{
    size_t width = whole->options->method ? 1 : GROUP;  // other methods need only one process
    for (size_t first = 0; first < cases->count; first += width) {
        size_t left = cases->count - first;
        BILANX_TRY(run_new(whole, cases->items + first, left < width ? left : width));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error run_measure(const struct run_cases *cases, const struct run_options *options,
                                const struct run_observer *observer)
{
    struct whole whole = {.options = options, .observer = observer};
    core_floor_load(&whole.core);
    random_init(&whole.random, options->seed ? options->seed : random_fresh_seed());
    uint64_t rounds =
        options->method == &method_timeit || options->repeats == 0 ? 1 : options->repeats;
    struct bilanx_error error = BILANX_SUCCESS;
    for (uint64_t round = 0; round < rounds && error.status == BILANX_OK; round++)
        error = run_all(&whole, cases);
    core_floor_save(&whole.core);
    return error;
}
