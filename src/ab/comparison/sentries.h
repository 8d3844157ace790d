// sentries: tiny statements whose counts must be equal on both sides if the compiler is the same.
// If they are not, no other counts can be compared.
#ifndef AB_COMPARISON_SENTRIES_H
#define AB_COMPARISON_SENTRIES_H

#include "ab/comparison/side_cases.h"

// Counts them on both sides. Does nothing without a compiler. The only error is ^C.
struct bilanx_error ab_check_sentries(const struct ab_options *options, const struct tell *note,
                                      struct ab_side *first, struct ab_side *other);

// Reports each one that differs.
void ab_note_sentries(const struct ab_counts *counts, const struct tell *note);

#endif
