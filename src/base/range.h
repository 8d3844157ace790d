// range: the numbers that an option may have.
//
// The command, C programs and Python have the same options. Their numbers are checked against the
// same ranges, and refused in the same words.
#ifndef BASE_RANGE_H
#define BASE_RANGE_H

#include <stdbool.h>

#include "bilanx/error.h"

struct range {
    const char *wanted;  // for messages: "a share above 0 and below 1"
    double least, most;
    bool above, below;  // `least` or `most` itself is not in it
};

extern const struct range range_seconds;   // a time; 0 is one
extern const struct range range_duration;  // a time above 0
extern const struct range range_number;    // at least 0
extern const struct range range_positive;  // above 0
extern const struct range range_chance;    // a probability that is neither 0 nor 1
extern const struct range range_count;     // a whole number
extern const struct range range_repeats;   // a number of items that can all be kept
extern const struct range range_threads;

bool range_holds(const struct range *range, double value);  // never NaN

// The error of an option with a value out of range; `name` as the user spells it.
struct bilanx_error range_refuse(const struct range *range, const char *name, const char *value);

#endif
