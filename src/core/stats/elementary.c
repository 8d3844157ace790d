// elementary: logarithm, exponential and square root.
#include "elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double LN2_HIGH = 0x1.62e42fefa38p-1;   // its last bits are zero, so that k *
static const double LN2_LOW = 0x1.ef35793c7673p-45;  // LN2_HIGH is exact for every exponent k

static double two_to_the(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// Splits x into a fraction in [sqrt(1/2), sqrt(2)) and a power of two.
static double split(double x, int *exponent)
{
    int scaled = 0;
    if (x < 0x1p-1022) {  // subnormal
        x *= 0x1p54;
        scaled = -54;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *exponent = (int)(bits >> 52) - 1023 + scaled;
    bits = (bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u;
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) {
        x /= 2;
        ++*exponent;
    }
    return x;
}

double ln(double x)
{
    int exponent;
    double fraction = split(x, &exponent);
    // ln f = 2 atanh(s), s = (f-1)/(f+1), |s| < 0.172: eleven terms reach 1e-17.
    double s = (fraction - 1) / (fraction + 1);
    double square = s * s;
    double series = 0;
    for (int i = 23; i >= 3; i -= 2)
        series = square * (series + 1.0 / i);
    return exponent * LN2_HIGH + (2 * s + (2 * s * series + exponent * LN2_LOW));
}

double exponential(double x)
{
    if (x > 708 || x < -708)
        return x > 0 ? INFINITY : 0;
    int k = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * LN2_HIGH - k * LN2_LOW;
    double series = 0;
    for (int i = 17; i >= 1; i--)
        series = r * (1 + series) / i;
    // In two steps, because the power of two alone may be out of range even if the result is not.
    return (1 + series) * two_to_the(k / 2) * two_to_the(k - k / 2);
}

double square_root(double x)
{
    return __builtin_sqrt(x);  // one instruction: the build turns off errno for it
}

static double ten_to_the(int exponent)
{
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++)
        power *= 10;
    return exponent < 0 ? 1 / power : power;
}

int floor_log10(double x)
{
    double estimate = ln(x) / 2.302585092994046;
    int exponent = (int)estimate - (estimate < 0);  // rounded down, so off by one at most
    if (x < ten_to_the(exponent))
        return exponent - 1;
    return x >= ten_to_the(exponent + 1) ? exponent + 1 : exponent;
}
