// student: quantiles of Student's t, from the regularized incomplete beta function.
//
// P(T > t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2); bisection finds the quantile. It is
// needed only once per measurement, so sixty steps of a continued fraction do not matter.
#include "stats.h"

#include "elementary.h"

// Returns ln gamma(x) for x > 0, by Stirling's series for large x, and the recurrence below that.
static double ln_gamma(double x)
{
    double product = 1;
    for (; x < 12; x++)
        product *= x;
    double inverse = 1 / x, square = inverse * inverse;
    double series =
        inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
    return (x - 0.5) * ln(x) - x + 0.9189385332046727 + series - ln(product);
}

static double away_from_zero(double value)
{
    return value < 1e-300 && value > -1e-300 ? 1e-300 : value;
}

// Evaluates the continued fraction of the incomplete beta function forward (Lentz).
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        result *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        double change = d * c;
        result *= change;
        if (change > 1 - 1e-15 && change < 1 + 1e-15)
            break;
    }
    return result;
}

// For x > 0.
static double incomplete_beta(double a, double b, double x)
{
    if (x >= 1)
        return 1;
    double front =
        exponential(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(1 - x));
    // The fraction converges fast only on one side of the mean; the other side is its mirror image.
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double upper_tail(double t, double df)
{
    return incomplete_beta(df / 2, 0.5, df / (df + t * t)) / 2;
}

double stats_student(double q, double df)
{
    if (q < 0.5)
        return -stats_student(1 - q, df);
    double tail = 1 - q;
    double low = 0, high = 1;
    while (upper_tail(high, df) > tail && high < 1e12)
        high *= 2;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;
        if (upper_tail(middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
