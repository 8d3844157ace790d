// groups: code that takes one of two times, and the effect of code layout on time.
#include "groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/scope.h"
#include "elementary.h"
#include "pace_effect.h"
#include "rare.h"
#include "stats.h"

static bool are_drawn(const struct bilanx_timing *timing, size_t count)
{
    return timing->epoch_count == count && count > 0 && timing->epochs[0].layout > 0;
}

size_t layout_means(const struct bilanx_timing *timing, double *logs, size_t count)
{
    if (!are_drawn(timing, count))
        return count;
    AUTO(memory) double *means = mem_array(double, count);
    AUTO(memory) size_t *epochs = mem_array(size_t, count);
    AUTO(memory) uint64_t *layouts = mem_array(uint64_t, count);
    size_t units = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < units && layouts[at] != timing->epochs[i].layout)
            at++;
        units += at == units;
        layouts[at] = timing->epochs[i].layout;
        means[at] += (logs[i] - means[at]) / (double)++epochs[at];
    }
    memcpy(logs, means, units * sizeof *logs);
    return units;
}

static const double ERROR_RATE = .01;

// The probability of at least `like` of `count` fair coins.
static double tail_of_coins(size_t like, size_t count)
{
    double term = 1, sum = 0;  // of 2^count outcomes
    for (size_t k = 0; k < count; k++)
        term /= 2;
    for (size_t k = 0; k <= count; k++) {
        sum += k >= like ? term : 0;
        term *= (double)(count - k) / (double)(k + 1);
    }
    return sum;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

// If the layout does not matter, an epoch is as far from another of its layout as from any other:
// further than the median distance half of the time.
static bool layout_matters(const struct bilanx_timing *timing, const double *logs, size_t count)
{
    AUTO(memory) double *others = mem_array(double, count *count);
    AUTO(memory) double *same = mem_array(double, count);
    AUTO(memory) bool *used = mem_array(bool, count);
    size_t other_count = 0, same_count = 0, near = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            if (timing->epochs[i].layout != timing->epochs[j].layout)
                others[other_count++] = distance(logs[i], logs[j]);
            else if (!used[i] && !used[j]) {  // independent pairs only
                same[same_count++] = distance(logs[i], logs[j]);
                used[i] = used[j] = true;
            }
        }
    stats_sort(others, other_count);
    for (size_t i = 0; i < same_count && other_count; i++)
        near += same[i] < others[other_count / 2];
    return same_count && tail_of_coins(near, same_count) <= ERROR_RATE;
}

double layout_spread(const struct bilanx_timing *timing, const double *logs, size_t count)
{
    double squares = 0;
    size_t pairs = 0;
    if (!are_drawn(timing, count) || !layout_matters(timing, logs, count))
        return NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (timing->epochs[i].layout == timing->epochs[j].layout) {
                squares += (logs[i] - logs[j]) * (logs[i] - logs[j]) / 2;
                pairs++;
            }
    double layouts = stats_variance(logs, count) - squares / (double)pairs;
    return layouts > 0 ? square_root(layouts) : 0;
}

// The widest gap separates the groups, if it is much wider than either and large enough to report.
static size_t find_gap(const double *sorted, size_t count)
{
    static const double LEAST = 0.04, TIMES = 4;
    enum { SMALLEST = 2 };
    size_t widest = 0;
    double gap = 0;
    for (size_t i = SMALLEST; i + SMALLEST <= count; i++)
        if (sorted[i] - sorted[i - 1] > gap) {
            gap = sorted[i] - sorted[i - 1];
            widest = i;
        }
    double low = stats_variance(sorted, widest);
    double high = stats_variance(sorted + widest, count - widest);
    double spread = square_root(low > high ? low : high);
    return gap > LEAST && gap > TIMES * spread ? widest : 0;
}

// If other work occupies the CPU for most of an epoch, any code appears to have two groups.
static bool are_disturbed(const struct bilanx_timing *timing)
{
    size_t disturbed = 0;
    for (size_t i = 0; i < timing->epoch_count; i++)
        disturbed += 2 * timing->epochs[i].disturbed > timing->epochs[i].batches;
    return 4 * disturbed > timing->epoch_count;
}

static bool are_positive(const struct bilanx_timing *timing)
{
    for (size_t i = 0; i < timing->raw_count; i++)
        if (!(timing->raw_times[i] > 0))
            return false;
    return timing->raw_count > 0;
}

static double *logs_of(const struct bilanx_timing *timing)
{
    double *logs = mem_array(double, timing->raw_count);
    for (size_t i = 0; i < timing->raw_count; i++)
        logs[i] = ln(timing->raw_times[i] / (double)timing->number_per_run);
    pace_effect_remove(timing, logs, timing->raw_count);
    rare_limit(logs, timing->raw_count);
    return logs;
}

// Marks the epochs of the slower group. Returns false if there are no groups.
static bool split(const struct bilanx_timing *timing, const double *logs, bool *slow)
{
    size_t count = timing->raw_count;
    AUTO(memory) double *sorted = mem_array(double, count);
    memcpy(sorted, logs, count * sizeof *sorted);
    stats_sort(sorted, count);
    size_t first = find_gap(sorted, count);
    for (size_t i = 0; i < count && first; i++)
        slow[i] = logs[i] >= sorted[first];
    return first > 0;
}

bool layout_groups_are_likely(const struct bilanx_timing *timing)
{
    enum { FEWEST = 6 };
    if (!are_drawn(timing, timing->raw_count) || timing->raw_count < FEWEST)
        return false;
    AUTO(memory) double *logs = logs_of(timing);
    AUTO(memory) bool *slow = mem_array(bool, timing->raw_count);
    return split(timing, logs, slow);
}

