// stats: quantiles, means, spreads.
#include "stats.h"

#include <math.h>
#include <stdlib.h>

#include "elementary.h"

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

void stats_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
    double rank = q * (double)(n - 1);
    size_t below = (size_t)rank;
    if (below + 1 >= n)
        return sorted[n - 1];
    double part = rank - (double)below;
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double stats_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

static double squared_deviations(const double *values, size_t n)
{
    double mean = stats_mean(values, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

double stats_variance(const double *values, size_t n)
{
    return n < 2 ? 0 : squared_deviations(values, n) / (double)(n - 1);
}

double stats_midmean(const double *sorted, size_t n)
{
    // The quarter cut off at each end may fall within a value, which then counts in part.
    double cut = (double)n / 4;
    size_t whole = (size_t)cut;
    double part = 1 - (cut - (double)whole);
    if (n == 1)
        return sorted[0];
    double sum = part * (sorted[whole] + sorted[n - 1 - whole]);
    for (size_t i = whole + 1; i < n - 1 - whole; i++)
        sum += sorted[i];
    return sum / ((double)n - 2 * cut);
}

int stats_significant_figures(const double *sorted_seconds, size_t n)
{
    size_t from = n / 4;
    size_t to = (3 * n + 3) / 4;
    size_t kept = to - from;
    const double *middle = sorted_seconds + from;
    double deviation = square_root(squared_deviations(middle, kept) / (double)kept);
    double uncertainty = 1.645 * deviation / square_root((double)kept);
    if (uncertainty < 25e-9)
        uncertainty = 25e-9;
    double certainty = stats_quantile(sorted_seconds, n, 0.5) / uncertainty;
    if (!(certainty >= 10))  // also if the squares above overflowed
        return 1;
    int figures = floor_log10(certainty);
    return figures > 4 ? 4 : figures;
}

double stats_autocorrelation(const double *values, size_t n)
{
    double total = n < 3 ? 0 : squared_deviations(values, n);
    if (total == 0)
        return 0;
    double mean = stats_mean(values, n);
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += (values[i] - mean) * (values[i - 1] - mean);
    return sum / total;
}

size_t stats_merge_neighbours(double *values, size_t n)
{
    size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++) {
        size_t members = i + 1 == pairs ? n - 2 * i : 2;
        values[i] = stats_mean(values + 2 * i, members);
    }
    return pairs;
}

bool stats_median_interval(const double *sorted, size_t n, double confidence, struct interval *out)
{
    // The k-th value from each end bounds the median, unless fewer than k of n fair coins show
    // heads.
    enum { EXACT = 1000 };  // above this, 0.5^n underflows and the normal approximation is as good
    double tail = (1 - confidence) / 2;
    size_t k = 0;
    if (n <= EXACT) {
        double probability = exponential(-(double)n * 0.6931471805599453);
        double cumulative = probability;
        while (cumulative <= tail) {
            probability *= (double)(n - k) / (double)(k + 1);
            cumulative += probability;
            k++;
        }
    } else {
        double z = stats_student(1 - tail, 1e6);
        k = (size_t)((double)n / 2 - z * square_root((double)n) / 2);
    }
    if (k == 0)
        return false;
    *out = (struct interval){sorted[k - 1], sorted[n - k]};
    return true;
}

struct interval stats_mean_interval(const double *values, size_t n, double confidence)
{
    double mean = stats_mean(values, n);
    double t = stats_student((1 + confidence) / 2, (double)(n - 1));
    double half = t * square_root(stats_variance(values, n) / (double)n);
    return (struct interval){mean - half, mean + half};
}

struct interval stats_midmean_interval(const double *sorted, size_t n, double confidence)
{
    size_t cut = n / 4;
    double low = sorted[cut], high = sorted[n - 1 - cut];
    double sum = (double)cut * (low + high), squares = 0;
    for (size_t i = cut; i < n - cut; i++)
        sum += sorted[i];
    double mean = sum / (double)n;
    for (size_t i = cut; i < n - cut; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    squares += (double)cut * ((low - mean) * (low - mean) + (high - mean) * (high - mean));
    double kept = (double)(n - 2 * cut);
    double error = square_root(squares / (double)(n - 1) * (double)n) / kept;
    double half = stats_student((1 + confidence) / 2, kept - 1) * error;
    double middle = stats_midmean(sorted, n);
    return (struct interval){middle - half, middle + half};
}

struct interval stats_difference_interval(const double *a, size_t a_n, const double *b, size_t b_n,
                                          double confidence)
{
    double difference = stats_mean(b, b_n) - stats_mean(a, a_n);
    double va = stats_variance(a, a_n) / (double)a_n;
    double vb = stats_variance(b, b_n) / (double)b_n;
    if (va + vb == 0)
        return (struct interval){difference, difference};
    double df = (va + vb) * (va + vb) / (va * va / (double)(a_n - 1) + vb * vb / (double)(b_n - 1));
    double half = stats_student((1 + confidence) / 2, df) * square_root(va + vb);
    return (struct interval){difference - half, difference + half};
}

struct line stats_fit_line(const double *x, const double *y, size_t n, double confidence)
{
    double mean_x = stats_mean(x, n), mean_y = stats_mean(y, n);
    double xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    double slope = xy / xx;
    struct line line = {.slope = slope, .intercept = mean_y - slope * mean_x};
    double half = INFINITY;
    if (n > 2) {
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            double residual = y[i] - line.intercept - slope * x[i];
            squares += residual * residual;
        }
        double df = (double)(n - 2);
        half = stats_student((1 + confidence) / 2, df) * square_root(squares / df / xx);
    }
    line.slope_interval = (struct interval){slope - half, slope + half};
    return line;
}
