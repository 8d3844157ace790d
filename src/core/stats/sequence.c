// sequence: a confidence interval for a mean that stays valid if checked after every value.
#include "sequence.h"

#include <math.h>

#include "elementary.h"

// Weight that the mixture puts near zero, as a number of values. The interval is narrowest at about
// three times as many values.
static const double MIXTURE = 4;

void sequence_add(struct sequence *sequence, double value)
{
    double before = value - sequence->mean;
    sequence->mean += before / (double)++sequence->count;
    sequence->squares += before * (value - sequence->mean);
}

double sequence_radius(const struct sequence *sequence, double alpha)
{
    double n = (double)sequence->count;
    if (n < 2)
        return INFINITY;
    double root = square_root((n + MIXTURE) / MIXTURE);
    double g = 1 - exponential(-2 / n * ln(root / alpha));
    double room = n * n / (n + MIXTURE) - n * g;
    return room > 0 ? square_root(sequence->squares * g / room) : INFINITY;
}

double sequence_p(const struct sequence *sequence, double margin)
{
    double beyond = (sequence->mean < 0 ? -sequence->mean : sequence->mean) - margin;
    if (sequence_radius(sequence, 1) >= beyond)
        return 1;
    double low = -700, high = 0;  // ln alpha: the interval is wide at `low` and narrow at `high`
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (sequence_radius(sequence, exponential(middle)) < beyond)
            high = middle;
        else
            low = middle;
    }
    return exponential(high);
}

// The likelihood ratio of `like` out of `count`: a share anywhere between one half and one, versus
// exactly one half. It is the sum of C(count + 1, j) for j up to `like`, over (count + 1) C(count,
// like).
double sequence_majority(size_t like, size_t count)
{
    double n = (double)count, term = 1 / (n + 1 - (double)like), sum = 0;
    for (double j = (double)like; j >= 0 && term > sum * 1e-17; j--) {
        sum += term;
        term *= j / (n + 2 - j);
    }
    return sum;
}

static size_t rank_of(double value, const double *values, size_t count)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += values[i] <= value;
    return rank;
}

void sequence_discoveries(const double *p, size_t count, double rate, bool *out)
{
    double limit = -1;
    for (size_t i = 0; i < count; i++)
        if (p[i] > limit && p[i] <= rate * (double)rank_of(p[i], p, count) / (double)count)
            limit = p[i];
    for (size_t i = 0; i < count; i++)
        out[i] = p[i] <= limit;
}
