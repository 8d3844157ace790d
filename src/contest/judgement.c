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

// How many epochs of this variance make an interval so narrow.
static double epochs_needed(double variance, double room, double alpha)
{
    enum { MOST = 4096 };
    size_t low = 2, high = MOST;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct sequence sequence = {.count = middle, .squares = (double)(middle - 1) * variance};
        if (sequence_radius(&sequence, alpha) < room)
            high = middle;
        else
            low = middle + 1;
    }
    return (double)low;
}

unsigned judge_pairs(const struct epoch_costs *costs)
{
    double own = costs->between - costs->within;  // what more pairs cannot mend
    own = own < 0 ? 0 : own;
    double of_one = costs->within * costs->pairs, least_ns = INFINITY;
    unsigned best = costs->pairs;
    for (unsigned pairs = costs->fewest; pairs <= costs->most; pairs += pairs / 4 + 1) {
        double variance = own + of_one / pairs;
        double ns = epochs_needed(variance, costs->room, costs->alpha) *
                    (costs->start_ns + pairs * costs->pair_ns);
        if (ns < least_ns) {
            least_ns = ns;
            best = pairs;
        }
    }
    return best;
}
