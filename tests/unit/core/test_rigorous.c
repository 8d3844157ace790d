#include "core/timer/rigorous.h"

#include "unit.h"

static struct stepper_options plan(const struct rigorous_options *options, uint64_t number,
                                   double batch_ns)
{
    struct stepper_options out;
    rigorous_plan_epoch(options, number, batch_ns, &out);
    assert_ptr_equal(out.method, &method_epoch);
    assert_int_equal(out.number, number);
    return out;
}
#define PLAN(number, batch_ns, ...) \
    plan(&(struct rigorous_options){__VA_ARGS__}, (number), (batch_ns))

static void an_epoch_warms_up_and_takes_25_ms_of_batches(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(1000, 50000, 0);
    assert_near(options.warmup_ns, 4e6, 0);
    assert_near(options.max_ns, 25e6, 0);
    assert_true(options.max_blocks > 500);  // a limit for calls that take no time
    assert_near(PLAN(1000, 50000, .warmup_ns = 7).warmup_ns, 7, 0);
}

static void an_epoch_of_a_slow_call_is_three_calls(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(1, 6e6, 0);
    assert_near(options.warmup_ns, 0, 0);
    assert_int_equal(options.min_blocks, 3);
    assert_int_equal(options.max_blocks, 3);
    assert_true(PLAN(1, 4e6, 0).max_blocks > 500);
    assert_true(PLAN(2, 6e6, 0).max_blocks > 500);  // batch size chosen by the user
}

static void an_epoch_of_a_very_slow_call_is_one_call(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(1, 4e8, 0);
    assert_int_equal(options.min_blocks, 1);
    assert_int_equal(options.max_blocks, 1);
}

static void a_small_budget_makes_short_epochs(void **state)
{
    (void)state;
    assert_near(PLAN(1, 50000, .max_run_ns = 50e6).max_ns, 10e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 5e9).max_ns, 25e6, 0);
}

static void the_pace_is_read_every_millisecond_but_not_around_slow_calls(void **state)
{
    (void)state;
    assert_near(PLAN(1000, 50000, 0).pace_every_ns, 1e6, 0);
    assert_near(PLAN(1, 6e6, 0).pace_every_ns, 0, 0);
}

static void a_lost_pace_is_not_waited_for_if_time_is_short(void **state)
{
    (void)state;
    assert_near(PLAN(1, 50000, 0).longest_ns, 50e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 5e9).longest_ns, 50e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 50e6).longest_ns, 0, 0);
}

static void costly_setups_limit_the_number_of_epochs(void **state)
{
    (void)state;
    static const struct {
        double max_s, min_s, setup_s;
        unsigned epochs;
    } table[] = {
        {0, 0, .001, 0}, {0, 0, .09, 0},   {0, 0, .2, 20}, {0, 0, .5, 8},  {0, 0, 2, 5},
        {0, 0, 7, 5},    {0, 0, 15, 2},    {0, 0, 100, 2}, {10, 0, 7, 5},  {10, 0, .001, 0},
        {20, 0, 7, 11},  {.2, 0, .001, 0}, {.2, 0, 7, 2},  {0, 20, 7, 11},
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct rigorous_options options = {.max_run_ns = table[i].max_s * 1e9,
                                           .min_run_ns = table[i].min_s * 1e9};
        assert_int_equal(rigorous_patience(&options, table[i].setup_s * 1e9), table[i].epochs);
    }
}

static void few_epochs_share_the_budget(void **state)
{
    (void)state;
    assert_near(PLAN(1000, 50000, .epochs = 5).max_ns, 200e6, 1);
    assert_true(PLAN(1000, 50000, .epochs = 5).max_blocks >= 4000);
    assert_near(PLAN(1000, 50000, .epochs = 2, .max_run_ns = 20e9).max_ns, 10e9, 1);
    assert_int_equal(PLAN(1, 1e7, .epochs = 5).max_blocks, 23);
    assert_near(PLAN(1000, 50000, .epochs = 39).max_ns, 1e9 / 39, 1);
}

