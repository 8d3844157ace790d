// units: quantities as a person reads them.
#include "units.h"

#include <math.h>
#include <stdio.h>

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

static int decimals_for(double value, int figures)
{
    if (!(value > 0))
        return 0;
    int decimals = figures - 1 - floor_log10(value);
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

const char *units_time(double seconds, double half_width, char out[UNITS_SIZE])
{
    if (seconds > 0 && seconds < 1e-12) {  // nothing real is that fast
        snprintf(out, UNITS_SIZE, "<0.001 ns");
        return out;
    }
    struct unit unit = units_for_time(seconds);
    double value = seconds / unit.size;
    int decimals = decimals_for(value, 4);
    if (half_width > 0) {
        // The last digit shown is the first one in doubt.
        int meant = decimals_for(half_width / unit.size, 1);
        decimals = meant < decimals ? meant : decimals;
        int least = decimals_for(value, 2);
        decimals = decimals < least ? least : decimals;
    }
    snprintf(out, UNITS_SIZE, "%.*f %s", decimals, value, unit.name);
    return out;
}

const char *units_rate(double per_second, const char *what, char out[UNITS_SIZE])
{
    static const struct unit units[] = {{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}};
    size_t i = 0;
    while (units[i].size > 1 && per_second < units[i].size)
        i++;
    double value = per_second / units[i].size;
    snprintf(out, UNITS_SIZE, "%.*f %s%s/s", decimals_for(value, 3), value, units[i].name, what);
    return out;
}

const char *units_percent(double fraction, char out[UNITS_SIZE])
{
    double percent = fraction * 100;
    double size = fabs(percent);
    snprintf(out, UNITS_SIZE, "%.*f%%", size >= 10 ? 0 : size >= 0.095 ? 1 : 2, percent);
    return out;
}
