// judgement: turns the epochs of a comparison into a verdict.
#include "judgement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scope.h"
#include "core/stats/elementary.h"
#include "core/stats/sequence.h"

const char *const verdict_words[] = {
    [VERDICT_UNDECIDED] = "undecided",
    [VERDICT_FASTER] = "faster",
    [VERDICT_SLOWER] = "slower",
    [VERDICT_SAME] = "same",
    [VERDICT_BIASED] = "harness-biased",
    [VERDICT_SEEMS_FASTER] = "seems-faster",
    [VERDICT_SEEMS_SLOWER] = "seems-slower",
    [VERDICT_SEEMS_SAME] = "seems-same",
};

const struct margins default_margins = {.alpha = .01, .claim = .0025, .same = .005};

// How the error is divided. The mean gets most of it; with less it would take longer to decide
// anything.
static const double MEANS_SHARE = .8, SIGNS_SHARE = .2;

static struct interval around(double middle, double radius)
{
    return (struct interval){middle - radius, middle + radius};
}

// The smallest number of values beyond a bound that shows the median to be beyond it too; more than
// `count`: there are too few.
static size_t majority_needed(size_t count, double alpha)
{
    size_t like = count / 2;
    while (like <= count && sequence_majority(like, count) < 1 / alpha)
        like++;
    return like;
}

static struct interval median_interval(const double *sorted, size_t count, double alpha)
{
    size_t like = majority_needed(count, alpha / 2);
    if (like > count)
        return around(0, INFINITY);
    return (struct interval){sorted[count - like], sorted[like - 1]};
}

static size_t beyond(const struct sample *sample, double bound, double sign)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->count; i++)
        count += sign * sample->values[i] > bound;
    return count;
}

static double p_of(const struct sample *sample, const struct sequence *sequence, double claim)
{
    size_t up = beyond(sample, claim, 1), down = beyond(sample, claim, -1);
    double by_mean = sequence_p(sequence, claim) / MEANS_SHARE;
    double by_signs = 2 / (SIGNS_SHARE * sequence_majority(up > down ? up : down, sample->count));
    double p = by_mean < by_signs ? by_mean : by_signs;
    return p < 1 ? p : 1;
}

static double width(const struct interval *interval)
{
    return interval->high - interval->low;
}

enum verdict judge_interval(const struct interval *interval, const struct margins *margins)
{
    if (interval->low > margins->claim)
        return VERDICT_SLOWER;
    if (interval->high < -margins->claim)
        return VERDICT_FASTER;
    if (interval->low > -margins->same && interval->high < margins->same)
        return VERDICT_SAME;
    return VERDICT_UNDECIDED;
}

// How much an interval says: nothing, no change, a change.
static int tells(const struct interval *interval, const struct margins *margins)
{
    enum verdict verdict = judge_interval(interval, margins);
    return verdict == VERDICT_UNDECIDED ? 0 : verdict == VERDICT_SAME ? 1 : 2;
}

// Uses the test that says more, or the narrower interval if both say the same. Always using the
// narrower one would withdraw, with more error permitted, a claim that was certain with less.
struct finding judge_sample(const struct sample *sample, const struct margins *margins)
{
    struct sequence sequence = {0};
    size_t count = sample->count;
    if (count == 0)
        return (struct finding){.interval = around(0, INFINITY), .p = 1};
    AUTO(memory) double *sorted = mem_array(double, count);
    memcpy(sorted, sample->values, count * sizeof *sorted);
    stats_sort(sorted, count);
    for (size_t i = 0; i < count; i++)
        sequence_add(&sequence, sample->values[i]);
    double radius = sequence_radius(&sequence, margins->alpha * MEANS_SHARE);
    struct interval mean = around(sequence.mean, radius + margins->bias);
    struct interval median = median_interval(sorted, count, margins->alpha * SIGNS_SHARE);
    median = (struct interval){median.low - margins->bias, median.high + margins->bias};
    int more = tells(&median, margins) - tells(&mean, margins);
    bool by_signs = more > 0 || (more == 0 && width(&median) < width(&mean));
    return (struct finding){.change = by_signs ? stats_quantile(sorted, count, .5) : sequence.mean,
                            .interval = by_signs ? median : mean,
                            .p = p_of(sample, &sequence, margins->claim + margins->bias)};
}

enum verdict judge(const struct sample *sample, const struct margins *margins)
{
    struct finding finding = judge_sample(sample, margins);
    return judge_interval(&finding.interval, margins);
}

double judge_fraction(double logarithm)
{
    return isinf(logarithm) ? logarithm : exponential(logarithm) - 1;
}

double judge_detectable(const struct finding *finding, const struct margins *margins)
{
    double radius = width(&finding->interval) / 2;
    return isinf(radius) ? INFINITY : exponential(radius + margins->claim) - 1;
}

static struct interval control_interval(const struct sample *control, const struct margins *margins)
{
    struct margins own = *margins;
    own.bias = 0;
    return judge_sample(control, &own).interval;
}

bool judge_biased(const struct sample *control, const struct margins *margins)
{
    struct interval interval = control_interval(control, margins);
    enum verdict verdict = judge_interval(&interval, margins);
    return verdict == VERDICT_SLOWER || verdict == VERDICT_FASTER;
}

double judge_bias(const struct sample *control, const struct margins *margins)
{
    struct interval interval = control_interval(control, margins);
    bool off = interval.low > 0 || interval.high < 0;
    return off ? fmax(fabs(interval.low), fabs(interval.high)) : 0;
}

// How many epochs of this variance give an interval this narrow.
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
    double own = costs->between - costs->within;  // the part that more pairs cannot reduce
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
