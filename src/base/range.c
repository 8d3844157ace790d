// range: the numbers that an option may have.
#include "range.h"

#include <stdint.h>

#define LONGEST_S 1e9  // no user waits for thirty years

const struct range range_seconds = {"a time such as 2, 0.5s or 200ms", 0, LONGEST_S};
const struct range range_duration = {"a time above 0, such as 2, 0.5s or 200ms", 0, LONGEST_S,
                                     .above = true};
const struct range range_number = {"a number of at least 0", 0, 1e300};
const struct range range_positive = {"a number above 0", 0, 1e300, .above = true};
const struct range range_chance = {"a share above 0 and below 1", 0, 1, .above = true,
                                   .below = true};
const struct range range_count = {"a whole number", 0, (double)UINT64_MAX};
const struct range range_repeats = {"a whole number up to 1000000", 0, 1e6};
const struct range range_threads = {"a whole number from 1 to 65536", 1, 65536};

bool range_holds(const struct range *range, double value)
{
    bool high = range->above ? value > range->least : value >= range->least;
    return high && (range->below ? value < range->most : value <= range->most);
}

struct bilanx_error range_refuse(const struct range *range, const char *name, const char *value)
{
    return bilanx_error_make(BILANX_E_USAGE, "option '%s' takes %s, not '%s'", name, range->wanted,
                             value);
}
