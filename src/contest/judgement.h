// judgement: from the epochs of a comparison to a word. Pure: no processes, no clock.
#ifndef CONTEST_JUDGEMENT_H
#define CONTEST_JUDGEMENT_H

#include "stats/sequence.h"
#include "stats/stats.h"

enum verdict {
    VERDICT_UNDECIDED,
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_SAME,
    VERDICT_BIASED,
    VERDICT_LAYOUT,
};
extern const char *const verdict_words[];  // by the above

struct margins {   // fractions of the baseline
    double alpha;  // how often a claim may be wrong
    double claim;  // what is smaller is no change
    double same;   // what lies within is none
};
extern const struct margins default_margins;

// What can be said of the mean of ln(b/a) so far; VERDICT_UNDECIDED: not enough yet.
enum verdict judge(const struct sequence *epochs, const struct margins *margins);

// The interval as a fraction of the baseline, at alpha; infinite while nothing can be said.
struct interval judge_interval(const struct sequence *epochs, double alpha);

// The smallest change that would have been called one with this many epochs and this spread.
double judge_detectable(const struct sequence *epochs, const struct margins *margins);

// Whether sides that are the same do not look so: the whole interval is beyond what is claimed.
bool judge_biased(const struct sequence *control, const struct margins *margins);

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
