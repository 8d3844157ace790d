#include "core/show/show_comparison.h"

#include <math.h>

#include "shown.h"

static void assert_sentence(double ratio, double low, double high, const char *expected)
{
    AUTO(text) struct text out = {0};
    comparison_add("new", "old", ratio, (struct interval){low, high}, "too few runs", &out);
    assert_string_equal(text_get(&out), expected);
}

static void a_ratio_is_one_sentence(void **state)
{
    (void)state;
    assert_sentence(3.2, 3.1, 3.3, "new is 3.2 times slower than old (3.1 .. 3.3)\n");
    assert_sentence(0.5, 0.4, 0.625, "new is 2.0 times faster than old (1.6 .. 2.5)\n");
    assert_sentence(
        1.0004, 0.99, 1.02,
        "new takes 1.00 times as long as old (0.99 .. 1.02): no significant difference\n");
    assert_sentence(0.9, 0.7, 1.2,
                    "new takes 0.9 times as long as old (0.7 .. 1.2): no significant difference\n");
    assert_sentence(1.15, 1.002, 1.31, "new is 1.150 times slower than old (1.002 .. 1.310)\n");
    assert_sentence(1.15, 1.02, 1.31, "new is 1.15 times slower than old (1.02 .. 1.31)\n");
    assert_sentence(2, NAN, NAN, "new is 2.0 times slower than old (too few runs)\n");
}

static void assert_comparison(const struct stage *stage, const char *reference,
                              const char *expected)
{
    AUTO(text) struct text out = {0};
    comparison_show(&stage->shown, reference, &out);
    assert_string_equal(text_get(&out), expected);
}

static void cases_are_compared_with_the_first_or_with_the_reference(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "sqrt", 1, MEASURED("[1e-9]", ""));
    stage_add(&stage, "cbrt", 1, MEASURED("[4e-9]", ""));
    stage_add(&stage, "broken", 1, record_of("'kind':'failure','error':{'code':'crashed'}"));
    assert_comparison(&stage, NULL, "cbrt is 4.0 times slower than sqrt\n");
    assert_comparison(&stage, "cbrt", "sqrt is 4.0 times faster than cbrt\n");
}

static void programs_are_compared_case_by_case(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    static const struct {
        const char *name, *record;
    } cases[] = {{"copy", "'kind':'measurement','task':{'env':'old'},'number_per_run':1,"
                          "'raw_times':[1e-6]"},
                 {"set", "'kind':'measurement','task':{'env':'old'},'number_per_run':1,"
                         "'raw_times':[1e-6]"},
                 {"copy", "'kind':'measurement','task':{'env':'new'},'number_per_run':1,"
                          "'raw_times':[2e-6]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        stage_add(&stage, cases[i].name, 1, record_of(cases[i].record));
    assert_comparison(&stage, NULL, "copy: new is 2.0 times slower than old\n");
    assert_comparison(&stage, "new", "copy: old is 2.0 times faster than new\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ratio_is_one_sentence),
        cmocka_unit_test(cases_are_compared_with_the_first_or_with_the_reference),
        cmocka_unit_test(programs_are_compared_case_by_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
