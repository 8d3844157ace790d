#include "timer/epoch.h"

#include "unit.h"

// An epoch of batches that took these times, over a fake clock that passes `wall_ns` meanwhile.
static struct epoch_report report(const double *ns, size_t count, uint64_t n, uint64_t wall_ns)
{
    struct clock_fake fake = {.now_ns = 1000, .step_ns = 1};
    struct clock clock;
    clock_open_fake(&clock, &fake);
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper,
                 &(struct stepper_options){
                     .method = &method_epoch, .number = n, .max_blocks = count, .max_ns = 1e18});
    struct epoch_watch watch = epoch_begin(&clock, false);
    stepper_next(&stepper, NULL);
    for (size_t i = 0; i < count; i++)
        stepper_next(&stepper, &(struct batch){.n = n, .ns = ns[i], .disturbed = i == 1});
    fake.now_ns += wall_ns;
    struct epoch_report out;
    epoch_end(&watch, &clock, &stepper, false, &out);
    return out;
}

static void batches_become_an_epoch_per_call(void **state)
{
    (void)state;
    static const double ns[] = {200, 100, 400, 300, 500};
    struct epoch_report out = report(ns, LENGTH(ns), 10, 5000);
    assert_int_equal(out.number, 10);
    assert_int_equal(out.epoch.batches, 5);
    assert_int_equal(out.epoch.disturbed, 1);
    assert_near(out.epoch.min, 10e-9, 1e-20);
    assert_near(out.epoch.p25, 20e-9, 1e-20);
    assert_near(out.epoch.p75, 40e-9, 1e-20);
    assert_near(out.epoch.p99, 49.6e-9, 1e-20);
    assert_true(out.epoch.time > 20e-9 && out.epoch.time < 40e-9);
}

static void equal_batches_are_their_own_midmean(void **state)
{
    (void)state;
    static const double ns[] = {700, 700, 700, 700};
    struct epoch_report out = report(ns, LENGTH(ns), 7, 5000);
    assert_near(out.epoch.time, 100e-9, 1e-20);
    assert_near(epoch_spent_ns(&out), 2800, 1e-6);
}

static void a_time_that_the_body_tells_is_no_business_of_the_clock(void **state)
{
    (void)state;
    struct clock clock;
    clock_open(&clock);  // the real one: where it counts cycles it learns while it runs
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &(struct stepper_options){.method = &method_epoch, .number = 1});
    struct epoch_watch watch = epoch_begin(&clock, false);
    stepper_next(&stepper, NULL);
    stepper_next(&stepper, &(struct batch){.n = 1, .ns = 1000, .manual = true});
    struct epoch_report out;
    epoch_end(&watch, &clock, &stepper, false, &out);
    assert_near(out.epoch.min, 1e-6, 1e-20);
}

static void the_cpu_share_is_that_of_the_whole_epoch(void **state)
{
    (void)state;
    static const double ns[] = {1000};
    // So long an hour that what this test itself spends is nothing beside it.
    struct epoch_report idle = report(ns, 1, 1, 3600000000000ull);
    assert_true(idle.cpu_ns >= 0 && idle.cpu_ns < 1);
}

static void the_reference_is_measured_along(void **state)
{
    (void)state;
    static const double ns[] = {1000};
    struct epoch_report out = report(ns, 1, 1, 1000);
    assert_near(out.kernel_ns, 1.0 / 200, 1e-12);  // a read of this clock over its calls
    assert_near(out.empty_loop_ns, 1.0 / 50000, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_become_an_epoch_per_call),
        cmocka_unit_test(equal_batches_are_their_own_midmean),
        cmocka_unit_test(a_time_that_the_body_tells_is_no_business_of_the_clock),
        cmocka_unit_test(the_cpu_share_is_that_of_the_whole_epoch),
        cmocka_unit_test(the_reference_is_measured_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
