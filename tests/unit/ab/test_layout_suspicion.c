// When a program's layout may have caused a change.
#include "ab/comparison/layout_suspicion.h"

#include "base/mem.h"
#include "records.h"

static const struct run_subject program = {.barrier = " case=0 barrier=1"}, statement = {0};

static uint64_t iterations(const char *verdict, double seconds, struct run_case first,
                           struct run_case other)
{
    struct bilanx_verdict said = {.verdict = (char *)verdict, .times = {seconds / 2, seconds}};
    struct bilanx_record record = {.verdict = verdict ? &said : NULL};
    return ab_suspicion_iterations((const struct run_case *const[]){&first, &other}, &record);
}

static void only_a_claim_is_suspected(void **state)
{
    (void)state;
    struct run_case item = {.subject = &program};
    assert_int_equal(iterations("slower", 1e-6, item, item), 100);
    assert_int_equal(iterations("faster", 1e-6, item, item), 100);
    assert_int_equal(iterations("same", 1e-6, item, item), 0);
    assert_int_equal(iterations("undecided", 1e-6, item, item), 0);
    assert_int_equal(iterations(NULL, 1e-6, item, item), 0);
}

static void only_programs_with_a_fixed_layout_are_suspected(void **state)
{
    (void)state;
    struct run_case item = {.subject = &program}, compiled = {.subject = &statement},
                    drawn = {.subject = &program, .layouts = 32}, failed = {0};
    assert_int_equal(iterations("slower", 1e-6, item, compiled), 0);
    assert_int_equal(iterations("slower", 1e-6, drawn, item), 0);
    assert_int_equal(iterations("slower", 1e-6, failed, item), 0);
}

static void slow_cases_are_counted_with_fewer_iterations(void **state)
{
    (void)state;
    struct run_case item = {.subject = &program};
    assert_int_equal(iterations("slower", 1e-3, item, item), 10);
    assert_int_equal(iterations("slower", .02, item, item), 1);
    assert_int_equal(iterations("slower", .06, item, item), 0);
}

static bool is_suspected(double before, double after)
{
    AUTO(bilanx_record) struct bilanx_record record = {0};
    ab_suspicion_judge(before, after, .0025, &record);
    return has_warning(&record, "layout-suspected");
}

static void an_equal_instruction_count_is_suspicious(void **state)
{
    (void)state;
    assert_true(is_suspected(1000, 1000));
    assert_true(is_suspected(1000, 1002));
    assert_true(is_suspected(1000, 998));
    assert_false(is_suspected(1000, 1003));
    assert_false(is_suspected(1000, 997));
}

static void a_case_that_could_not_be_counted_is_not_suspected(void **state)
{
    (void)state;
    assert_false(is_suspected(NAN, 1000));
    assert_false(is_suspected(1000, NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_claim_is_suspected),
        cmocka_unit_test(only_programs_with_a_fixed_layout_are_suspected),
        cmocka_unit_test(slow_cases_are_counted_with_fewer_iterations),
        cmocka_unit_test(an_equal_instruction_count_is_suspicious),
        cmocka_unit_test(a_case_that_could_not_be_counted_is_not_suspected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
