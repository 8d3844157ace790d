// bisect_range: which commits may still be the first slower one. Pure: nothing is built or
// measured.
//
// Commits are numbered from the oldest. The last one of the range is known to be slower than what
// is before the first. Those that cannot be judged stay in the range, and are passed over.
#ifndef AB_COMPARISON_BISECT_RANGE_H
#define AB_COMPARISON_BISECT_RANGE_H

#include "ab/comparison/same_code.h"
#include "ab/verdict/judgement.h"

struct bisect_range {
    size_t low, high;              // `high` is slower; what is before `low` is not
    struct ab_code before, after;  // of what is right before `low`, and of `high`
    bool *unjudged;                // by commit: cannot be built or judged
    struct ab_code *open;          // what those compile to that were measured in vain
    size_t open_count;
};

// `before` and `after` are what the ends compile to.
void bisect_range_init(struct bisect_range *range, size_t commit_count,
                       const struct ab_code *before, const struct ab_code *after);
void bisect_range_done(struct bisect_range *range);
SCOPE_VALUE(bisect_range, bisect_range_done)

// The commit nearest to the middle that may still be judged; `high`: there is none left.
size_t bisect_choose(const struct bisect_range *range);

// Whether the verdict on code is known without measuring it: *verdict is VERDICT_SLOWER, or
// VERDICT_SAME if it is not slower, or VERDICT_UNDECIDED if it was measured in vain already.
bool bisect_is_known(const struct bisect_range *range, const struct ab_code *code,
                     enum verdict *verdict);

// Takes note of the verdict on a commit.
void bisect_cut(struct bisect_range *range, size_t commit, enum verdict verdict,
                const struct ab_code *code);

#endif
