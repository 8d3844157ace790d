// no_difference: cases to which the sides of a comparison make no difference.
#include "no_difference.h"

#include <math.h>
#include <string.h>

#include "ab/verdict/judgement.h"
#include "base/mem.h"
#include "core/record/facts.h"

static bool is_same_program(const struct run_subject *a, const struct run_subject *b)
{
    const char *const *left = a->launch.argv, *const *right = b->launch.argv;
    if (!left || !right)
        return left == right;
    for (; *left && *right; left++, right++)
        if (strcmp(*left, *right) != 0)
            return false;
    return *left == *right;
}

bool ab_makes_no_difference(const struct ab_side *first, const struct ab_side *other, size_t index)
{
    const struct run_case *a = &first->cases.items[index], *b = &other->cases.items[index];
    return first->side->kind == &side_compiler && other->side->kind == &side_compiler &&
           !text_equal(first->side->spec, other->side->spec) && !a->failure && !b->failure &&
           text_equal(a->open, b->open) && is_same_program(a->subject, b->subject);
}

struct bilanx_record ab_same_without_times(const struct ab_side *first, const struct ab_side *other,
                                           size_t index)
{
    struct bilanx_record record = {
        .kind = mem_text("verdict"), .side = mem_text(other->side->name), .attempts = 1};
    record_copy_task(&other->cases.items[index].task, &record.task);
    record.verdict = mem_new(struct bilanx_verdict);
    *record.verdict =
        (struct bilanx_verdict){.verdict = mem_text(verdict_words[VERDICT_SAME]),
                                .reason = mem_text("not timed: both sides run the same code"),
                                .baseline = mem_text(first->side->title),
                                .change = NAN,
                                .interval = {NAN, NAN},
                                .p = 1,
                                .detectable = NAN};
    record.machine = machine_facts("");
    return record;
}
