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

static void sixteen_values_are_enough_for_one_rare(void **state)
{
    (void)state;
    double logs[32];
    make(logs, 16, 1, 1.5);
    assert_int_equal(rare_limit(logs, 16), 1);
    make(logs, 16, 2, 1.5);
    assert_int_equal(rare_limit(logs, 16), 0);
    make(logs, 32, 2, -1.5);
    assert_int_equal(rare_limit(logs, 32), 2);
}

// The middle half of these is within .0005, so that 2 % beyond it is far.
static void steady_values_are_rare_beyond_two_percent(void **state)
{
    (void)state;
    double logs[MOST];
    static const double far[] = {.0215, -.0215, .0195, -.0195};
    for (size_t i = 0; i < LENGTH(far); i++) {
        make(logs, MOST, 1, far[i]);
        for (size_t k = 0; k < MOST; k++)
            logs[k] += 5;
        assert_int_equal(rare_limit(logs, MOST), fabs(far[i]) > .02);
    }
}

// 0, .1 ... 9.4 and one more: quartiles at 2.4 and 7.1 or nearby.
static void scattered_values_are_rare_beyond_three_times_their_middle_half(void **state)
{
    (void)state;
    static const double ends[] = {23, 20, -13, -10};
    for (size_t k = 0; k < LENGTH(ends); k++) {
        double logs[MOST];
        for (size_t i = 0; i < MOST; i++)
            logs[i] = -16 + (i + 1 < MOST ? .1 * (double)i : ends[k]);
        bool beyond = k % 2 == 0;
        assert_int_equal(rare_limit(logs, MOST), beyond);
        assert_near(logs[MOST - 1] + 16, !beyond ? ends[k] : ends[k] > 0 ? 9.4 : 0, 1e-12);
    }
}

static struct rare_epochs found(double *times, size_t count, size_t epochs)
{
    static struct bilanx_epoch none[MOST];
    return rare_find(&(struct bilanx_timing){.number_per_run = 10,
                                             .raw_times = times,
                                             .raw_count = count,
                                             .epochs = none,
                                             .epoch_count = epochs});
}

static void the_furthest_may_be_the_fastest(void **state)
{
    (void)state;
    double times[MOST];
    for (size_t i = 0; i < MOST; i++)
        times[i] = 1e-6 * (1 + .0001 * (double)(i % 3));
    times[3] = 2e-6;
    times[5] = .25e-6;
    times[9] = 1.5e-6;
    assert_int_equal(found(times, MOST, MOST).count, 3);
    assert_near(found(times, MOST, MOST).furthest, .25e-7, 1e-15);
}

static void only_epochs_that_took_time_are_rare(void **state)
{
    (void)state;
    double times[MOST];
    for (size_t i = 0; i < MOST; i++)
        times[i] = i ? 1 : 5;
    assert_int_equal(found(times, MOST, MOST).count, 1);
    assert_near(found(times, MOST, MOST).furthest, .5, 0);
    times[0] = 1.5;
    assert_near(found(times, MOST, MOST).furthest, .15, 1e-15);
    assert_int_equal(found(times, MOST, 0).count, 0);  // blocks, not epochs
    times[MOST - 1] = 0;
    assert_int_equal(found(times, MOST, MOST).count, 0);
    assert_near(found(times, MOST, MOST).furthest, 0, 0);
    assert_int_equal(found(NULL, 0, 0).count, 0);
}

static void the_first_value_may_be_rare(void **state)
{
    (void)state;
    double logs[MOST];
    make(logs, MOST, 0, 0);
    logs[0] = 1.5;
    assert_int_equal(rare_limit(logs, MOST), 1);
    assert_near(logs[0], .001, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rare_value_counts_as_the_furthest_of_the_others),
        cmocka_unit_test(values_that_are_not_far_are_kept),
        cmocka_unit_test(more_than_one_in_sixteen_are_not_rare),
        cmocka_unit_test(few_values_are_never_rare),
        cmocka_unit_test(rare_epochs_are_found_and_do_not_move_the_estimate),
        cmocka_unit_test(sixteen_values_are_enough_for_one_rare),
        cmocka_unit_test(steady_values_are_rare_beyond_two_percent),
        cmocka_unit_test(scattered_values_are_rare_beyond_three_times_their_middle_half),
        cmocka_unit_test(the_furthest_may_be_the_fastest),
        cmocka_unit_test(only_epochs_that_took_time_are_rare),
        cmocka_unit_test(the_first_value_may_be_rare),
    };
    return cmocka_run_group_tests_name("rare", tests, NULL, NULL);
}
