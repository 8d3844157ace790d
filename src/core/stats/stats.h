// stats: pure functions over numbers. Nothing here allocates, measures or knows what it is about.
//
// `sorted` parameters are ascending. `n` is at least 1 unless said otherwise.
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high;
};

void stats_sort(double *values, size_t n);
double stats_quantile(const double *sorted, size_t n, double q);  // linear between neighbours
double stats_mean(const double *values, size_t n);
double stats_variance(const double *values, size_t n);  // n - 1 below; 0 for a single value
double stats_midmean(const double *sorted, size_t n);   // the mean of the central half

// Significant figures as PyTorch's Measurement counts them: from the middle half, 1 to 4.
int stats_significant_figures(const double *sorted_seconds, size_t n);

// The correlation of each value with the one before it; 0 for fewer than 3 values.
double stats_autocorrelation(const double *values, size_t n);

// Means of neighbouring pairs, written to the front of `values`; an odd last one joins the last
// pair.
size_t stats_merge_neighbours(double *values, size_t n);

// The interval of the median from order statistics alone: no assumption on the shape. False when n
// is too small for that confidence (under 6 values for 95 %).
bool stats_median_interval(const double *sorted, size_t n, double confidence, struct interval *out);

// Student's t: the q quantile for `df` degrees of freedom, which need not be whole.
double stats_student(double q, double df);

// The interval of the mean; n >= 2.
struct interval stats_mean_interval(const double *values, size_t n, double confidence);

// The interval of the midmean, by the spread of the values with each tail drawn in to its quartile
// (Tukey and McLaughlin); n >= 4.
struct interval stats_midmean_interval(const double *sorted, size_t n, double confidence);

// The interval of mean(b) - mean(a), the variances unequal (Welch); each n >= 2.
struct interval stats_difference_interval(const double *a, size_t a_n, const double *b, size_t b_n,
                                          double confidence);

struct line {
    double slope, intercept;
    struct interval slope_interval;
};

// Least squares through (x, y); n >= 2 and not all x equal. With n = 2 the interval is infinite.
struct line stats_fit_line(const double *x, const double *y, size_t n, double confidence);

#endif
