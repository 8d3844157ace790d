// sequence: a confidence interval for a mean that stays valid if checked after every value.
//
// This is a t-mixture confidence sequence: you may stop as soon as the interval is good enough, and
// the error rate still holds. Exact for normal values of unknown variance.
#ifndef STATS_SEQUENCE_H
#define STATS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

struct sequence {  // all zero: no values yet
    size_t count;
    double mean, squares;  // `squares` is the sum of squared deviations from the mean
};

void sequence_add(struct sequence *sequence, double value);

// Returns the radius of the interval around the mean. The true mean is inside at every check,
// except in a fraction alpha of runs. Infinite while nothing can be said.
double sequence_radius(const struct sequence *sequence, double alpha);

// Returns the smallest alpha whose interval lies outside [-margin, margin]; 1: none.
double sequence_p(const struct sequence *sequence, double margin);

// Returns the evidence that more than half of all possible draws are like `like` of the `count`
// draws made. If that is false, evidence of 1/alpha or more occurs, at any check, in at most a
// fraction alpha of runs. Ignores how far apart the values are, so outliers do not affect it.
double sequence_majority(size_t like, size_t count);

// Selects which of `p` to believe, so that at most `rate` of those selected are wrong
// (Benjamini-Hochberg).
void sequence_discoveries(const double *p, size_t count, double rate, bool *out);

#endif
