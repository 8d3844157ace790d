// ab_samples: samples a case on all sides of a comparison, in turns.
#include "ab_samples.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/mem.h"
#include "flame_collect.h"

static const double DURATION_S = 2;  // of each case on each side: there may be many

void ab_samples_done(struct ab_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        stacks_free(samples->stacks[i]);
    free(samples->stacks);
    free(samples->errors);
}

static struct flame_collecting collecting_for(const struct ab_arguments *arguments)
{
    return (struct flame_collecting){.sampling = {.duration_s = DURATION_S,
                                                  .epochs = SAMPLING_EPOCHS,
                                                  .timeout_s = arguments->settings.timeout,
                                                  .max_memory = arguments->settings.max_memory}};
}

static struct bilanx_error sample_commands(const struct ab_arguments *arguments,
                                           const struct ab_sampled_side *sides,
                                           struct ab_samples *out)
{
    AUTO(memory) struct flame_command *commands = mem_array(struct flame_command, out->count);
    AUTO(memory) struct list *words = mem_array(struct list, out->count);
    const struct flame_collecting collecting = collecting_for(arguments);
    struct bilanx_error error = BILANX_SUCCESS;
    for (size_t i = 0; i < out->count && error.status == BILANX_OK; i++) {
        error = list_split(&words[i], sides[i].side->command);
        commands[i].argv = (const char *const *)words[i].items;
    }
    if (error.status == BILANX_OK)
        error = flame_collect_commands(&collecting, commands, out->count);
    for (size_t i = 0; i < out->count; i++) {
        out->stacks[i] = commands[i].stacks;
        out->errors[i] = commands[i].error;
        if (out->stacks[i])
            stacks_remark(out->stacks[i], "CPU time per run; a verdict is on elapsed time");
        list_done(&words[i]);
    }
    return error;
}

// A file of records has nothing to sample.
static bool can_be_sampled(const struct run_cases *cases, size_t at)
{
    return at < cases->count && (cases->items[at].open || cases->items[at].failure);
}

static struct bilanx_error sample_cases(const struct ab_arguments *arguments,
                                        const struct ab_sampled_side *sides, size_t at,
                                        struct ab_samples *out)
{
    AUTO(memory) struct sampling_turn *turns = mem_array(struct sampling_turn, out->count);
    const struct flame_collecting collecting = collecting_for(arguments);
    AUTO(memory) size_t *places = mem_array(size_t, out->count);
    size_t count = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (!can_be_sampled(sides[i].cases, at))
            continue;
        AUTO(stacks) struct stacks *stacks = stacks_new();
        stacks->title = mem_text(sides[i].cases->items[at].name);
        places[count] = i;
        turns[count++] = (struct sampling_turn){&sides[i].cases->items[at], TAKE(stacks)};
    }
    struct bilanx_error error = sampling_in_turns(turns, count, &collecting.sampling);
    for (size_t i = 0; i < count; i++) {
        AUTO(stacks) struct stacks *stacks = turns[i].stacks;
        out->errors[places[i]] = turns[i].error;
        stacks_sum(stacks);
        if (stacks->nodes[0].total > 0)
            out->stacks[places[i]] = TAKE(stacks);
    }
    return error;
}

struct bilanx_error ab_sample_case(const struct ab_arguments *arguments,
                                   const struct ab_sampled_side *sides, size_t count, size_t at,
                                   struct ab_samples *out)
{
    *out = (struct ab_samples){.stacks = mem_array(struct stacks *, count),
                               .errors = mem_array(struct bilanx_error, count),
                               .count = count};
    if (sides[0].side->kind == &side_command)
        return sample_commands(arguments, sides, out);
    return sample_cases(arguments, sides, at, out);
}
