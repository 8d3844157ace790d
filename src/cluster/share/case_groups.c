// case_groups: decides which cases must be measured on one machine, and estimates their costs.
#include "case_groups.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"
#include "results/read/reader.h"
#include "sources/suite_cases/suite_source.h"

// Seconds to prepare a case, and to time it or to count it, as measured on a small machine. Only
// their ratios matter.
static const struct language_cost {
    const char *language;
    double prepare, time, count;
} language_costs[] = {
    {"c", .1, 1.2, .3},
    {"c++", .6, 1.2, .4},
    {"python", .1, 2, 6},
    {NULL, .1, 1.2, 1},
};

static double expected_cost(const struct run_case *item, const struct case_costs *costs,
                            bool has_overhead)
{
    enum { OVERHEAD_S = 5 };
    const struct language_cost *known = language_costs;
    while (known->language && !text_equal(known->language, item->task.language))
        known++;
    double measuring = costs->counted ? known->count : known->time;
    if (!costs->counted && costs->run_time > 0)
        measuring = measuring - 1 + costs->run_time;
    return known->prepare + measuring + (has_overhead && !costs->counted ? OVERHEAD_S : 0);
}

// Groups are trees of items; each item refers to one before it, or to itself.

static size_t root_of(struct shard_item *items, size_t at)
{
    while (items[at].group != at)
        at = items[at].group = items[items[at].group].group;
    return at;
}

static void join(struct shard_item *items, size_t a, size_t b)
{
    size_t first = root_of(items, a), second = root_of(items, b);
    if (first < second)
        items[second].group = first;
    else
        items[first].group = second;
}

static struct hash row_of(const struct run_case *item)
{
    const struct bilanx_task *task = &item->task;
    struct hash row = hash_start();
    hash_add_text(&row, task->label);
    hash_add_text(&row, task->sub_label);
    if (!task->sub_label)
        hash_add_text(&row, task->stmt ? task->stmt : item->name);
    return row;
}

static void join_rows(const struct run_cases *cases, struct shard_item *items)
{
    AUTO(index) struct index rows = {0};
    for (size_t i = 0; i < cases->count; i++) {
        bool added;
        join(items, i, index_find_or_add(&rows, row_of(&cases->items[i]), i, &added));
    }
}

static void join_overheads(const struct selection *selection, struct shard_item *items)
{
    AUTO(index) struct index names = {0};
    for (size_t i = 0; i < selection->count; i++) {
        bool added;
        index_find_or_add(&names, hash_of_text(selection->cases[i]->name), i, &added);
    }
    for (size_t i = 0; i < selection->count; i++) {
        const char *other = selection->cases[i]->overhead_of;
        size_t at = other ? index_find(&names, hash_of_text(other)) : SIZE_MAX;
        if (at != SIZE_MAX)
            join(items, i, at);
    }
}

struct known_costs {
    struct index places;
    struct shard_item *items;
};

static struct bilanx_error take_cost(void *context, struct bilanx_record *record)
{
    struct known_costs *known = context;
    size_t place = index_find(&known->places, record_bare_hash(&record->task));
    if (place != SIZE_MAX && record->elapsed > 0 && !record->error)
        known->items[place].cost = record->elapsed;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_costs(const char *path, const struct run_cases *cases,
                                      struct shard_item *items)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    struct known_costs known = {.items = items};
    for (size_t i = 0; i < cases->count; i++) {
        bool added;
        index_find_or_add(&known.places, record_bare_hash(&cases->items[i].task), i, &added);
    }
    struct bilanx_error error =
        reader_each(&lines, &(struct reader_sink){take_cost, &known, .cut_short = true});
    index_done(&known.places);
    return error;
}

struct bilanx_error case_groups(const struct source *source, const struct case_costs *costs,
                                struct shard_item **out)
{
    const struct run_cases *cases = &source->cases;
    const struct selection *selection =
        source->kind == &suite_source ? suite_source_selection(source) : NULL;
    AUTO(memory) struct shard_item *items = mem_array(struct shard_item, cases->count + 1);
    for (size_t i = 0; i < cases->count; i++)
        items[i] = (struct shard_item){
            expected_cost(&cases->items[i], costs, selection && selection->cases[i]->overhead_of),
            costs->compared ? 0 : i};
    if (!costs->compared)
        join_rows(cases, items);
    if (selection)
        join_overheads(selection, items);
    if (costs->records)
        BILANX_TRY(read_costs(costs->records, cases, items));
    for (size_t i = 0; i < cases->count; i++)
        items[i].group = root_of(items, i);
    *out = TAKE(items);
    return BILANX_SUCCESS;
}
