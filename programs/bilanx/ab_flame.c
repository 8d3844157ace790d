// ab_flame: the option --flame of `bilanx ab`: a graph of the differences, scaled to the verdicts.
#include "ab_flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/records.h"
#include "flame_beside.h"
#include "profile/stacks/agreement.h"
#include "profile/stacks/trees.h"

enum { MOST_DESCRIBED = 4 };  // of the cases of a graph

void ab_flame_done(struct ab_flame *flame)
{
    for (size_t i = 0; i < flame->count; i++) {
        struct ab_flame_pair *pair = &flame->pairs[i];
        for (size_t k = 0; k < pair->record_count; k++)
            bilanx_record_done(&pair->records[k]);
        free(pair->records);
        free(pair->other);
        free(pair->title);
        stacks_free(pair->sides[0]);
        stacks_free(pair->sides[1]);
        list_done(&pair->remarks);
    }
    free(flame->pairs);
}

struct bilanx_error ab_flame_check(const struct ab_sampled_side *sides, size_t count)
{
    for (size_t side = 0; side < count; side++)
        for (size_t i = 0; i < sides[side].cases->count; i++) {
            const struct run_case *item = &sides[side].cases->items[i];
            if (!item->failure && !item->open)
                return bilanx_error_make(BILANX_E_USAGE,
                                         "--flame cannot draw sides that are commands or files: "
                                         "use 'bilanx flame -- COMMAND' for each");
        }
    return BILANX_SUCCESS;
}

static struct ab_flame_pair *pair_for(struct ab_flame *flame, const char *other)
{
    for (size_t i = 0; i < flame->count; i++)
        if (strcmp(flame->pairs[i].other, other) == 0)
            return &flame->pairs[i];
    mem_grow(flame->pairs, flame->count, &flame->room);
    flame->pairs[flame->count] = (struct ab_flame_pair){.other = mem_text(other)};
    return &flame->pairs[flame->count++];
}

void ab_flame_compared(struct ab_flame *flame, const struct ab_pair *pair,
                       const struct ab_results *results)
{
    struct ab_flame_pair *into = pair_for(flame, pair->other->name);
    into->records = mem_array(struct bilanx_record, results->count);
    into->record_count = results->count;
    for (size_t i = 0; i < results->count; i++)
        if (results->records[i].kind)
            record_copy(&results->records[i], &into->records[i]);
}

static const struct bilanx_verdict *verdict_on(const struct ab_flame_pair *pair, size_t at)
{
    const struct bilanx_verdict *verdict =
        at < pair->record_count ? pair->records[at].verdict : NULL;
    return verdict && verdict->times[0] > 0 && verdict->times[1] > 0 ? verdict : NULL;
}

static void add_side(struct stacks **all, const struct stacks *one)
{
    if (!*all)
        *all = stacks_new();
    AUTO(stacks) struct stacks *scaled = stacks_have_calls(one) ? stacks_per_call(one) : NULL;
    const struct stacks *added = scaled ? scaled : one;
    stacks_merge(*all, 0, added, 1);
    stacks_set_unit(*all, added->unit);
    stacks_sum(*all);
    (*all)->lost += one->lost;
}

static void remark(struct ab_flame_pair *pair, const char *name, const struct stacks *const *sides,
                   const struct bilanx_verdict *verdict)
{
    if (pair->case_count > MOST_DESCRIBED || !verdict)
        return;
    struct agreement_claim claim = agreement_claim_of(verdict);
    struct agreement agreement = agreement_of_change(sides[0], sides[1], &claim);
    AUTO(memory) char *sentence = agreement_of_change_text(&agreement, "the verdict");
    AUTO(memory) char *line =
        mem_format("%.200s: %.0f and %.0f samples in turns%s%s", name, sides[0]->nodes[0].total,
                   sides[1]->nodes[0].total, sentence ? ", " : "", sentence ? sentence : "");
    list_add(&pair->remarks, line);
}

static void add_case(struct ab_flame_pair *pair, size_t at, const char *name,
                     struct stacks *const *both)
{
    const struct bilanx_verdict *verdict = verdict_on(pair, at);
    AUTO(stacks) struct stacks *a = stacks_copy(both[0]);
    AUTO(stacks) struct stacks *b = stacks_copy(both[1]);
    const struct stacks *const sides[] = {a, b};
    a->timed_s = verdict ? verdict->times[0] : 0;
    b->timed_s = verdict ? verdict->times[1] : 0;
    pair->case_count++;
    remark(pair, name, sides, verdict);
    for (int side = 0; side < 2; side++)
        add_side(&pair->sides[side], sides[side]);
    free(pair->title);
    pair->title = mem_text(name);
}

void ab_flame_sampled(struct ab_flame *flame, const struct ab_sampled_side *sides, size_t at,
                      const struct ab_samples *samples)
{
    for (size_t i = 1; i < samples->count; i++) {
        struct ab_flame_pair *pair = pair_for(flame, sides[i].side->name);
        if (samples->stacks[0] && samples->stacks[i])
            add_case(pair, at, sides[0].cases->items[at].name,
                     (struct stacks *const[]){samples->stacks[0], samples->stacks[i]});
    }
}

struct bilanx_error ab_flame_write(const struct ab_flame *flame,
                                   const struct ab_arguments *arguments)
{
    const struct flame_beside beside = {.path = arguments->flame, .settings = &arguments->settings};
    for (size_t i = 0; i < flame->count; i++) {
        const struct ab_flame_pair *pair = &flame->pairs[i];
        AUTO(stacks) struct stacks *difference = NULL;
        if (!pair->case_count)
            return bilanx_error_make(BILANX_E_FAILED, "no samples of side %s", pair->other);
        BILANX_TRY(
            stacks_difference(pair->sides[0], pair->sides[1], STACKS_AS_THEY_ARE, &difference));
        difference->title = mem_text(pair->case_count == 1 ? pair->title : "cases");
        for (size_t k = 0; k < pair->remarks.count; k++)
            stacks_remark(difference, pair->remarks.items[k]);
        BILANX_TRY(flame_beside_write(&beside, difference, flame->count > 1 ? pair->other : NULL));
    }
    return BILANX_SUCCESS;
}
