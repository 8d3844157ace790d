// bundle_verdicts: the wording of verdicts, on the page and in the summary.
#include <math.h>

#include "bundle_parts.h"

static void add_part(struct bundle_totals *totals, const struct bundle_part *part, double *logs,
                     size_t *timed)
{
    const struct bilanx_record *record = &part->slots[BUNDLE_VERDICT];
    const struct bilanx_verdict *verdict = record->verdict;
    if (!record->kind)
        return;
    totals->cases++;
    if (record->error) {
        *(record_skipped(record) ? &totals->skipped : &totals->failed) += 1;
        return;
    }
    if (!verdict)
        return;
    const struct {
        const char *word;
        size_t *count;
    } words[] = {{"slower", &totals->slower}, {"faster", &totals->faster}, {"same", &totals->same}};
    size_t *count = &totals->undecided;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_equal(verdict->verdict, words[i].word))
            count = words[i].count;
    *count += 1;
    if (isfinite(verdict->change)) {
        *logs += log1p(verdict->change);
        *timed += 1;
    }
}

struct bundle_totals bundle_total(const struct bundle *bundle)
{
    struct bundle_totals totals = {.mean = NAN};
    double logs = 0;
    size_t timed = 0;
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++)
            add_part(&totals, &bundle->cases[i].parts[side], &logs, &timed);
    if (timed)
        totals.mean = expm1(logs / (double)timed);
    return totals;
}

void bundle_add_totals(const struct bundle_totals *totals, struct text *out)
{
    const struct {
        const char *word;
        size_t count;
    } words[] = {{"slower", totals->slower}, {"faster", totals->faster},
                 {"same", totals->same},     {"undecided", totals->undecided},
                 {"failed", totals->failed}, {"skipped", totals->skipped}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!words[i].count)
            continue;
        text_format(out, "%s%zu %s", separator, words[i].count, words[i].word);
        separator = ", ";
    }
    if (!*separator)
        text_add(out, "no results");
}

// As many decimals as the interval justifies.
int verdict_decimals(const struct bilanx_verdict *verdict)
{
    double width = 50 * (verdict->interval[1] - verdict->interval[0]);
    return width >= 3 || !isfinite(width) ? 1 : width >= .03 ? 2 : 3;
}

void verdict_add_change(const struct bilanx_verdict *verdict, struct text *out)
{
    if (isfinite(verdict->change))
        text_format(out, "%+.*f %%", verdict_decimals(verdict), 100 * verdict->change);
}

void verdict_add_interval(const struct bilanx_verdict *verdict, struct text *out)
{
    int decimals = verdict_decimals(verdict);
    if (isfinite(verdict->interval[0]))
        text_format(out, "%+.*f .. %+.*f", decimals, 100 * verdict->interval[0], decimals,
                    100 * verdict->interval[1]);
}
