// instructions: counts the cases of two sides.
#include "instructions.h"

#include <stdlib.h>

#include "ab/verdict/stored.h"
#include "base/mem.h"
#include "core/record/variants.h"
#include "count/counting/collect.h"

void ab_counts_done(struct ab_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) {
        bilanx_record_done(&counts->before[i]);
        bilanx_record_done(&counts->after[i]);
        if (counts->verdicts)
            bilanx_record_done(&counts->verdicts[i]);
        free(counts->names[i]);
    }
    free(counts->before);
    free(counts->after);
    free(counts->verdicts);
    free(counts->names);
}

struct counting {
    const struct run_cases *cases;
    const char *side;
    struct bilanx_record *records;
};

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct counting *counting = context;
    free(record->side);
    record->side = mem_text(counting->side);
    counting->records[measured - counting->cases->items] = *record;
}

struct bilanx_error ab_count_side(const struct ab_options *options, struct ab_side *side,
                                  struct bilanx_record *records)
{
    struct counting counting = {&side->cases, side->side->name, records};
    struct collect_options how = {.timeout = options->timeout, .hwcaps = options->hwcaps};
    return collect_cases(&how, &side->cases, &(struct run_observer){&counting, NULL, keep});
}

struct bilanx_error ab_count(const struct ab_options *options, struct ab_side *first,
                             struct ab_side *other, struct ab_counts *out)
{
    size_t count = first->cases.count;
    *out = (struct ab_counts){.before = mem_array(struct bilanx_record, count),
                              .after = mem_array(struct bilanx_record, count),
                              .names = mem_array(char *, count),
                              .count = count};
    for (size_t i = 0; i < count; i++)
        out->names[i] = mem_text(first->cases.items[i].name);
    BILANX_TRY(ab_count_side(options, first, out->before));
    return ab_count_side(options, other, out->after);
}

bool ab_counts_differ(const struct ab_counts *counts, struct text *why)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->before[i].counts && counts->after[i].counts &&
            variants_add_difference(&counts->before[i], &counts->after[i], why))
            return true;
    return false;
}

void ab_judge_counts(const struct margins *margins, const struct side *first,
                     struct ab_counts *counts)
{
    counts->verdicts = mem_array(struct bilanx_record, counts->count);
    for (size_t i = 0; i < counts->count; i++) {
        const struct bilanx_record *before = &counts->before[i], *after = &counts->after[i];
        struct bilanx_record *verdict = &counts->verdicts[i];
        if (!before->counts || !after->counts)
            continue;
        stored_judge_counts(before, after, margins, verdict);
        verdict->side = mem_text(after->side);
        verdict->verdict->baseline = mem_text(first->title);
    }
}
