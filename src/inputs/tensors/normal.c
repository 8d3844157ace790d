// normal: Box and Muller's method.
//
// Without branches, so that the compiler turns the loop over pairs into vectors.
#include "normal.h"

#include <string.h>

#include "uniform.h"

static const double LN2 = 0x1.62e42fefa39efp-1, SQRT2 = 0x1.6a09e667f3bcdp0,
                    HALF_PI = 0x1.921fb54442d18p0;

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ln x for a normal x: the series of 2 atanh((m - 1) / (m + 1)) for the fraction m of x, which is
// moved into [sqrt(1/2), sqrt(2)). Ten terms reach 1e-16.
static inline double logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    double fraction = from_bits((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    // The exponent as the lowest bits of 2^52, as there is no vector instruction to convert it.
    double exponent = from_bits(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1023);
    double is_large = fraction > SQRT2 ? 1 : 0;
    fraction = fraction * (1 - 0.5 * is_large);
    exponent = exponent + is_large;
    double s = (fraction - 1) / (fraction + 1), square = s * s;
    double series = 1.0 / 21;
    series = series * square + 1.0 / 19;
    series = series * square + 1.0 / 17;
    series = series * square + 1.0 / 15;
    series = series * square + 1.0 / 13;
    series = series * square + 1.0 / 11;
    series = series * square + 1.0 / 9;
    series = series * square + 1.0 / 7;
    series = series * square + 1.0 / 5;
    series = series * square + 1.0 / 3;
    series = series * square + 1;
    return exponent * LN2 + 2 * s * series;
}

// Taylor's series, for |x| <= pi/4.
static inline double sine(double x)
{
    double square = x * x;
    double series = -1.0 / 1307674368000;
    series = series * square + 1.0 / 6227020800;
    series = series * square - 1.0 / 39916800;
    series = series * square + 1.0 / 362880;
    series = series * square - 1.0 / 5040;
    series = series * square + 1.0 / 120;
    series = series * square - 1.0 / 6;
    return x + x * square * series;
}

static inline double cosine(double x)
{
    double square = x * x;
    double series = 1.0 / 20922789888000;
    series = series * square - 1.0 / 87178291200;
    series = series * square + 1.0 / 479001600;
    series = series * square - 1.0 / 3628800;
    series = series * square + 1.0 / 40320;
    series = series * square - 1.0 / 720;
    series = series * square + 1.0 / 24;
    series = series * square - 0.5;
    return 1 + square * series;
}

void normal_from_words(const uint32_t *words, size_t pairs, double *out)
{
    for (size_t i = 0; i < pairs; i++) {
        double radius = uniform_from_words(words[4 * i], words[4 * i + 1]) + 0x1p-53;  // never 0
        double turn = uniform_from_words(words[4 * i + 2], words[4 * i + 3]) * 4;
        int quarter = (int)(turn + 0.5);  // to the nearest quarter of a circle: 0 .. 4
        double angle = (turn - quarter) * HALF_PI;
        double length = __builtin_sqrt(-2 * logarithm(radius));
        double x = length * cosine(angle), y = length * sine(angle);
        double swap_x = quarter & 1 ? y : x, swap_y = quarter & 1 ? x : y;
        out[2 * i] = (quarter + 1) & 2 ? -swap_x : swap_x;  // the second and third quarters
        out[2 * i + 1] = quarter & 2 ? -swap_y : swap_y;    // the third and fourth
    }
}