// Epochs of 1 us per call and 10 calls per batch; every second one is slower by `spread`.
static struct bilanx_timing epochs(size_t count, double spread)
{
    struct bilanx_timing timing = {0};
    for (size_t i = 0; i < count; i++)
        rigorous_add(&timing,
                     &(struct epoch_report){.number = 10,
                                            .epoch = {.time = 1e-6 * (1 + spread * (double)(i % 2)),
                                                      .batches = 4 + i,
                                                      .reference = 60e-9},
                                            .cpu_ns = 8000 + (double)i,
                                            .empty_loop_ns = 0.5});
    return timing;
}

static double share(const struct rigorous_options *options, size_t count, double spread,
                    double spent_ns)
{
    struct bilanx_timing timing = epochs(count, spread);
    double answer = rigorous_share(options, &timing, spent_ns);
    bilanx_timing_done(&timing);
    return answer;
}
#define SHARE(count, spread, spent_ns, ...) \
    share(&(struct rigorous_options){__VA_ARGS__}, (count), (spread), (spent_ns))
#define ENOUGH(count, spread, spent_ns, ...) (SHARE(count, spread, spent_ns, __VA_ARGS__) >= 1)

static void the_share_grows_with_epochs_time_and_precision(void **state)
{
    (void)state;
    assert_near(SHARE(0, .5, 0, 0), 0, 0);
    assert_near(SHARE(4, .5, 4e6, 0), .4, 1e-9);
    assert_near(SHARE(20, .5, 20e6, 0), .5, 1e-9);                         // of forty epochs
    assert_near(SHARE(20, .5, 750e6, 0), .75, 1e-9);                       // of the budget
    assert_near(SHARE(9, 0, 1e9, .min_run_ns = 2e9), .95 * .5, 1e-9);      // of the least time
    assert_true(SHARE(10, .012, 10e6, 0) > 1.5 * SHARE(10, .5, 10e6, 0));  // of the precision
    assert_true(SHARE(10, .012, 10e6, 0) < 1);
}

static void few_epochs_are_enough_if_their_number_is_limited(void **state)
{
    (void)state;
    assert_false(ENOUGH(1, .5, 1e6, .epochs = 2));
    assert_true(ENOUGH(2, .5, 1e6, .epochs = 2));
    assert_false(ENOUGH(4, .5, 1e6, .epochs = 5, .min_run_ns = 1e10));
    assert_true(ENOUGH(5, .5, 1e6, .epochs = 5, .min_run_ns = 1e10));
}

static void epochs_add_up_to_a_timing(void **state)
{
    (void)state;
    struct bilanx_timing timing = epochs(2, 0.5);
    assert_string_equal(timing.method, "rigorous");
    assert_int_equal(timing.number_per_run, 10);
    assert_int_equal(timing.epoch_count, 2);
    assert_int_equal(timing.epochs[1].batches, 5);
    assert_int_equal(timing.raw_count, 2);
    assert_near(timing.raw_times[0], 1e-5, 1e-20);
    assert_near(timing.raw_times[1], 1.5e-5, 1e-20);
    assert_int_equal(timing.raw_cpu_count, 2);
    assert_near(timing.raw_cpu_times[0], 8e-6, 1e-20);
    assert_near(timing.overhead, 0.5e-9, 1e-20);
    assert_near(timing.reference, 60e-9, 1e-20);
    bilanx_timing_done(&timing);
}

static void dropping_an_epoch_keeps_the_others_in_step(void **state)
{
    (void)state;
    struct bilanx_timing timing = epochs(4, 0.5);
    rigorous_drop(&timing, 1);
    rigorous_drop(&timing, 2);  // the last
    assert_int_equal(timing.epoch_count, 2);
    assert_int_equal(timing.raw_count, 2);
    assert_int_equal(timing.raw_cpu_count, 2);
    assert_int_equal(timing.epochs[0].batches, 4);
    assert_int_equal(timing.epochs[1].batches, 6);
    assert_near(timing.raw_times[1], 1e-5, 1e-20);
    assert_near(timing.raw_cpu_times[1], 8002e-9, 1e-20);
    bilanx_timing_done(&timing);
}

