// no_difference: cases to which the sides of a comparison make no difference.
//
// `cc:` sides differ in nothing but compiler and flags. A case of a suite that names its own
// compiler, or that is not compiled at all, is then the same on both: there is nothing to measure.
// Sides of the same SPEC are measured, because the user then wants to know how well the measurement
// works.
#ifndef AB_COMPARISON_NO_DIFFERENCE_H
#define AB_COMPARISON_NO_DIFFERENCE_H

#include "ab/comparison/side_cases.h"

bool ab_makes_no_difference(const struct ab_side *first, const struct ab_side *other, size_t index);

// The verdict on such a case: "same", without times.
struct bilanx_record ab_same_without_times(const struct ab_side *first, const struct ab_side *other,
                                           size_t index);

#endif
