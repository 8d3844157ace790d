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

static void an_epoch_warms_up_and_takes_5_ms_of_batches(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(1000, 50000, 0);
    assert_near(options.warmup_ns, 4e6, 0);
    assert_near(options.max_ns, 5e6, 0);
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
    assert_near(PLAN(1, 50000, .max_run_ns = 20e6).max_ns, 4e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 5e9).max_ns, 5e6, 0);
}

static void the_pace_is_read_more_often_than_once_per_batch(void **state)
{
    (void)state;
    double every_ns = PLAN(1000, RIGOROUS_BATCH_NS, 0).pace_every_ns;
    assert_true(every_ns > 0 && every_ns < RIGOROUS_BATCH_NS);
    assert_near(PLAN(1, 6e6, 0).pace_every_ns, every_ns, 0);  // around slow calls too
}

static void an_epoch_waits_for_the_core_unless_time_is_short(void **state)
{
    (void)state;
    assert_near(PLAN(1, 50000, 0).longest_ns, 55e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 5e9).longest_ns, 55e6, 0);
    assert_near(PLAN(1, 50000, .max_run_ns = 20e6).longest_ns, 0, 0);
    assert_near(PLAN(1, 6e6, 0).longest_ns, 0, 0);  // such calls are kept in whatever state
}

