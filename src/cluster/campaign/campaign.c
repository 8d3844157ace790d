// campaign: decides which cases are measured where, and what remains to do when something fails.
#include "campaign.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { REFUSALS_MOST = 100 };  // a cluster of unfit machines must not be tried forever

void campaign_init(struct campaign *campaign, const struct shard_item *items, size_t count,
                   const struct campaign_options *options)
{
    *campaign = (struct campaign){.items = items,
                                  .case_count = count,
                                  .options = *options,
                                  .cases = mem_array(struct campaign_case, count + 1)};
    struct campaign_options *chosen = &campaign->options;
    chosen->machines = chosen->machines ? chosen->machines : 1;
    chosen->task_start_s = chosen->task_start_s > 0 ? chosen->task_start_s : 2;
    chosen->most_tasks = chosen->most_tasks ? chosen->most_tasks : 1000;
    for (size_t i = 0; i < count; i++)
        campaign->total_cost += items[i].cost;
}

void campaign_done(struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->batch_count; i++) {
        free(campaign->batches[i].cases);
        free(campaign->batches[i].tasks);
        free(campaign->batches[i].states);
    }
    for (size_t i = 0; i < campaign->node_count; i++) {
        free(campaign->nodes[i].name);
        free(campaign->nodes[i].bad);
    }
    free(campaign->nodes);
    free(campaign->batches);
    free(campaign->cases);
    *campaign = (struct campaign){0};
}

struct campaign_node *campaign_node(struct campaign *campaign, const char *name)
{
    for (size_t i = 0; i < campaign->node_count; i++)
        if (strcmp(campaign->nodes[i].name, name) == 0)
            return &campaign->nodes[i];
    mem_grow(campaign->nodes, campaign->node_count, &campaign->node_room);
    struct campaign_node *node = &campaign->nodes[campaign->node_count++];
    *node = (struct campaign_node){.name = mem_text(name)};
    return node;
}

// Halves sizes until the smallest tasks are not much longer than their start. Retried tasks start
// at once on any free machine, so they all have the same size.
static struct shard size_of_batch(const struct campaign *campaign, double cost, size_t groups)
{
    enum { STEPS_MOST = 6, WORTH_STARTING = 8 };
    const struct campaign_options *options = &campaign->options;
    uint64_t machines = options->machines;
    double per_machine = cost / (double)machines, least = WORTH_STARTING * options->task_start_s;
    uint64_t steps = 1;
    while (steps < STEPS_MOST && per_machine > least && (steps + 1) * machines <= groups) {
        per_machine /= 2;
        steps++;
    }
    bool again = campaign->batch_count > 0;
    uint64_t worth = (uint64_t)(cost / least) + 1;
    uint64_t count = again && worth < machines ? worth : again ? machines : steps * machines;
    count = count > groups ? groups : count;
    count = count > options->most_tasks ? options->most_tasks : count;
    return (struct shard){.count = count ? count : 1, .step = again || steps == 1 ? 0 : machines};
}

static size_t count_groups(const struct campaign *campaign, const size_t *cases, size_t count)
{
    AUTO(memory) bool *seen = mem_array(bool, campaign->case_count + 1);
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        bool *known = &seen[campaign->items[cases[i]].group];
        groups += !*known;
        *known = true;
    }
    return groups;
}

// The same cut that portion_choose() makes on the machines.
static void cut(const struct campaign *campaign, struct campaign_batch *batch)
{
    size_t count = batch->case_count;
    AUTO(memory) struct shard_item *items = mem_array(struct shard_item, count + 1);
    AUTO(memory) size_t *renamed = mem_array(size_t, campaign->case_count + 1);  // plus 1
    for (size_t i = 0; i < count; i++) {
        const struct shard_item *item = &campaign->items[batch->cases[i]];
        if (!renamed[item->group])
            renamed[item->group] = i + 1;
        items[i] = (struct shard_item){item->cost, renamed[item->group] - 1};
    }
    batch->tasks = mem_array(uint32_t, count + 1);
    shards_cut(items, count, &batch->shard, batch->tasks);
}

size_t campaign_restore(struct campaign *campaign, const size_t *cases, size_t count,
                        const struct shard *shard)
{
    mem_grow(campaign->batches, campaign->batch_count, &campaign->batch_room);
    struct campaign_batch *batch = &campaign->batches[campaign->batch_count];
    *batch = (struct campaign_batch){.cases = mem_array(size_t, count + 1),
                                     .case_count = count,
                                     .shard = *shard,
                                     .states = mem_array(enum campaign_task, shard->count),
                                     .open_count = shard->count};
    memcpy(batch->cases, cases, count * sizeof *cases);
    cut(campaign, batch);
    for (size_t i = 0; i < count; i++)
        if (campaign->cases[cases[i]].progress == CAMPAIGN_MISSING)
            campaign->cases[cases[i]].progress = CAMPAIGN_UNDERWAY;
    return campaign->batch_count++;
}

