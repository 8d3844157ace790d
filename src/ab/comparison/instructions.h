// instructions: counts the cases of two sides.
#ifndef AB_COMPARISON_INSTRUCTIONS_H
#define AB_COMPARISON_INSTRUCTIONS_H

#include "ab/comparison/side_cases.h"

// Counts one side; fills one record per case.
struct bilanx_error ab_count_side(const struct ab_options *options, struct ab_side *side,
                                  struct bilanx_record *records);

struct bilanx_error ab_count(const struct ab_options *options, struct ab_side *first,
                             struct ab_side *other, struct ab_counts *out);

// Adds a verdict on instructions for every case counted on both sides.
void ab_judge_counts(const struct margins *margins, const struct side *first,
                     struct ab_counts *counts);

#endif
