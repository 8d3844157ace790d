// ab_samples: samples a case on all sides of a comparison, in turns.
#ifndef PROGRAMS_AB_SAMPLES_H
#define PROGRAMS_AB_SAMPLES_H

#include "ab_report.h"
#include "profile/stacks/stacks.h"

struct ab_samples {          // arrays have an element per side
    struct stacks **stacks;  // NULL: none
    struct bilanx_error *errors;
    size_t count;
};
void ab_samples_done(struct ab_samples *samples);
SCOPE_VALUE(ab_samples, ab_samples_done)

// Samples the case at index `at`. Returns an error only if it was interrupted; `*out` then has what
// was collected.
struct bilanx_error ab_sample_case(const struct ab_arguments *arguments,
                                   const struct ab_sampled_side *sides, size_t count, size_t at,
                                   struct ab_samples *out);

#endif
