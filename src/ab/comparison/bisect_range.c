// bisect_range: which commits may still be the first slower one.
#include "bisect_range.h"

#include <stdlib.h>

#include "base/mem.h"

void bisect_range_init(struct bisect_range *range, size_t commit_count,
                       const struct ab_code *before, const struct ab_code *after)
{
    *range = (struct bisect_range){.high = commit_count - 1,
                                   .before = *before,
                                   .after = *after,
                                   .unjudged = mem_array(bool, commit_count),
                                   .open = mem_array(struct ab_code, commit_count)};
}

void bisect_range_done(struct bisect_range *range)
{
    free(range->unjudged);
    free(range->open);
}

size_t bisect_choose(const struct bisect_range *range)
{
    size_t middle = range->low + (range->high - range->low) / 2;
    for (size_t away = 0; away <= range->high - range->low; away++) {
        if (middle + away < range->high && !range->unjudged[middle + away])
            return middle + away;
        if (middle >= range->low + away && middle - away < range->high &&
            !range->unjudged[middle - away])
            return middle - away;
    }
    return range->high;
}

bool bisect_is_known(const struct bisect_range *range, const struct ab_code *code,
                     enum verdict *verdict)
{
    *verdict = VERDICT_UNDECIDED;
    if (ab_is_same_code(code, &range->after))
        *verdict = VERDICT_SLOWER;
    else if (ab_is_same_code(code, &range->before))
        *verdict = VERDICT_SAME;
    bool known = *verdict != VERDICT_UNDECIDED;
    for (size_t i = 0; i < range->open_count && !known; i++)
        known = ab_is_same_code(code, &range->open[i]);
    return known;
}

void bisect_cut(struct bisect_range *range, size_t commit, enum verdict verdict,
                const struct ab_code *code)
{
    if (verdict == VERDICT_UNDECIDED) {
        range->unjudged[commit] = true;
        range->open[range->open_count++] = *code;
    } else if (verdict == VERDICT_SLOWER) {
        range->high = commit;
        range->after = *code;
    } else {
        range->low = commit + 1;
        range->before = *code;
    }
}
