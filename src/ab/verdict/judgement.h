// judgement: turns the epochs of a comparison into a verdict. Pure: no processes, no clock.
//
// Two tests on the same values share the permitted error. One uses the mean and is sharper for
// normal values. The other uses how many values lie beyond a bound; it tolerates one epoch in five
// being far off, as happens with an allocator on a busy machine.
#ifndef AB_VERDICT_JUDGEMENT_H
#define AB_VERDICT_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/stats/stats.h"

enum verdict {
    VERDICT_UNDECIDED,
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_SAME,
    VERDICT_BIASED,
    // For times that were not measured side by side.
    VERDICT_SEEMS_FASTER,
    VERDICT_SEEMS_SLOWER,
    VERDICT_SEEMS_SAME,
};
extern const char *const verdict_words[];  // indexed by enum verdict

struct margins {   // fractions of the baseline
    double alpha;  // permitted error rate of claims
    double claim;  // smaller changes are not reported
    double same;   // changes within this count as none
    double bias;   // how far apart identical sides may appear: widens every interval
};
extern const struct margins default_margins;

struct sample {  // ln(b/a) of epochs
    const double *values;
    size_t count;
};

struct finding {
    double change;             // mean, or the median if that is known better; a logarithm
    struct interval interval;  // valid at any time, includes bias; infinite: nothing known
    double p;                  // smallest alpha at which the change exceeds the claim margin
};
struct finding judge_sample(const struct sample *sample, const struct margins *margins);

enum verdict judge_interval(const struct interval *interval, const struct margins *margins);

// The verdict so far; VERDICT_UNDECIDED: not enough data yet.
enum verdict judge(const struct sample *sample, const struct margins *margins);

// A change as a fraction of the baseline; infinite if unknown.
double judge_fraction(double logarithm);

// The smallest change that an interval of this width would have detected: a fraction.
double judge_detectable(const struct finding *finding, const struct margins *margins);

// Whether identical sides appear different: the whole interval exceeds the claim margin.
bool judge_biased(const struct sample *control, const struct margins *margins);

// How far apart identical sides may appear, judging by a control that compares a side with itself:
// the far end of its interval if that excludes 0, otherwise 0. How much of it affects another
// comparison, and with which sign, is unknown.
double judge_bias(const struct sample *control, const struct margins *margins);

// Chooses the number of pairs of batches per epoch that gives a verdict soonest. It weighs how much
// the values of epochs then vary, how many epochs that takes, and how long each one is.
struct epoch_costs {
    double start_ns, pair_ns;
    double within;   // variance of an epoch's value due to its pairs
    double between;  // total variance of the epochs' values
    double room;     // required width of the interval
    double alpha;
    unsigned pairs;  // current value
    unsigned fewest, most;
};
unsigned judge_pairs(const struct epoch_costs *costs);

#endif
