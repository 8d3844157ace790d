// alignment: finds the cases that all sides of a comparison have in common.
#ifndef AB_COMPARISON_ALIGNMENT_H
#define AB_COMPARISON_ALIGNMENT_H

#include "ab/comparison/side_cases.h"

// Commands can be compared only with commands.
struct bilanx_error ab_check_kinds(const struct ab_sides *sides);

// Keeps the cases that every side has, in the order of the first side. Reports each case of the
// first side that another lacks.
void ab_align(struct ab_sides *sides, const struct tell *note);

// Keeps only the case of this name; returns false if there is none. Call after ab_align().
bool ab_keep_case(struct ab_sides *sides, const char *name);

// Keeps all cases. From here on every side owns its array.
void ab_keep_all(struct ab_sides *sides);

#endif
