// agreement: whether samples say the same about the time of a call as the measurement to which
// their graph is scaled.
//
// The machine may have changed between the two, or code may run at another speed while it is
// sampled. A graph then shows where the time goes, but not how much there is. The error of the
// samples is estimated from the spread between the epochs in which they were taken.
#ifndef STACKS_AGREEMENT_H
#define STACKS_AGREEMENT_H

#include <stdbool.h>

#include "core/record/records.h"
#include "stacks.h"

struct agreement {
    double sampled, measured;  // seconds per call; or changes, .01 is 1 % more. 0 and NAN: unknown
    double low, high;          // interval of `sampled`, at 99 %; NAN: too few epochs
    bool is_known;             // both numbers are there
    bool disagrees;            // they differ by more than their errors
};

// The samples of one side against their own `timed_s`. `doubt` is the relative error of that: half
// of its interval, and what one layout of the code may differ from all. What sampling itself adds
// to the time is allowed for.
struct agreement agreement_of_time(const struct stacks *stacks, double doubt);

// Two sides that were sampled in turns against a verdict on them. If one epoch was slow because of
// the machine, so was its neighbour on the other side: errors are those of the ratios of pairs.
struct agreement_claim {
    double change;                 // .01 is 1 % more
    double low, high;              // its interval; NAN: unknown
    const double *layout_changes;  // ln(B / A) in each layout of the code: samples have only one
    size_t layout_count;
};
struct agreement_claim agreement_claim_of(const struct bilanx_verdict *verdict);
struct agreement agreement_of_change(const struct stacks *a, const struct stacks *b,
                                     const struct agreement_claim *claim);

// A sentence with both numbers; NULL if nothing is known. The caller frees it. `measured_by` is
// "the verdict" or "the measurement"; `scaled` says that the graph is scaled to it, as differences
// always are.
char *agreement_of_time_text(const struct agreement *agreement, const char *measured_by,
                             bool scaled);
char *agreement_of_change_text(const struct agreement *agreement, const char *measured_by);

#endif
