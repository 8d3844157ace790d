// Verdicts on counted instructions, and whether counts can be compared at all.
#include "ab/comparison/instructions.h"

#include <stdlib.h>

#include "ab/comparison/sentries.h"
#include "base/mem.h"
#include "records.h"
#include "told.h"

static struct ab_counts counts_of(size_t count)
{
    struct ab_counts counts = {.before = mem_array(struct bilanx_record, count),
                               .after = mem_array(struct bilanx_record, count),
                               .names = mem_array(char *, count),
                               .count = count};
    for (size_t i = 0; i < count; i++)
        counts.names[i] = mem_format("case %zu", i);
    return counts;
}

static struct bilanx_record counted(double instructions, const char *flags)
{
    AUTO(memory) char *members = mem_format(
        "'kind':'counts','side':'B','task':{'stmt':'x','compile':{'cc':'gcc','flags':'%s'}},"
        "'counts':{'number':10,'per_iteration':%g,'repeats':[70,70]}",
        flags, instructions);
    struct bilanx_record record = record_of(members);
    record.counts->per_iteration = instructions;
    return record;
}

static void assert_verdict(double before, double after, const char *word)
{
    AUTO(ab_counts) struct ab_counts counts = counts_of(1);
    counts.before[0] = counted(before, "");
    counts.after[0] = counted(after, "");
    ab_judge_counts(&default_margins, &(struct side){.title = (char *)"gcc -O2"}, &counts);
    const struct bilanx_record *record = &counts.verdicts[0];
    assert_string_equal(record->kind, "verdict");
    assert_string_equal(record->verdict->verdict, word);
    assert_string_equal(record->verdict->baseline, "gcc -O2");
    assert_string_equal(record->side, "B");
    assert_near(record->verdict->change, after / before - 1, 1e-12);
}

static void counts_that_differ_beyond_the_margin_are_slower_or_faster(void **state)
{
    (void)state;
    assert_verdict(1000, 1010, "slower");
    assert_verdict(1000, 990, "faster");
    assert_verdict(1000, 1002, "same");
    assert_verdict(1000, 998, "same");
    assert_verdict(1000, 1000, "same");
}

static struct bilanx_record counted_as(const char *hwcaps)
{
    struct bilanx_record record = counted(1000, "");
    record.counts->hwcaps = mem_text(hwcaps);
    record.machine = mem_text("{\"cpu\":\"z80\"}");
    return record;
}

static void counts_of_different_variants_are_undecided_and_named(void **state)
{
    (void)state;
    AUTO(ab_counts) struct ab_counts counts = counts_of(2);
    AUTO(text) struct text why = {0};
    counts.before[0] = counted_as("native");
    counts.after[0] = counted_as(NULL);
    counts.before[1] = counted_as("x86-64-v2");
    counts.after[1] = counted_as("native");
    ab_judge_counts(&default_margins, &(struct side){.title = (char *)"gcc"}, &counts);
    assert_string_equal(counts.verdicts[0].verdict->verdict, "same");
    assert_string_equal(counts.verdicts[0].verdict->reason,
                        "instructions, not times: 1000 and 1000");
    assert_string_equal(counts.verdicts[1].verdict->verdict, "undecided");
    assert_non_null(strstr(counts.verdicts[1].verdict->reason, "x86-64-v2, and native on z80"));
    assert_true(ab_counts_differ(&counts, &why));
    assert_non_null(strstr(text_get(&why), "x86-64-v2, and native on z80"));
    counts.count--;
    assert_false(ab_counts_differ(&counts, &why));
    counts.count++;
}

static void a_case_counted_on_only_one_side_has_no_verdict(void **state)
{
    (void)state;
    AUTO(ab_counts) struct ab_counts counts = counts_of(3);
    counts.before[0] = counted(7, "");
    counts.after[1] = counted(7, "");
    counts.before[2] = counted(7, "");
    counts.after[2] = counted(8, "");
    ab_judge_counts(&default_margins, &(struct side){.title = (char *)"gcc"}, &counts);
    assert_null(counts.verdicts[0].kind);
    assert_null(counts.verdicts[1].kind);
    assert_string_equal(counts.verdicts[2].verdict->verdict, "slower");
}

static char *noted(struct bilanx_record before, struct bilanx_record after)
{
    AUTO(ab_counts) struct ab_counts counts = counts_of(1);
    struct text told = {0};
    counts.before[0] = before;
    counts.after[0] = after;
    ab_note_sentries(&counts, &(struct tell){told_keep, &told});
    return text_take(&told);
}

static void a_sentry_that_differs_under_the_same_compiler_is_noted(void **state)
{
    (void)state;
    AUTO(memory) char *told = noted(counted(7, "-O2"), counted(9, "-O2"));
    assert_string_equal(told, "counts are not comparable: 'case 0', compiled by the same compiler, "
                              "takes 7 instructions on one side and 9 on the other\n");
}

static void a_sentry_that_agrees_or_was_compiled_differently_is_not_noted(void **state)
{
    (void)state;
    AUTO(memory) char *same = noted(counted(7, "-O2"), counted(7, "-O2"));
    AUTO(memory) char *other_flags = noted(counted(7, "-O2"), counted(9, "-O3"));
    AUTO(memory) char *missing = noted(counted(7, "-O2"), (struct bilanx_record){0});
    assert_string_equal(same ? same : "", "");
    assert_string_equal(other_flags ? other_flags : "", "");
    assert_string_equal(missing ? missing : "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_differ_beyond_the_margin_are_slower_or_faster),
        cmocka_unit_test(counts_of_different_variants_are_undecided_and_named),
        cmocka_unit_test(a_case_counted_on_only_one_side_has_no_verdict),
        cmocka_unit_test(a_sentry_that_differs_under_the_same_compiler_is_noted),
        cmocka_unit_test(a_sentry_that_agrees_or_was_compiled_differently_is_not_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
