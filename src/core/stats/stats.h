// stats: pure functions of numbers. Nothing here allocates or measures.
//
// `sorted` parameters are ascending. `n` is at least 1 unless noted otherwise.
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high;
};

void stats_sort(double *values, size_t n);
double stats_quantile(const double *sorted, size_t n, double q);  // linear interpolation
double stats_mean(const double *values, size_t n);
double stats_variance(const double *values, size_t n);  // divides by n - 1; 0 for a single value
double stats_midmean(const double *sorted, size_t n);   // mean of the central half

// Returns significant figures as PyTorch's Measurement computes them: from the middle half, 1 to 4.
int stats_significant_figures(const double *sorted_seconds, size_t n);

// Returns the correlation of each value with its predecessor; 0 for fewer than 3 values.
double stats_autocorrelation(const double *values, size_t n);

// Replaces neighbouring pairs by their means, at the front of `values`; an odd last value joins the
// last pair. Returns how many are left.
size_t stats_merge_neighbours(double *values, size_t n);

// Computes an interval for the median from order statistics, without assuming a distribution.
// Returns false if n is too small for the confidence (under 6 values for 95 %).
bool stats_median_interval(const double *sorted, size_t n, double confidence, struct interval *out);

// Returns the q quantile of Student's t for `df` degrees of freedom, which need not be an integer.
double stats_student(double q, double df);

// Returns the interval of the mean; n >= 2.
struct interval stats_mean_interval(const double *values, size_t n, double confidence);

// Returns the interval of the midmean, from the variance with each tail winsorized to its quartile
// (Tukey-McLaughlin); n >= 4.
struct interval stats_midmean_interval(const double *sorted, size_t n, double confidence);

// Returns the interval of mean(b) - mean(a) for unequal variances (Welch); each n >= 2.
struct interval stats_difference_interval(const double *a, size_t a_n, const double *b, size_t b_n,
                                          double confidence);

struct line {
    double slope, intercept;
    struct interval slope_interval;
};

// Fits a line by least squares; n >= 2, not all x equal. With n = 2 the interval is infinite.
struct line stats_fit_line(const double *x, const double *y, size_t n, double confidence);

#endif
