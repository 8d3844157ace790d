// bout: one epoch of a comparison.
#include "bout.h"

#include "core/stats/elementary.h"
#include "core/stats/stats.h"

void bout_failure_done(struct bout_failure *failure)
{
    text_done(&failure->output);
}

void bout_add(struct bout_result *sum, const struct bout_result *one)
{
    sum->change += one->change;
    sum->spread += one->spread;
    for (unsigned i = 0; i < 2; i++) {
        sum->halves[i] += one->halves[i];
        sum->batch_ns[i] += one->batch_ns[i];
    }
    sum->pairs += one->pairs;
    sum->dropped += one->dropped;
}

void bout_scale(struct bout_result *sum, double factor)
{
    sum->change *= factor;
    sum->spread *= factor;
    for (unsigned i = 0; i < 2; i++) {
        sum->halves[i] *= factor;
        sum->batch_ns[i] *= factor;
    }
}

static double midmean_of(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_midmean(values, count);
}

static bool is_disturbed(const struct duel_memory *memory, unsigned pair)
{
    return memory->disturbed[0][pair] || memory->disturbed[1][pair];
}

// A call of many milliseconds is interrupted more often than not: then disturbance is its nature.
static bool most_are_disturbed(const struct bout *bout, const struct duel_memory *memory)
{
    unsigned disturbed = 0;
    for (unsigned i = 0; i < bout->pairs; i++)
        disturbed += is_disturbed(memory, i);
    return 2 * disturbed > bout->pairs;
}

static void compare_pairs(const struct bout *bout, const struct duel_memory *memory,
                          struct bout_result *out)
{
    double changes[DUEL_MOST_PAIRS], halves[2][DUEL_MOST_PAIRS], times[2][DUEL_MOST_PAIRS];
    size_t count = 0, half_count[2] = {0};
    bool all = most_are_disturbed(bout, memory);
    for (unsigned i = 0; i < bout->pairs; i++) {
        double a = memory->ns[0][i], b = memory->ns[1][i];
        if ((is_disturbed(memory, i) && !all) || !(a > 0 && b > 0))
            continue;
        double change = ln(b / a);
        halves[count & 1][half_count[count & 1]++] = change;
        times[0][count] = a;
        times[1][count] = b;
        changes[count++] = change;
    }
    *out = (struct bout_result){.pairs = (unsigned)count, .dropped = bout->pairs - (unsigned)count};
    if (count == 0)
        return;
    out->change = midmean_of(changes, count);
    out->spread = stats_quantile(changes, count, .75) - stats_quantile(changes, count, .25);
    for (unsigned i = 0; i < 2; i++) {
        out->halves[i] = half_count[i] ? midmean_of(halves[i], half_count[i]) : out->change;
        out->batch_ns[i] = midmean_of(times[i], count);
    }
}

struct bilanx_error bout_run(const struct bout_way *way, const struct bout *bout,
                             struct duel_arena *arena, struct bout_result *out,
                             struct bout_failure *failure)
{
    BILANX_TRY(way->run(bout, arena, failure));
    compare_pairs(bout, arena->memory, out);
    return BILANX_SUCCESS;
}
