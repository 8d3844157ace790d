// paired_epoch: one epoch of a comparison.
#include "paired_epoch.h"

#include "core/stats/elementary.h"
#include "core/stats/stats.h"

void paired_failure_done(struct paired_failure *failure)
{
    text_done(&failure->output);
}

void paired_add(struct paired_result *sum, const struct paired_result *one)
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

void paired_scale(struct paired_result *sum, double factor)
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

// A call of many milliseconds is usually interrupted; disturbance is then normal.
static bool most_are_disturbed(const struct paired_epoch *epoch, const struct duel_memory *memory)
{
    unsigned disturbed = 0;
    for (unsigned i = 0; i < epoch->pairs; i++)
        disturbed += is_disturbed(memory, i);
    return 2 * disturbed > epoch->pairs;
}

static void compare_pairs(const struct paired_epoch *epoch, const struct duel_memory *memory,
                          struct paired_result *out)
{
    double changes[DUEL_MOST_PAIRS], halves[2][DUEL_MOST_PAIRS], times[2][DUEL_MOST_PAIRS];
    size_t count = 0, half_count[2] = {0};
    bool all = most_are_disturbed(epoch, memory);
    for (unsigned i = 0; i < epoch->pairs; i++) {
        double a = memory->ns[0][i], b = memory->ns[1][i];
        if ((is_disturbed(memory, i) && !all) || !(a > 0 && b > 0))
            continue;
        double change = ln(b / a);
        halves[count & 1][half_count[count & 1]++] = change;
        times[0][count] = a;
        times[1][count] = b;
        changes[count++] = change;
    }
    *out =
        (struct paired_result){.pairs = (unsigned)count, .dropped = epoch->pairs - (unsigned)count};
    if (count == 0)
        return;
    out->change = midmean_of(changes, count);
    out->spread = stats_quantile(changes, count, .75) - stats_quantile(changes, count, .25);
    for (unsigned i = 0; i < 2; i++) {
        out->halves[i] = half_count[i] ? midmean_of(halves[i], half_count[i]) : out->change;
        out->batch_ns[i] = midmean_of(times[i], count);
    }
}

struct bilanx_error paired_run(const struct paired_way *way, const struct paired_epoch *epoch,
                               struct duel_mapping *mapping, struct paired_result *out,
                               struct paired_failure *failure)
{
    BILANX_TRY(way->run(epoch, mapping, failure));
    compare_pairs(epoch, mapping->memory, out);
    return BILANX_SUCCESS;
}
