// alignment: which cases all sides of a comparison have in common.
#ifndef AB_COMPARISON_ALIGNMENT_H
#define AB_COMPARISON_ALIGNMENT_H

#include "ab/comparison/side_cases.h"

// Whole commands compare with commands only.
struct bilanx_error ab_check_kinds(const struct ab_sides *sides);

// Keeps the cases that every side has, in the order of the first; a note names each of its cases
// that another side lacks.
void ab_align(struct ab_sides *sides, const struct tell *note);

// Leaves only the case of this name; false: there is none. After ab_align().
bool ab_keep_case(struct ab_sides *sides, const char *name);

// The cases as they are: from here on every side owns its array.
void ab_keep_all(struct ab_sides *sides);

#endif
