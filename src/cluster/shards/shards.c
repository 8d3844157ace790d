// shards: divides cases into parts of about equal cost, the same way on every machine.
#include "shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

struct bilanx_error shard_parse(const char *text, struct shard *out)
{
    struct shard shard = {0};
    int size = 0, with_step = 0;
    // %u accepts a sign, so the first character of each number is checked.
    bool plain = text[strspn(text, "0123456789/")] == '\0' && text[0] != '/' && !strstr(text, "//");
    int read = sscanf(text, "%7" SCNu64 "/%7" SCNu64 "%n/%7" SCNu64 "%n", &shard.index,
                      &shard.count, &size, &shard.step, &with_step);
    size_t used = (size_t)(with_step ? with_step : size);
    if (!plain || read < 2 || text[used] || (read == 3 && shard.step == 0))
        return bilanx_error_make(BILANX_E_USAGE, "--shard takes I/N such as 2/8, not '%.40s'",
                                 text);
    if (shard.index < 1 || shard.index > shard.count || shard.count > SHARDS_MOST)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--shard '%.40s': I is from 1 to N, and N at most %d", text,
                                 SHARDS_MOST);
    *out = shard;
    return BILANX_SUCCESS;
}

// Shards of the same size, with the least full one on top of a heap.
struct step {
    double weight;  // of each of its shards
    struct bin {
        double load;
        uint32_t shard;
    } *bins;
    size_t count;
};

static bool is_before(const struct bin *a, const struct bin *b)
{
    return a->load != b->load ? a->load < b->load : a->shard < b->shard;
}

static void sink_top(struct step *step)
{
    struct bin top = step->bins[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < step->count; at = child) {
        if (child + 1 < step->count && is_before(&step->bins[child + 1], &step->bins[child]))
            child++;
        if (!is_before(&step->bins[child], &top))
            break;
        step->bins[at] = step->bins[child];
    }
    step->bins[at] = top;
}

static size_t step_count(const struct shard *shard)
{
    return shard->step ? (shard->count + shard->step - 1) / shard->step : 1;
}

static size_t shards_in_step(const struct shard *shard, size_t step)
{
    if (!shard->step)
        return shard->count;
    size_t left = shard->count - step * shard->step;
    return left < shard->step ? left : shard->step;
}

// Each step gets half as much as the one before; the last one gets as much as its predecessor.
static double step_weight(const struct shard *shard, size_t step)
{
    double share = 1;
    for (size_t i = 0; i < step || (i == step && step + 1 < step_count(shard)); i++)
        share /= 2;
    return share / (double)shards_in_step(shard, step);
}

double shard_weight(const struct shard *shard, uint64_t index)
{
    return step_weight(shard, shard->step ? (index - 1) / shard->step : 0);
}

static void make_steps(const struct shard *shard, struct step *steps, struct bin *bins)
{
    uint32_t next = 0;
    for (size_t i = 0; i < step_count(shard); i++) {
        steps[i] = (struct step){step_weight(shard, i), bins + next, shards_in_step(shard, i)};
        for (size_t k = 0; k < steps[i].count; k++, next++)
            bins[next] = (struct bin){0, next + 1};
    }
}

static struct step *least_full(struct step *steps, size_t count, double cost)
{
    struct step *best = steps;
    double fullness = (steps->bins[0].load + cost) / steps->weight;
    for (struct step *step = steps + 1; step < steps + count; step++) {
        double other = (step->bins[0].load + cost) / step->weight;
        if (other < fullness) {
            best = step;
            fullness = other;
        }
    }
    return best;
}

struct group {
    double cost;
    size_t first;  // its first item
};

static int by_cost(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Sums up groups. Unused slots have `first` == count.
static size_t sum_groups(const struct shard_item *items, size_t count, struct group *groups)
{
    for (size_t i = 0; i < count; i++)
        groups[i] = (struct group){0, count};
    for (size_t i = 0; i < count; i++) {
        struct group *group = &groups[items[i].group];
        group->cost += items[i].cost;
        group->first = group->first < i ? group->first : i;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (groups[i].first < count)
            groups[kept++] = groups[i];
    return kept;
}

void shards_cut(const struct shard_item *items, size_t count, const struct shard *shard,
                uint32_t *out)
{
    AUTO(memory) struct step *steps = mem_array(struct step, step_count(shard));
    AUTO(memory) struct bin *bins = mem_array(struct bin, shard->count);
    AUTO(memory) struct group *groups = mem_array(struct group, count + 1);
    AUTO(memory) uint32_t *shard_of_group = mem_array(uint32_t, count + 1);
    make_steps(shard, steps, bins);
    size_t group_count = sum_groups(items, count, groups);
    qsort(groups, group_count, sizeof *groups, by_cost);
    for (size_t i = 0; i < group_count; i++) {
        struct step *step = least_full(steps, step_count(shard), groups[i].cost);
        shard_of_group[items[groups[i].first].group] = step->bins[0].shard;
        step->bins[0].load += groups[i].cost;
        sink_top(step);
    }
    for (size_t i = 0; i < count; i++)
        out[i] = shard_of_group[items[i].group];
}