static void costly_setups_limit_the_number_of_epochs(void **state)
{
    (void)state;
    static const struct {
        double max_s, min_s, setup_s;
        unsigned epochs;
    } table[] = {
        {0, 0, .001, 0},  {0, 0, .08, 0}, {0, 0, .16, 25},  {0, 0, .2, 20}, {0, 0, .5, 8},
        {0, 0, 2, 5},     {0, 0, 7, 5},   {0, 0, 15, 2},    {0, 0, 100, 2}, {10, 0, 7, 5},
        {10, 0, .001, 0}, {20, 0, 7, 11}, {.2, 0, .001, 0}, {.2, 0, 7, 2},  {0, 20, 7, 11},
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
        rigorous_add(&timing, &(struct epoch_report){.number = 10, .empty_loop_ns = 0.5},
                     &(struct epoch_part){.epoch = {.time = 1e-6 * (1 + spread * (double)(i % 2)),
                                                    .batches = 4 + i,
                                                    .reference = 60e-9},
                                          .cpu_ns = 8000 + (double)i});
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
    assert_near(SHARE(3, .5, 4e6, 0), .0625, 1e-9);   // half of their share of two dozen
    assert_near(SHARE(48, .5, 20e6, 0), .5, 1e-9);    // of 96 epochs
    assert_near(SHARE(20, .5, 750e6, 0), .75, 1e-9);  // of the budget
    assert_near(SHARE(9, 0, 1e9, .min_run_ns = 2e9), .95 * .5, 1e-9);      // of the least time
    assert_true(SHARE(24, .021, 10e6, 0) > 1.5 * SHARE(24, .5, 10e6, 0));  // of the precision
    assert_true(SHARE(24, .021, 10e6, 0) < 1);
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

static void two_dozen_equal_epochs_are_enough_and_fewer_only_if_half_the_time_is_spent(void **state)
{
    (void)state;
    assert_false(ENOUGH(23, 0, 23e6, 0));
    assert_true(ENOUGH(24, 0, 24e6, 0));
    assert_false(ENOUGH(5, 0, 4.9e8, 0));
    assert_true(ENOUGH(5, 0, 5e8, 0));
    assert_true(ENOUGH(5, 0, 1e8, .max_run_ns = 2e8));
    assert_false(ENOUGH(4, 0, 2e9, 0));  // five in any case
}

static void two_epochs_are_enough_after_ten_times_the_budget(void **state)
{
    (void)state;
    assert_true(ENOUGH(2, 0, 11e9, 0));
    assert_false(ENOUGH(1, 0, 11e9, 0));
    assert_true(ENOUGH(2, 0, 1.1e9, .max_run_ns = 1e8));
}

static void epochs_are_long_and_few_if_starting_one_takes_long(void **state)
{
    (void)state;
    assert_near(PLAN(1000, 50000, .setup_ns = 1e6).max_ns, 5e6, 0);
    assert_near(PLAN(1000, 50000, .setup_ns = 70e6).max_ns, 25e6, 0);
    assert_true(ENOUGH(40, .1, 1e6, .setup_ns = 70e6));
    assert_false(ENOUGH(40, .1, 1e6, .setup_ns = 1e6));
    assert_true(ENOUGH(12, 0, 12e6, .setup_ns = 70e6));
    assert_false(ENOUGH(12, 0, 12e6, .setup_ns = 1e6));
}

static void a_narrow_interval_is_enough(void **state)
{
    (void)state;
    assert_true(ENOUGH(24, 0.002, 1e8, 0));
    assert_false(ENOUGH(24, 0.1, 1e8, 0));
    assert_true(ENOUGH(24, 0.016, 1e8, 0));
    assert_false(ENOUGH(24, 0.02, 1e8, 0));  // by the 99 % interval, not the 95 % one
    assert_true(ENOUGH(24, 0.1, 1e8, .precision = 0.1));
    assert_false(ENOUGH(24, 0.002, 1e8, .precision = 1e-4));
}

static void the_budget_ends_a_run_however_wide_the_interval(void **state)
{
    (void)state;
    assert_true(ENOUGH(6, 0.1, 1e9, 0));
    assert_false(ENOUGH(6, 0.1, 0.99e9, 0));
    assert_true(ENOUGH(6, 0.1, 2e8, .max_run_ns = 2e8));
    assert_false(ENOUGH(6, 0.1, 3e9, .max_run_ns = 5e9));
}

static void ninety_six_epochs_are_enough_unless_a_budget_is_given(void **state)
{
    (void)state;
    assert_true(ENOUGH(96, 0.1, 1e6, 0));
    assert_false(ENOUGH(95, 0.1, 1e6, 0));
    assert_false(ENOUGH(96, 0.1, 1e6, .max_run_ns = 5e9));
}

static void the_minimum_time_is_spent_however_narrow_the_interval(void **state)
{
    (void)state;
    assert_false(ENOUGH(50, 0, 4e8, .min_run_ns = 5e8));
    assert_true(ENOUGH(50, 0, 5e8, .min_run_ns = 5e8));
    assert_false(ENOUGH(50, 0, 1.5e9, .min_run_ns = 2e9));  // beyond the default limit
}

static void the_time_is_spent_after_the_budget_or_the_minimum_if_longer(void **state)
{
    (void)state;
    assert_true(rigorous_is_spent(&(struct rigorous_options){0}, 1e9));
    assert_false(rigorous_is_spent(&(struct rigorous_options){0}, .99e9));
    assert_true(rigorous_is_spent(&(struct rigorous_options){.max_run_ns = 2e8}, 2e8));
    assert_false(rigorous_is_spent(&(struct rigorous_options){.min_run_ns = 2e9}, 1.5e9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_warms_up_and_takes_5_ms_of_batches),
        cmocka_unit_test(an_epoch_of_a_slow_call_is_three_calls),
        cmocka_unit_test(an_epoch_of_a_very_slow_call_is_one_call),
        cmocka_unit_test(a_small_budget_makes_short_epochs),
        cmocka_unit_test(the_pace_is_read_more_often_than_once_per_batch),
        cmocka_unit_test(an_epoch_waits_for_the_core_unless_time_is_short),
        cmocka_unit_test(costly_setups_limit_the_number_of_epochs),
        cmocka_unit_test(epochs_are_long_and_few_if_starting_one_takes_long),
        cmocka_unit_test(few_epochs_share_the_budget),
        cmocka_unit_test(few_epochs_are_enough_if_their_number_is_limited),
        cmocka_unit_test(epochs_add_up_to_a_timing),
        cmocka_unit_test(
            two_dozen_equal_epochs_are_enough_and_fewer_only_if_half_the_time_is_spent),
        cmocka_unit_test(two_epochs_are_enough_after_ten_times_the_budget),
        cmocka_unit_test(the_share_grows_with_epochs_time_and_precision),
        cmocka_unit_test(a_narrow_interval_is_enough),
        cmocka_unit_test(the_budget_ends_a_run_however_wide_the_interval),
        cmocka_unit_test(ninety_six_epochs_are_enough_unless_a_budget_is_given),
        cmocka_unit_test(the_minimum_time_is_spent_however_narrow_the_interval),
        cmocka_unit_test(the_time_is_spent_after_the_budget_or_the_minimum_if_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
