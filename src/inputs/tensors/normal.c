// normal: Box and Muller's method.
//
// Without branches, so that the compiler turns the loop over pairs into vectors.
#include "normal.h"

#include <string.h>

#include "uniform.h"

static const double LN2 = 0x1.62e42fefa39efp-1, HALF_PI = 0x1.921fb54442d18p0;
static const uint64_t SQRT_HALF = 0x3FE6A09E667F3BCDu, ONE = 0x3FF0000000000000u,
                      LARGE = 0x4330000000000000u;  // 2^52: its lowest bits are an integer

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ln x for a normal x: its exponent times ln 2, plus the series of 2 atanh((m - 1) / (m + 1)) for
// its fraction m in [sqrt(1/2), sqrt(2)). Eleven terms reach 1e-17.
static inline double logarithm(double x)
{
    uint64_t bits = to_bits(x);
    uint64_t biased = (bits - SQRT_HALF + ONE) >> 52;  // the exponent plus 1023
    double exponent = from_bits(biased | LARGE) - (0x1p52 + 1023);
    double fraction = from_bits(bits - (biased << 52) + ONE);
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
        const uint32_t *word = words + 4 * i;
        double radius = uniform_from_words(word[0], word[1]) + 0x1p-53;  // never 0
        double angle = (uniform_from_words(word[2], word[3]) - 0.5) * HALF_PI;
        double length = __builtin_sqrt(-2 * logarithm(radius));
        uint64_t x = to_bits(length * cosine(angle)), y = to_bits(length * sine(angle));
        // That is the right quarter of the circle. Two bits that were not used choose another.
        uint64_t is_left = word[3] & 1, is_upright = word[3] >> 1 & 1;
        x ^= is_left << 63;
        uint64_t exchanged = (x ^ y) & -is_upright;
        out[2 * i] = from_bits(x ^ exchanged);
        out[2 * i + 1] = from_bits(y ^ exchanged);
    }
}
