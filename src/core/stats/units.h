// units: formats quantities for the user.
#ifndef STATS_UNITS_H
#define STATS_UNITS_H

#include <stddef.h>

enum { UNITS_SIZE = 40 };  // room for any quantity as text

struct unit {
    const char *name;
    double size;
};

// Returns the unit that suits a time best: ns (also below 1 ns), us, ms, s, min.
struct unit units_for_time(double seconds);

// The unit of that name: ns, us, ms, s. NULL, or another name: the one that suits the time.
struct unit units_named(const char *name, double seconds);

// "1.583 ns". The half width of its interval determines the number of digits; NaN: four figures.
const char *units_time(double seconds, double half_width, char out[UNITS_SIZE]);
const char *units_time_in(struct unit unit, double seconds, double half_width,
                          char out[UNITS_SIZE]);

// "39.4 GB/s", "1.20 M/s": powers of 1000.
const char *units_rate(double per_second, const char *what, char out[UNITS_SIZE]);

// "0.4%", from a fraction.
const char *units_percent(double fraction, char out[UNITS_SIZE]);

// Shows the half width in parentheses, in units of the last digits: "1.234(5) us" is 1.234 us +-
// .005 us. Without one (NaN, 0, or below the fourth figure), shows four figures and no
// parentheses.
const char *units_measured_time(double seconds, double half_width, char out[UNITS_SIZE]);
const char *units_measured_rate(double per_second, double half_width, const char *what,
                                char out[UNITS_SIZE]);
const char *units_measured_size(double bytes, double half_width, char out[UNITS_SIZE]);
const char *units_measured(double value, double half_width, char out[UNITS_SIZE]);  // no unit

#endif
