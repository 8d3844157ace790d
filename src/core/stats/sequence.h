// sequence: an interval for a mean that may be looked at after every value.
//
// A t-mixture confidence sequence: whoever stops when the interval tells enough is still right as
// often as promised. Exact for normal values of unknown variance.
#ifndef STATS_SEQUENCE_H
#define STATS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

struct sequence {  // of zeroes: nothing seen
    size_t count;
    double mean, squares;  // the sum of squared deviations from the mean
};

void sequence_add(struct sequence *sequence, double value);

// The mean lies within this of the true one at every look, but for one run in 1/alpha. Infinite as
// long as nothing can be said.
double sequence_radius(const struct sequence *sequence, double alpha);

// The smallest alpha whose interval lies outside of [-margin, margin]; 1: none does.
double sequence_p(const struct sequence *sequence, double margin);

// The evidence that more than half of what could be drawn is like `like` of `count` draws were, and
// not by chance: 1/alpha or more is seen, at any look, in one run of 1/alpha, if it is not so.
// Knows nothing of how far apart the values are, so that no outlier moves it.
double sequence_majority(size_t like, size_t count);

// Which of `p` to believe so that of those no more than `rate` are wrong (Benjamini, Hochberg).
void sequence_discoveries(const double *p, size_t count, double rate, bool *out);

#endif
