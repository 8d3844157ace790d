// paired_epoch: one epoch of a comparison.
#include "paired_epoch.h"

#include "base/mem.h"
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
    sum->added++;
    sum->dropped += one->dropped;
}

static void paired_scale(struct paired_result *sum, double factor)
{
    sum->change *= factor;
    sum->spread *= factor;
    for (unsigned i = 0; i < 2; i++) {
        sum->halves[i] *= factor;
        sum->batch_ns[i] *= factor;
    }
}

void paired_average(struct paired_result *sum)
{
    if (sum->added)
        paired_scale(sum, 1.0 / sum->added);
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
static bool most_are_disturbed(const struct duel_memory *memory)
{
    unsigned disturbed = 0;
    for (unsigned i = 0; i < memory->pairs; i++)
        disturbed += is_disturbed(memory, i);
    return 2 * disturbed > memory->pairs;
}

// Compares the pairs that are marked.
static struct paired_result compare_pairs(const struct duel_memory *memory, const bool *marked)
{
    double changes[DUEL_MOST_PAIRS], halves[2][DUEL_MOST_PAIRS], times[2][DUEL_MOST_PAIRS];
    size_t count = 0, half_count[2] = {0};
    bool all = most_are_disturbed(memory);
    for (unsigned i = 0; i < memory->pairs; i++) {
        double a = memory->ns[0][i], b = memory->ns[1][i];
        if (!marked[i] || (is_disturbed(memory, i) && !all) || !(a > 0 && b > 0))
            continue;
        double change = ln(b / a);
        halves[count & 1][half_count[count & 1]++] = change;
        times[0][count] = a;
        times[1][count] = b;
        changes[count++] = change;
    }
    struct paired_result out = {.pairs = (unsigned)count,
                                .dropped = memory->pairs - (unsigned)count};
    if (count == 0)
        return out;
    out.change = midmean_of(changes, count);
    out.spread = stats_quantile(changes, count, .75) - stats_quantile(changes, count, .25);
    for (unsigned i = 0; i < 2; i++) {
        out.halves[i] = half_count[i] ? midmean_of(halves[i], half_count[i]) : out.change;
        out.batch_ns[i] = midmean_of(times[i], count);
    }
    return out;
}

static struct paired_result compare_in(const struct duel_memory *memory, double floor,
                                       enum core_state state)
{
    enum { FEWEST = 4 };
    bool marked[DUEL_MOST_PAIRS];
    for (unsigned i = 0; i < memory->pairs; i++)
        marked[i] = state == CORE_UNKNOWN || duel_pair_state(memory, i, floor) == state;
    struct paired_result out = compare_pairs(memory, marked);
    return out.pairs >= FEWEST || state == CORE_UNKNOWN ? out : (struct paired_result){0};
}

static bool are_short(const struct duel_memory *memory)
{
    static const double LONGEST_NS = 500e3;  // the core changes hands within a millisecond
    double sum_ns = 0;
    for (unsigned i = 0; i < memory->pairs; i++)
        sum_ns += memory->ns[0][i] + memory->ns[1][i];
    return sum_ns < 2 * LONGEST_NS * memory->pairs;
}

static void divide(const struct paired_epoch *epoch, const struct duel_memory *memory,
                   struct paired_results *out)
{
    enum { PER_PAIR = 4 };
    AUTO(memory) struct pace *readings = mem_array(struct pace, PER_PAIR * memory->pairs + 1);
    for (unsigned i = 0; i < memory->pairs; i++)
        for (unsigned k = 0; k < PER_PAIR; k++)
            readings[PER_PAIR * i + k] = memory->paces[k / 2][i][k % 2];
    size_t count = epoch->reads_pace ? PER_PAIR * (size_t)memory->pairs : 0;
    double floor = pace_lower_floor(epoch->floor, pace_lowest(readings, count));
    *out = (struct paired_results){.core = pace_summarize(readings, count, floor)};
    out->has_states = out->core.readings && !epoch->any_core && are_short(memory);
    if (out->has_states) {
        out->free = compare_in(memory, floor, CORE_FREE);
        out->other = compare_in(memory, floor, CORE_SHARED);
    }
    if (!out->free.pairs && !out->other.pairs)
        out->other = compare_in(memory, floor, CORE_UNKNOWN);
}

struct bilanx_error paired_run(const struct paired_way *way, const struct paired_epoch *epoch,
                               struct duel_mapping *mapping, struct paired_results *out,
                               struct paired_failure *failure)
{
    BILANX_TRY(way->run(epoch, mapping, failure));
    divide(epoch, mapping->memory, out);
    return BILANX_SUCCESS;
}
