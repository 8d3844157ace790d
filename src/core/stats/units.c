// units: formats quantities for the user.
#include "units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "elementary.h"

struct unit units_for_time(double seconds)
{
    static const struct unit units[] = {{"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
    double least[] = {120, 1, 1e-3, 1e-6};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= least[i])
            return units[i];
    return (struct unit){"ns", 1e-9};
}

struct unit units_named(const char *name, double seconds)
{
    static const struct unit units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    for (size_t i = 0; name && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i];
    return units_for_time(seconds);
}

static int all_decimals_for(double value, int figures)
{
    if (!(value > 0))
        return 0;
    int decimals = figures - 1 - floor_log10(value);
    return decimals < 0 ? 0 : decimals;
}

static int decimals_for(double value, int figures)
{
    int decimals = all_decimals_for(value, figures);
    return decimals > 6 ? 6 : decimals;
}

const char *units_time(double seconds, double half_width, char out[UNITS_SIZE])
{
    return units_time_in(units_for_time(seconds), seconds, half_width, out);
}

const char *units_time_in(struct unit unit, double seconds, double half_width, char out[UNITS_SIZE])
{
    if (seconds > 0 && seconds < 1e-12) {  // nothing real is this fast
        snprintf(out, UNITS_SIZE, "<0.001 ns");
        return out;
    }
    double value = seconds / unit.size;
    int decimals = all_decimals_for(value, 4);  // many if the user chose a large unit
    if (half_width > 0) {
        // The last digit shown is the first uncertain one.
        int meant = all_decimals_for(half_width / unit.size, 1);
        decimals = meant < decimals ? meant : decimals;
        int least = all_decimals_for(value, 2);
        decimals = decimals < least ? least : decimals;
    }
    snprintf(out, UNITS_SIZE, "%.*f %s", decimals, value, unit.name);
    return out;
}

static struct unit unit_for_rate(double per_second)
{
    static const struct unit units[] = {{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}};
    size_t i = 0;
    while (units[i].size > 1 && per_second < units[i].size)
        i++;
    return units[i];
}

const char *units_rate(double per_second, const char *what, char out[UNITS_SIZE])
{
    struct unit unit = unit_for_rate(per_second);
    double value = per_second / unit.size;
    snprintf(out, UNITS_SIZE, "%.*f %s%s/s", decimals_for(value, 3), value, unit.name, what);
    return out;
}

// Returns 10^exponent. For a negative exponent, divides at the end, so that it rounds only once.
static double power_of_ten(int exponent)
{
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10;
    return exponent < 0 ? 1 / power : power;
}

static double rounded(double value)  // must be in range; rounds without libm
{
    return (double)(long long)(value < 0 ? value - 0.5 : value + 0.5);
}

// Shows the half width with one digit, or two if it starts with 1: 1.234(5), 1.234(12), 520(120).
// Decimals end at the fourth figure of the value, even if the next ones are certain.
// Returns the number of characters written.
static int print_measured(double value, double half_width, char out[UNITS_SIZE])
{
    double size = fabs(value);
    if (!(size < 1e15) || (size > 0 && size < 1e-6))  // too large or too small for plain digits
        return snprintf(out, UNITS_SIZE, "%.4g", value);
    if (!(half_width > 0) || !(half_width < 1e15))
        return snprintf(out, UNITS_SIZE, "%.*f", decimals_for(size, 4), value);
    int exponent = floor_log10(half_width);
    bool starts_with_1 = half_width < 1.95 * power_of_ten(exponent);
    int decimals = (starts_with_1 ? 1 : 0) - exponent;
    int most = decimals_for(size > half_width ? size : half_width, 4);
    decimals = decimals > most ? most : decimals;
    double step = power_of_ten(-decimals);
    double doubt = rounded(half_width / step);
    if (decimals <= 0)
        return snprintf(out, UNITS_SIZE, "%.0f(%.0f)", rounded(value / step) * step, doubt * step);
    if (doubt == 0)  // the rounding errors of equal times
        return snprintf(out, UNITS_SIZE, "%.*f", decimals_for(size, 4), value);
    return snprintf(out, UNITS_SIZE, "%.*f(%.0f)", decimals, value, doubt);
}

const char *units_measured(double value, double half_width, char out[UNITS_SIZE])
{
    print_measured(value, half_width, out);
    return out;
}

const char *units_measured_time(double seconds, double half_width, char out[UNITS_SIZE])
{
    struct unit unit = units_for_time(seconds);
    int size = print_measured(seconds / unit.size, half_width / unit.size, out);
    snprintf(out + size, (size_t)(UNITS_SIZE - size), " %s", unit.name);
    return out;
}

static const char *measured_amount(double amount, double half_width, const char *what,
                                   const char *per, char out[UNITS_SIZE])
{
    struct unit unit = unit_for_rate(amount);
    int size = print_measured(amount / unit.size, half_width / unit.size, out);
    snprintf(out + size, (size_t)(UNITS_SIZE - size), " %s%s%s", unit.name, what, per);
    return out;
}

const char *units_measured_rate(double per_second, double half_width, const char *what,
                                char out[UNITS_SIZE])
{
    return measured_amount(per_second, half_width, what, "/s", out);
}

const char *units_measured_size(double bytes, double half_width, char out[UNITS_SIZE])
{
    return measured_amount(bytes, half_width, "B", "", out);
}

const char *units_percent(double fraction, char out[UNITS_SIZE])
{
    double percent = fraction * 100;
    double size = fabs(percent);
    snprintf(out, UNITS_SIZE, "%.*f%%", size >= 10 ? 0 : size >= 0.095 ? 1 : 2, percent);
    return out;
}
