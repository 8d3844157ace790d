// judgement: from the epochs of a comparison to a word. Pure: no processes, no clock.
//
// Two looks at the same values share the error that is allowed. One is at their mean, and is the
// sharper one where they are normal. The other is at which side of a bound they lie, and does not
// mind that one epoch in five is far off, as where an allocator meets a busy machine.
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
};
extern const char *const verdict_words[];  // by the above

struct margins {   // fractions of the baseline
    double alpha;  // how often a claim may be wrong
    double claim;  // what is smaller is no change
    double same;   // what lies within is none
    double bias;   // as far as sides that are the same may look apart: widens every interval
};
extern const struct margins default_margins;

struct sample {  // ln(b/a) of epochs
    const double *values;
    size_t count;
};

struct finding {
    double change;             // the mean, or the median where that is known better; a logarithm
    struct interval interval;  // valid at any look, bias included; infinite: nothing can be said
    double p;                  // the smallest alpha at which it is beyond the margin of a claim
};
struct finding judge_sample(const struct sample *sample, const struct margins *margins);

enum verdict judge_interval(const struct interval *interval, const struct margins *margins);

// What can be said so far; VERDICT_UNDECIDED: not enough yet.
enum verdict judge(const struct sample *sample, const struct margins *margins);

// A change as a fraction of the baseline; infinite where nothing is known.
double judge_fraction(double logarithm);

// The smallest change that would have been called one by an interval of this width: a fraction.
double judge_detectable(const struct finding *finding, const struct margins *margins);

// Whether sides that are the same do not look so: the whole interval is beyond what is claimed.
bool judge_biased(const struct sample *control, const struct margins *margins);

// How far apart sides that are the same may look, judged by a control that compares a side with
// itself: up to the far end of its interval where that does not contain 0, otherwise 0. Nobody
// knows how much of it, or with which sign, reaches another comparison.
double judge_bias(const struct sample *control, const struct margins *margins);

// How many pairs of batches an epoch should have, so that a verdict comes soonest: by how much an
// epoch's value spreads with so many, how many epochs that takes, and how long one is.
struct epoch_costs {
    double start_ns, pair_ns;
    double within;   // variance of an epoch's value that its pairs explain
    double between;  // variance of the epochs' values, all in
    double room;     // how narrow the interval has to be
    double alpha;
    unsigned pairs;  // as it was
    unsigned fewest, most;
};
unsigned judge_pairs(const struct epoch_costs *costs);

#endif