static void fewer_than_five_epochs_are_not_enough(void **state)
{
    (void)state;
    assert_false(ENOUGH(4, 0, 4e6, 0));
    assert_false(ENOUGH(4, 0, 2e9, 0));
    assert_true(ENOUGH(5, 0, 5e6, 0));
}

static void two_epochs_are_enough_after_ten_times_the_budget(void **state)
{
    (void)state;
    assert_true(ENOUGH(2, 0, 11e9, 0));
    assert_false(ENOUGH(1, 0, 11e9, 0));
    assert_true(ENOUGH(2, 0, 1.1e9, .max_run_ns = 1e8));
}

static void a_narrow_interval_is_enough(void **state)
{
    (void)state;
    assert_true(ENOUGH(10, 0.002, 1e8, 0));
    assert_false(ENOUGH(10, 0.1, 1e8, 0));
    assert_true(ENOUGH(10, 0.009, 1e8, 0));
    assert_false(ENOUGH(10, 0.011, 1e8, 0));  // by the 99 % interval, not the 95 % one
    assert_true(ENOUGH(10, 0.1, 1e8, .precision = 0.1));
    assert_false(ENOUGH(10, 0.002, 1e8, .precision = 1e-4));
}

static void the_budget_ends_a_run_however_wide_the_interval(void **state)
{
    (void)state;
    assert_true(ENOUGH(6, 0.1, 1e9, 0));
    assert_false(ENOUGH(6, 0.1, 0.99e9, 0));
    assert_true(ENOUGH(6, 0.1, 2e8, .max_run_ns = 2e8));
    assert_false(ENOUGH(6, 0.1, 3e9, .max_run_ns = 5e9));
}

static void forty_epochs_are_enough_unless_a_budget_is_given(void **state)
{
    (void)state;
    assert_true(ENOUGH(40, 0.1, 1e6, 0));
    assert_false(ENOUGH(40, 0.1, 1e6, .max_run_ns = 5e9));
}

static void the_minimum_time_is_spent_however_narrow_the_interval(void **state)
{
    (void)state;
    assert_false(ENOUGH(50, 0, 4e8, .min_run_ns = 5e8));
    assert_true(ENOUGH(50, 0, 5e8, .min_run_ns = 5e8));
    assert_false(ENOUGH(50, 0, 1.5e9, .min_run_ns = 2e9));  // beyond the default limit
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_warms_up_and_takes_25_ms_of_batches),
        cmocka_unit_test(an_epoch_of_a_slow_call_is_three_calls),
        cmocka_unit_test(an_epoch_of_a_very_slow_call_is_one_call),
        cmocka_unit_test(a_small_budget_makes_short_epochs),
        cmocka_unit_test(the_pace_is_read_every_millisecond_but_not_around_slow_calls),
        cmocka_unit_test(a_lost_pace_is_not_waited_for_if_time_is_short),
        cmocka_unit_test(costly_setups_limit_the_number_of_epochs),
        cmocka_unit_test(few_epochs_share_the_budget),
        cmocka_unit_test(few_epochs_are_enough_if_their_number_is_limited),
        cmocka_unit_test(epochs_add_up_to_a_timing),
        cmocka_unit_test(dropping_an_epoch_keeps_the_others_in_step),
        cmocka_unit_test(fewer_than_five_epochs_are_not_enough),
        cmocka_unit_test(two_epochs_are_enough_after_ten_times_the_budget),
        cmocka_unit_test(the_share_grows_with_epochs_time_and_precision),
        cmocka_unit_test(a_narrow_interval_is_enough),
        cmocka_unit_test(the_budget_ends_a_run_however_wide_the_interval),
        cmocka_unit_test(forty_epochs_are_enough_unless_a_budget_is_given),
        cmocka_unit_test(the_minimum_time_is_spent_however_narrow_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
