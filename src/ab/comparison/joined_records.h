// joined_records: compares stored sides. Nothing is interleaved; each record of one side is matched
// with the record of the same task on the other.
#ifndef AB_COMPARISON_JOINED_RECORDS_H
#define AB_COMPARISON_JOINED_RECORDS_H

#include "ab/comparison/side_cases.h"

// Compares times. Measures any side that is not stored.
struct bilanx_error ab_compare_stored(const struct ab_options *options, const struct tell *note,
                                      struct ab_side *first, struct ab_side *other,
                                      struct ab_results *out);

// The same for instructions.
struct bilanx_error ab_count_stored(const struct ab_options *options, const struct tell *note,
                                    struct ab_side *first, struct ab_side *other,
                                    struct ab_counts *out);

#endif
