// joined_records: sides that are stored: nothing is interleaved, so each record of one side is
// joined with that of the same task on the other.
#ifndef AB_COMPARISON_JOINED_RECORDS_H
#define AB_COMPARISON_JOINED_RECORDS_H

#include "ab/comparison/side_cases.h"

// Compares the times of both sides. What is not stored is measured now.
struct bilanx_error ab_compare_stored(const struct ab_options *options, const struct tell *note,
                                      struct ab_side *first, struct ab_side *other,
                                      struct ab_results *out);

// The same for instructions.
struct bilanx_error ab_count_stored(const struct ab_options *options, const struct tell *note,
                                    struct ab_side *first, struct ab_side *other,
                                    struct ab_counts *out);

#endif