bool campaign_next(struct campaign *campaign, size_t *out)
{
    AUTO(memory) size_t *cases = mem_array(size_t, campaign->case_count + 1);
    size_t count = 0;
    double cost = 0;
    for (size_t i = 0; i < campaign->case_count; i++)
        if (campaign->cases[i].progress == CAMPAIGN_MISSING) {
            cases[count++] = i;
            cost += campaign->items[i].cost;
        }
    if (count == 0)
        return false;
    struct shard shard = size_of_batch(campaign, cost, count_groups(campaign, cases, count));
    *out = campaign_restore(campaign, cases, count, &shard);
    return true;
}

bool campaign_case_done(struct campaign *campaign, size_t index, const char *node)
{
    struct campaign_case *item = &campaign->cases[index];
    if (item->progress == CAMPAIGN_DONE)
        return false;
    campaign->abandoned_count -= item->progress == CAMPAIGN_ABANDONED;
    item->progress = CAMPAIGN_DONE;
    campaign->done_count++;
    campaign->done_cost += campaign->items[index].cost;
    if (node && *node) {
        struct campaign_node *known = campaign_node(campaign, node);
        known->measured++;
        item->node = (uint32_t)(known - campaign->nodes) + 1;
    }
    return true;
}

static void miss(struct campaign *campaign, size_t index, enum campaign_end end)
{
    struct campaign_case *item = &campaign->cases[index];
    if (item->progress != CAMPAIGN_UNDERWAY)
        return;
    item->deaths += end != CAMPAIGN_REFUSED;
    item->refusals += end == CAMPAIGN_REFUSED;
    bool hopeless = item->deaths > campaign->options.retries || item->refusals > REFUSALS_MOST;
    item->progress = hopeless ? CAMPAIGN_ABANDONED : CAMPAIGN_MISSING;
    campaign->abandoned_count += hopeless;
}

void campaign_task_ended(struct campaign *campaign, size_t at, uint64_t task, enum campaign_end end,
                         const char *node)
{
    struct campaign_batch *batch = &campaign->batches[at];
    if (batch->states[task - 1] == CAMPAIGN_ENDED)
        return;
    batch->states[task - 1] = CAMPAIGN_ENDED;
    batch->open_count--;
    if (end == CAMPAIGN_DIED && node && *node)
        campaign_node(campaign, node)->deaths++;
    for (size_t i = 0; i < batch->case_count; i++)
        if (batch->tasks[i] == task)
            miss(campaign, batch->cases[i], end);
}

bool campaign_task_lacks(const struct campaign *campaign, size_t at, uint64_t task)
{
    const struct campaign_batch *batch = &campaign->batches[at];
    for (size_t i = 0; i < batch->case_count; i++)
        if (batch->tasks[i] == task &&
            campaign->cases[batch->cases[i]].progress == CAMPAIGN_UNDERWAY)
            return true;
    return false;
}

size_t campaign_node_bad(struct campaign *campaign, const char *name, const char *why)
{
    struct campaign_node *node = campaign_node(campaign, name);
    uint32_t number = (uint32_t)(node - campaign->nodes) + 1;
    size_t again = 0;
    if (node->bad)
        return 0;
    node->bad = mem_text(why);
    for (size_t i = 0; i < campaign->case_count; i++) {
        struct campaign_case *item = &campaign->cases[i];
        if (item->progress != CAMPAIGN_DONE || item->node != number)
            continue;
        item->progress = CAMPAIGN_MISSING;
        item->node = 0;
        campaign->done_count--;
        campaign->done_cost -= campaign->items[i].cost;
        again++;
    }
    return again;
}

size_t campaign_open_tasks(const struct campaign *campaign)
{
    size_t open = 0;
    for (size_t i = 0; i < campaign->batch_count; i++)
        open += campaign->batches[i].open_count;
    return open;
}

bool campaign_is_over(const struct campaign *campaign)
{
    if (campaign_open_tasks(campaign))
        return false;
    for (size_t i = 0; i < campaign->case_count; i++)
        if (campaign->cases[i].progress == CAMPAIGN_MISSING)
            return false;
    return true;
}
