// measure_overheads: measures the pairs that `overhead_of` asks for, before the cases themselves.
#include "measure_overheads.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"
#include "sources/suite_cases/suite_source.h"

void overheads_done(struct overheads *overheads)
{
    for (size_t i = 0; i < overheads->count; i++)
        overhead_result_done(&overheads->results[i]);
    free(overheads->results);
    *overheads = (struct overheads){0};
}

static struct hash hash_of(const char *name)
{
    struct hash hash = hash_start();
    hash_add_text(&hash, name);
    return hash;
}

// The pairs to measure, and the place of the case in each.
struct pairs {
    struct overhead_pair *items;
    size_t *places;
    size_t count;
};

static void pairs_done(struct pairs *pairs)
{
    free(pairs->items);
    free(pairs->places);
}
SCOPE_VALUE(pairs, pairs_done)

// A case that cannot run needs no overhead. If the other one cannot, the reason is known already.
static void add_pair(const struct source *source, size_t place, size_t other, struct pairs *pairs,
                     struct overheads *out)
{
    const struct run_case *item = &source->cases.items[place];
    const struct run_case *with = other == SIZE_MAX ? NULL : &source->cases.items[other];
    if (item->failure)
        return;
    if (!with || with->failure) {
        out->results[place].reason = mem_text(!with                 ? "it was not selected"
                                              : with->failure->text ? with->failure->text
                                                                    : "it cannot run");
        return;
    }
    pairs->places[pairs->count] = place;
    pairs->items[pairs->count++] = (struct overhead_pair){item, with};
}

static void find_pairs(const struct source *source, const size_t *places, size_t count,
                       struct pairs *pairs, struct overheads *out)
{
    const struct selection *selection = suite_source_selection(source);
    AUTO(index) struct index names = {0};
    bool added;
    pairs->items = mem_array(struct overhead_pair, count);
    pairs->places = mem_array(size_t, count);
    for (size_t i = 0; i < selection->count; i++)
        index_find_or_add(&names, hash_of(selection->cases[i]->name), i, &added);
    for (size_t i = 0; i < count; i++) {
        const char *other = selection->cases[places[i]]->overhead_of;
        if (other)
            add_pair(source, places[i], index_find(&names, hash_of(other)), pairs, out);
    }
}

static void working(void *context, const struct run_case *item, double ahead)
{
    struct display *display = context;
    progress_bar_working(&display->bar, item, ahead);
}

struct bilanx_error overheads_measure(const struct source *source, const size_t *places,
                                      size_t count, struct display *display, struct overheads *out)
{
    const struct show_settings *settings = display->settings;
    AUTO(pairs) struct pairs pairs = {0};
    out->count = source->cases.count;
    out->results = mem_array(struct overhead_result, out->count);
    find_pairs(source, places, count, &pairs, out);
    AUTO(memory) struct overhead_result *results = mem_array(struct overhead_result, pairs.count);
    struct bilanx_error error = BILANX_SUCCESS;
    if (pairs.count)
        error = overhead_measure(pairs.items, pairs.count,
                                 &(struct overhead_options){.budget = settings->max_run_time,
                                                            .timeout = settings->timeout,
                                                            .max_memory = settings->max_memory,
                                                            .seed = settings->seed},
                                 &(struct overhead_observer){display, working}, results);
    for (size_t i = 0; i < pairs.count; i++)
        out->results[pairs.places[i]] = results[i];
    return error;
}

void overheads_add(struct overheads *overheads, size_t place, struct bilanx_record *record)
{
    struct overhead_result *result = overheads->results ? &overheads->results[place] : NULL;
    if (!result)
        return;
    if (result->overhead)
        record->overhead_of = TAKE(result->overhead);
    else if (result->reason)
        record_warn(record, "no-overhead", "its overhead is unknown: %s", result->reason);
}
