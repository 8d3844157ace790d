// agreement: whether samples say the same about the time of a call as the measurement to which
// their graph is scaled.
#include "agreement.h"

#include <math.h>

#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"
#include "core/stats/units.h"

static const double CONFIDENCE = .99;  // that of verdicts

static double per_call(double seconds, double calls)
{
    return seconds > 0 && calls > 0 ? seconds / calls : 0;
}

static double epoch_time(const struct stacks *stacks, size_t i)
{
    return i < stacks->epoch_count ? per_call(stacks->epochs[i].seconds, stacks->epochs[i].calls)
                                   : 0;
}

// Neighbours that are alike tell less than independent ones: a machine may stay slow for several
// epochs. As for a process of first order.
static double widening(const double *in_order, size_t count)
{
    static const double MOST = .9;
    double alike = stats_autocorrelation(in_order, count);
    alike = alike < 0 ? 0 : alike > MOST ? MOST : alike;
    return square_root((1 + alike) / (1 - alike));
}

struct middle {
    double value, half_width;  // the half width is NAN if there are too few values
};

// The midmean, which a single odd epoch does not move; of a few values the mean. Sorts them.
static struct middle find_middle(double *values, size_t count)
{
    enum { ENOUGH = 4 };
    if (count < 2)
        return (struct middle){count ? values[0] : NAN, NAN};
    double wider = widening(values, count);
    stats_sort(values, count);
    struct interval interval = count >= ENOUGH ? stats_midmean_interval(values, count, CONFIDENCE)
                                               : stats_mean_interval(values, count, CONFIDENCE);
    return (struct middle){count >= ENOUGH ? stats_midmean(values, count)
                                           : stats_mean(values, count),
                           wider * (interval.high - interval.low) / 2};
}

// Times vary by factors: their logarithms are what is averaged.
static size_t add_logs(const struct stacks *above, const struct stacks *below, double *logs)
{
    size_t count = 0;
    for (size_t i = 0; i < above->epoch_count; i++) {
        double time = epoch_time(above, i), base = below ? epoch_time(below, i) : 1;
        if (time > 0 && base > 0)
            logs[count++] = ln(time / base);
    }
    return count;
}

struct agreement agreement_of_time(const struct stacks *stacks, double doubt)
{
    struct agreement agreement = {.sampled = per_call(stacks->seconds, stacks->calls),
                                  .measured = stacks->timed_s,
                                  .low = NAN,
                                  .high = NAN};
    agreement.is_known = agreement.sampled > 0 && agreement.measured > 0;
    AUTO(memory) double *logs = mem_array(double, stacks->epoch_count);
    size_t count = add_logs(stacks, NULL, logs);
    double half = find_middle(logs, count).half_width;
    if (!agreement.is_known || isnan(half))
        return agreement;
    agreement.low = agreement.sampled * exponential(-half);
    agreement.high = agreement.sampled * exponential(half);
    double apart = ln(agreement.sampled / agreement.measured);
    double error = square_root(half * half + doubt * doubt);
    double added = stacks->overhead > 0 ? ln(1 + stacks->overhead) : 0;
    agreement.disagrees = apart < -error || apart > error + added;
    return agreement;
}

struct agreement_claim agreement_claim_of(const struct bilanx_verdict *verdict)
{
    return (struct agreement_claim){.change = verdict->change,
                                    .low = verdict->interval[0],
                                    .high = verdict->interval[1],
                                    .layout_changes = verdict->layouts,
                                    .layout_count = verdict->layout_count};
}

// How far the change in one layout may be from the mean of all.
static double layout_doubt(const struct agreement_claim *claim)
{
    size_t count = claim->layout_count;
    if (count < 2)
        return 0;
    double spread = square_root(stats_variance(claim->layout_changes, count));
    return stats_student((1 + CONFIDENCE) / 2, (double)count - 1) * spread;
}

static double claim_half_width(const struct agreement_claim *claim)
{
    bool is_known = claim->low > -1 && claim->high > claim->low && isfinite(claim->high);
    return is_known ? (ln(1 + claim->high) - ln(1 + claim->low)) / 2 : 0;
}

struct agreement agreement_of_change(const struct stacks *a, const struct stacks *b,
                                     const struct agreement_claim *claim)
{
    struct agreement agreement = {
        .sampled = NAN, .measured = claim->change, .low = NAN, .high = NAN};
    AUTO(memory) double *logs = mem_array(double, b->epoch_count);
    size_t count = add_logs(b, a, logs);
    if (count == 0 || !(claim->change > -1) || !isfinite(claim->change))
        return agreement;
    struct middle middle = find_middle(logs, count);
    double mean = middle.value, half = middle.half_width;
    agreement.is_known = true;
    agreement.sampled = exponential(mean) - 1;
    if (isnan(half))
        return agreement;
    agreement.low = exponential(mean - half) - 1;
    agreement.high = exponential(mean + half) - 1;
    double others[] = {claim_half_width(claim), layout_doubt(claim)};
    double doubt = square_root(half * half + others[0] * others[0] + others[1] * others[1]);
    agreement.disagrees = fabs(mean - ln(1 + claim->change)) > doubt;
    return agreement;
}

// ---- Texts

static double half_of(const struct agreement *agreement)
{
    return (agreement->high - agreement->low) / 2;
}

char *agreement_of_time_text(const struct agreement *agreement, const char *measured_by,
                             bool scaled)
{
    char sampled[UNITS_SIZE], measured[UNITS_SIZE];
    if (!agreement->is_known)
        return NULL;
    units_measured_time(agreement->sampled, half_of(agreement), sampled);
    units_time(agreement->measured, NAN, measured);
    const char *scale = scaled ? "scaled to " : "";
    if (agreement->disagrees)
        return mem_format("the samples disagree with %s: they say %s per call, it says %s%s",
                          measured_by, sampled, measured,
                          scaled ? "; the graph is scaled to the latter" : "");
    return mem_format("%s%s per call by %s; the samples say %s%s", scale, measured, measured_by,
                      sampled, isnan(agreement->low) ? ", with an unknown error" : "");
}

char *agreement_of_change_text(const struct agreement *agreement, const char *measured_by)
{
    double sampled = 100 * agreement->sampled, measured = 100 * agreement->measured;
    if (!agreement->is_known)
        return NULL;
    if (isnan(agreement->low))
        return mem_format("scaled to %s, %+.1f %%; the samples say %+.1f %%, with an unknown error",
                          measured_by, measured, sampled);
    if (!agreement->disagrees)
        return mem_format("scaled to %s, %+.1f %%; the samples say %+.1f %% (%+.1f .. %+.1f)",
                          measured_by, measured, sampled, 100 * agreement->low,
                          100 * agreement->high);
    return mem_format("the samples disagree with %s: they say %+.1f %% (%+.1f .. %+.1f), it says "
                      "%+.1f %%; the graph is scaled to the latter",
                      measured_by, sampled, 100 * agreement->low, 100 * agreement->high, measured);
}
