// sample_turns: samples cases in turns.
//
// A shared machine changes its speed within seconds. What was sampled one after the other then
// differs by how fast the machine was, not by how fast the code is: the same two revisions were
// 29 % apart that should be 6 %. In turns of a sixteenth of a second, both meet the same machine.
#include "base/mem.h"
#include "base/random.h"
#include "case_sampling.h"
#include "turns.h"

enum { FEWEST_ROUNDS = 2 };  // so that there is a spread

static bool is_interrupted(struct bilanx_error error)
{
    return error.status == BILANX_E_INTERRUPTED;
}

void turns_draw(struct random *random, size_t round, size_t *order, size_t count)
{
    if (round % 2 == 0) {
        random_shuffle(random, order, count);
        return;
    }
    for (size_t i = 0; i < count / 2; i++) {
        size_t swapped = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = swapped;
    }
}

struct turns_plan turns_plan(double duration_s, unsigned epochs, double start_s)
{
    if (epochs < FEWEST_ROUNDS)
        return (struct turns_plan){duration_s, 1};
    double epoch_s = duration_s / epochs, longest_s = duration_s / FEWEST_ROUNDS;
    epoch_s = epoch_s < start_s ? start_s : epoch_s;
    epoch_s = epoch_s > longest_s ? longest_s : epoch_s;
    double rounds = duration_s / epoch_s;
    return (struct turns_plan){epoch_s, (size_t)(rounds + .5)};
}

// Several cases being sampled.
struct sampled_cases {
    struct sampling_turn *turns;
    struct case_sampling *samplings;
    size_t count;
};

static struct bilanx_error sample_round(struct sampled_cases *cases, const size_t *order,
                                        double epoch_s)
{
    for (size_t i = 0; i < cases->count; i++) {
        struct sampling_turn *turn = &cases->turns[order[i]];
        struct case_sampling *sampling = &cases->samplings[order[i]];
        if (turn->error.status != BILANX_OK)
            continue;
        sampling->epoch_s = epoch_s;
        turn->error = case_sampling_epoch(sampling);
        if (is_interrupted(turn->error))
            return turn->error;
    }
    return BILANX_SUCCESS;
}

static double slowest_start(const struct sampled_cases *cases)
{
    double slowest = 0;
    for (size_t i = 0; i < cases->count; i++)
        if (cases->samplings[i].start_s > slowest)
            slowest = cases->samplings[i].start_s;
    return slowest;
}

static struct bilanx_error sample_rounds(struct sampled_cases *cases,
                                         const struct sampling_options *options)
{
    AUTO(memory) size_t *order = mem_array(size_t, cases->count);
    struct random random;
    random_init(&random, random_fresh_seed());
    for (size_t i = 0; i < cases->count; i++)
        order[i] = i;
    double duration_s = cases->samplings[0].options.duration_s;
    struct turns_plan plan = turns_plan(duration_s, options->epochs, 0);
    for (size_t round = 0; round < plan.rounds; round++) {
        turns_draw(&random, round, order, cases->count);
        BILANX_TRY(sample_round(cases, order, plan.epoch_s));
        if (round == 0)
            plan = turns_plan(duration_s, options->epochs, slowest_start(cases));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error sampling_in_turns(struct sampling_turn *turns, size_t count,
                                      const struct sampling_options *options)
{
    if (!count)
        return BILANX_SUCCESS;
    AUTO(images) struct images *images = images_new();
    AUTO(memory) struct case_sampling *samplings = mem_array(struct case_sampling, count);
    struct sampled_cases cases = {turns, samplings, count};
    for (size_t i = 0; i < count; i++) {
        const struct run_case *item = turns[i].item;
        case_sampling_init(&samplings[i], item, options, images, turns[i].stacks);
        turns[i].error = item->failure
                             ? bilanx_error_make(BILANX_E_FAILED, "%s", item->failure->text)
                             : BILANX_SUCCESS;
    }
    struct bilanx_error error = sample_rounds(&cases, options);
    for (size_t i = 0; i < count; i++) {
        if (turns[i].error.status == BILANX_OK && is_interrupted(error))
            turns[i].error = error;
        turns[i].error = case_sampling_conclude(&samplings[i], &turns[i].error);
        case_sampling_done(&samplings[i]);
    }
    return error;
}

struct bilanx_error sampling_case(const struct run_case *item,
                                  const struct sampling_options *options, struct stacks *stacks)
{
    struct sampling_turn turn = {.item = item, .stacks = stacks};
    sampling_in_turns(&turn, 1, options);
    return turn.error;
}
