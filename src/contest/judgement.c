// judgement: from the epochs of a comparison to a word.
#include "judgement.h"

#include <math.h>

#include "stats/elementary.h"

const char *const verdict_words[] = {
    [VERDICT_UNDECIDED] = "undecided",   [VERDICT_FASTER] = "faster",
    [VERDICT_SLOWER] = "slower",         [VERDICT_SAME] = "same",
    [VERDICT_BIASED] = "harness-biased", [VERDICT_LAYOUT] = "layout-dominated",
};

const struct margins default_margins = {.alpha = .01, .claim = .0025, .same = .005};

enum verdict judge(const struct sequence *epochs, const struct margins *margins)
{
    double radius = sequence_radius(epochs, margins->alpha);
    double low = epochs->mean - radius, high = epochs->mean + radius;
    if (low > margins->claim)
        return VERDICT_SLOWER;
    if (high < -margins->claim)
        return VERDICT_FASTER;
    if (low > -margins->same && high < margins->same)
        return VERDICT_SAME;
    return VERDICT_UNDECIDED;
}

struct interval judge_interval(const struct sequence *epochs, double alpha)
{
    double radius = sequence_radius(epochs, alpha);
    if (isinf(radius))
        return (struct interval){-INFINITY, INFINITY};
    return (struct interval){exponential(epochs->mean - radius) - 1,
                             exponential(epochs->mean + radius) - 1};
}

double judge_detectable(const struct sequence *epochs, const struct margins *margins)
{
    double radius = sequence_radius(epochs, margins->alpha);
    return isinf(radius) ? INFINITY : exponential(radius + margins->claim) - 1;
}

bool judge_biased(const struct sequence *control, const struct margins *margins)
{
    enum verdict verdict = judge(control, margins);
    return verdict == VERDICT_SLOWER || verdict == VERDICT_FASTER;
}

unsigned judge_pairs(const struct epoch_costs *costs)
{
    double own = costs->between - costs->within;  // what more pairs cannot mend
    if (own < costs->between / 100)
        own = costs->between / 100;
    if (!(own > 0) || !(costs->pair_ns > 0))
        return costs->pairs;
    double of_one = costs->within * costs->pairs;
    double best = square_root(costs->start_ns / costs->pair_ns * of_one / own);
    if (best < costs->fewest)
        return costs->fewest;
    return best > costs->most ? costs->most : (unsigned)best;
}
