#include "core/stats/rare.h"

#include <math.h>

#include "unit.h"

enum { MOST = 96 };

// Values around 0 within .1 %, the last `far` of them at `at`.
static size_t make(double *logs, size_t count, size_t far, double at)
{
    for (size_t i = 0; i < count; i++)
        logs[i] = i + far < count ? .001 * ((double)(i % 5) - 2) / 2 : at;
    return count;
}

static void a_rare_value_counts_as_the_furthest_of_the_others(void **state)
{
    (void)state;
    double logs[MOST];
    make(logs, MOST, 1, 1.5);
    assert_int_equal(rare_limit(logs, MOST), 1);
    assert_near(logs[MOST - 1], .001, 1e-12);
    make(logs, MOST, 2, -1.5);
    assert_int_equal(rare_limit(logs, MOST), 2);
    assert_near(logs[MOST - 1], -.001, 1e-12);
}

static void values_that_are_not_far_are_kept(void **state)
{
    (void)state;
    double logs[MOST];
    make(logs, MOST, 1, .015);  // the least distance that counts is 2 %
    assert_int_equal(rare_limit(logs, MOST), 0);
    assert_near(logs[MOST - 1], .015, 1e-12);
}

static void more_than_one_in_sixteen_are_not_rare(void **state)
{
    (void)state;
    double logs[MOST];
    make(logs, MOST, 7, 1.5);
    assert_int_equal(rare_limit(logs, MOST), 0);
    assert_near(logs[MOST - 1], 1.5, 1e-12);
    make(logs, MOST, 6, 1.5);
    assert_int_equal(rare_limit(logs, MOST), 6);
}

static void few_values_are_never_rare(void **state)
{
    (void)state;
    double logs[15];
    make(logs, 15, 1, 1.5);
    assert_int_equal(rare_limit(logs, 15), 0);
}

static void rare_epochs_are_found_and_do_not_move_the_estimate(void **state)
{
    (void)state;
    double times[MOST];
    struct bilanx_epoch epochs[MOST] = {{0}};
    struct bilanx_timing timing = {.method = (char *)"rigorous",
                                   .number_per_run = 10,
                                   .raw_times = times,
                                   .raw_count = MOST,
                                   .epochs = epochs,
                                   .epoch_count = MOST};
    for (size_t i = 0; i < MOST; i++)
        times[i] = i % 2 ? 1.9e-8 : 2.17e-8;
    struct bilanx_stats before = {0}, after = {0};
    bilanx_timing_summarize(&timing, &before);
    assert_int_equal(rare_find(&timing).count, 0);
    times[7] = 8.7e-8;
    bilanx_timing_summarize(&timing, &after);
    assert_true(fabs(after.estimate / before.estimate - 1) < .003);
    assert_int_equal(rare_find(&timing).count, 1);
    assert_near(rare_find(&timing).furthest, 8.7e-9, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rare_value_counts_as_the_furthest_of_the_others),
        cmocka_unit_test(values_that_are_not_far_are_kept),
        cmocka_unit_test(more_than_one_in_sixteen_are_not_rare),
        cmocka_unit_test(few_values_are_never_rare),
        cmocka_unit_test(rare_epochs_are_found_and_do_not_move_the_estimate),
    };
    return cmocka_run_group_tests_name("rare", tests, NULL, NULL);
}
