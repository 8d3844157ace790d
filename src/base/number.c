// number: converts numbers to text and back, the same way in every locale.
#include "number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// printf and strtod follow the program's locale, which may use a comma.
static char decimal_point(void)
{
    return localeconv()->decimal_point[0];
}

const char *number_shortest(double value, char out[NUMBER_SIZE])
{
    if (value == 0 && signbit(value))
        return strcpy(out, "-0.0");  // JSON readers take -0 for an integer and drop its sign
    if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value) {
        snprintf(out, NUMBER_SIZE, "%lld", (long long)value);
        return out;
    }
    // A double preserves any 15 digits, unless it is subnormal and has fewer.
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    char *point = strchr(out, decimal_point());
    if (point)
        *point = '.';
    return out;
}

// Reads a decimal number at the start of `text`; `*end` is what follows it.
static bool read_prefix(const char *text, double *out, const char **end)
{
    char copy[64];
    size_t size = strspn(text, "+-0123456789.eE");
    // A unit may start with the letter of an exponent, so cut back to a valid number.
    while (size > 0 && (text[size - 1] == 'e' || text[size - 1] == 'E'))
        size--;
    if (size == 0 || size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *point = strchr(copy, '.');
    if (point)
        *point = decimal_point();
    char *stop;
    double value = strtod(copy, &stop);
    if (stop != copy + size || !isfinite(value))
        return false;
    *out = value;
    *end = text + size;
    return true;
}

bool number_read(const char *text, double *out)
{
    const char *end;
    double value;
    if (!read_prefix(text, &value, &end) || *end)
        return false;
    *out = value;
    return true;
}

bool number_read_count(const char *text, uint64_t *out)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno)
        return false;
    static const char suffixes[] = "kMGT";
    const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (end[suffix ? 1 : 0] || (value << shift) >> shift != value)
        return false;
    *out = value << shift;
    return true;
}

bool number_read_seconds(const char *text, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1},      {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                 {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
    const char *unit;
    double value;
    if (!read_prefix(text, &value, &unit) || value < 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0 && isfinite(value * units[i].seconds)) {
            *out = value * units[i].seconds;
            return true;
        }
    }
    return false;
}