// Returns how many pairs of epochs share their layout, and for how many the group is the same.
static size_t count_pairs(const struct bilanx_timing *timing, const bool *slow, size_t *agreeing)
{
    size_t pairs = *agreeing = 0;
    for (size_t i = 0; i < timing->epoch_count; i++)
        for (size_t j = i + 1; j < timing->epoch_count; j++)
            if (timing->epochs[i].layout == timing->epochs[j].layout) {
                pairs++;
                *agreeing += slow[i] == slow[j];
            }
    return pairs;
}

// How often epochs that are dealt to groups at random agree as well as these do.
static bool agree_by_layout(const struct bilanx_timing *timing, const bool *slow)
{
    enum { DEALS = 1000 };
    static const double MOST = .9;  // of the pairs must agree in any case
    size_t agreeing, by_chance, as_good = 0, count = timing->epoch_count;
    size_t pairs = count_pairs(timing, slow, &agreeing);
    if (pairs == 0 || (double)agreeing < MOST * (double)pairs)
        return false;
    AUTO(memory) size_t *order = mem_array(size_t, count);
    AUTO(memory) bool *dealt = mem_array(bool, count);
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (int deal = 0; deal < DEALS; deal++) {
        random_shuffle(&random, order, count);
        for (size_t i = 0; i < count; i++)
            dealt[i] = slow[order[i]];
        count_pairs(timing, dealt, &by_chance);
        as_good += by_chance >= agreeing;
    }
    return (double)(as_good + 1) <= ERROR_RATE * (DEALS + 1);
}

// A time between the groups that no quarter of a process's batches crosses.
static bool keep_their_times(const struct bilanx_timing *timing, const bool *slow)
{
    double fastest_slow = INFINITY, slowest_fast = 0;
    for (size_t i = 0; i < timing->epoch_count; i++) {
        const struct bilanx_epoch *epoch = &timing->epochs[i];
        if (slow[i] && epoch->p25 < fastest_slow)
            fastest_slow = epoch->p25;
        if (!slow[i] && epoch->p75 > slowest_fast)
            slowest_fast = epoch->p75;
    }
    return slowest_fast < fastest_slow;
}

// Wald and Wolfowitz: the number of runs of one kind has this mean and variance in fair dealing.
static bool alternate_at_random(const bool *slow, size_t count)
{
    static const double ONE_IN_TWENTY = 1.645;  // standard deviations
    double runs = 1, slow_ones = slow[0];
    for (size_t i = 1; i < count; i++) {
        runs += slow[i] != slow[i - 1];
        slow_ones += slow[i];
    }
    double n = (double)count, mean = 1 + 2 * slow_ones * (n - slow_ones) / n;
    double variance = (mean - 1) * (mean - 2) / (n - 1);
    return runs > mean - ONE_IN_TWENTY * square_root(variance);
}

static bool agree_by_process(const struct bilanx_timing *timing, const bool *slow)
{
    enum { FEWEST = 12, SMALLEST = 3 };
    size_t count = timing->epoch_count, slow_ones = 0;
    for (size_t i = 0; i < count; i++)
        slow_ones += slow[i];
    return count >= FEWEST && slow_ones >= SMALLEST && count - slow_ones >= SMALLEST &&
           keep_their_times(timing, slow) && alternate_at_random(slow, count);
}

static void count_processes(const struct bilanx_timing *timing, const bool *slow,
                            struct time_groups *groups)
{
    groups->units = timing->epoch_count;
    for (size_t i = 0; i < timing->epoch_count; i++)
        groups->counts[slow[i]]++;
}

// Counts layouts by what most of their epochs say.
static void count_layouts(const struct bilanx_timing *timing, const bool *slow,
                          struct time_groups *groups)
{
    for (size_t i = 0; i < timing->epoch_count; i++) {
        size_t before = 0, epochs = 0, slow_ones = 0;
        for (size_t j = 0; j < timing->epoch_count; j++)
            if (timing->epochs[j].layout == timing->epochs[i].layout) {
                before += j < i;
                epochs++;
                slow_ones += slow[j];
            }
        if (before)
            continue;
        groups->units++;
        groups->counts[2 * slow_ones > epochs]++;
    }
}

static enum groups_by find_reason(const struct bilanx_timing *timing, const bool *slow)
{
    if (are_drawn(timing, timing->raw_count) && agree_by_layout(timing, slow))
        return GROUPS_BY_LAYOUT;
    return agree_by_process(timing, slow) ? GROUPS_BY_PROCESS : GROUPS_NONE;
}

struct time_groups time_groups_find(const struct bilanx_timing *timing)
{
    size_t count = timing->raw_count, in_group[2] = {0};
    struct time_groups groups = {0};
    if (timing->epoch_count != count || !are_positive(timing) || are_disturbed(timing))
        return groups;
    AUTO(memory) double *logs = logs_of(timing);
    AUTO(memory) bool *slow = mem_array(bool, count);
    if (!split(timing, logs, slow))
        return groups;
    groups.by = find_reason(timing, slow);
    if (groups.by == GROUPS_BY_LAYOUT)
        count_layouts(timing, slow, &groups);
    else if (groups.by == GROUPS_BY_PROCESS)
        count_processes(timing, slow, &groups);
    double sums[2] = {0};
    for (size_t i = 0; i < count; i++) {
        sums[slow[i]] += logs[i];
        in_group[slow[i]]++;
    }
    for (unsigned i = 0; i < 2; i++)
        groups.times[i] = exponential(sums[i] / (double)in_group[i]);
    return groups;
}
