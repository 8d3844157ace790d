// bisect_range: which commits may still be the first slower one. Pure: builds and measures nothing.
//
// Commits are numbered from the oldest. The last one in the range is known to be slower than the
// one before the first. Commits that cannot be judged stay in the range but are skipped.
#ifndef AB_COMPARISON_BISECT_RANGE_H
#define AB_COMPARISON_BISECT_RANGE_H

#include "ab/comparison/same_code.h"
#include "ab/verdict/judgement.h"

struct bisect_range {
    size_t low, high;              // `high` is slower; the commit before `low` is not
    struct ab_code before, after;  // code of the commit before `low`, and of `high`
    bool *unjudged;                // by commit: cannot be built or judged
    struct ab_code *open;          // code that was measured without reaching a verdict
    size_t open_count;
};

// `before` and `after` are the code at both ends.
void bisect_range_init(struct bisect_range *range, size_t commit_count,
                       const struct ab_code *before, const struct ab_code *after);
void bisect_range_done(struct bisect_range *range);
SCOPE_VALUE(bisect_range, bisect_range_done)

// The commit nearest to the middle that can still be judged; `high`: none left.
size_t bisect_choose(const struct bisect_range *range);

// Whether the verdict on code is known without measuring: sets *verdict to VERDICT_SLOWER,
// VERDICT_SAME (not slower) or VERDICT_UNDECIDED (already measured, with no result).
bool bisect_is_known(const struct bisect_range *range, const struct ab_code *code,
                     enum verdict *verdict);

// Records the verdict on a commit.
void bisect_cut(struct bisect_range *range, size_t commit, enum verdict verdict,
                const struct ab_code *code);

#endif
