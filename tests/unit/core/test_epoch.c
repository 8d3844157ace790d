#include "core/timer/epoch.h"

#include "unit.h"

static const struct pace SLOW = {66, 45}, FAST = {64, 43.6};

// Readings of the pace in order; the last one repeats.
static struct {
    struct pace readings[64];
    size_t next, count;
    uint64_t busy_ns;  // CPU time that each reading takes
} script;

static struct pace read_script(const struct clock *clock)
{
    (void)clock;
    for (uint64_t from = clock_cpu_ns(); clock_cpu_ns() - from < script.busy_ns;)
        ;
    return script.readings[script.next < script.count - 1 ? script.next++ : script.count - 1];
}

static void read_the_pace_as(const struct pace *readings, size_t count)
{
    script.next = 0;
    script.count = count;
    for (size_t i = 0; i < count; i++)
        script.readings[i] = readings[i];
}

// Runs batches with the times `ns`, repeatedly, on a fake clock, until the stepper has enough. If
// times differ, the second is disturbed.
static struct epoch_report run(const struct stepper_options *options, const double *ns,
                               size_t count, uint64_t wall_ns)
{
    struct clock_fake fake = {.now_ns = 1000};
    struct clock clock;
    clock_open_fake(&clock, &fake);
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, options);
    struct epoch_watch watch = {0};
    epoch_begin(&watch, &clock, false);
    watch.read_pace = read_script;
    struct batch batch = {.n = epoch_next(&watch, &clock, &stepper, NULL)};
    for (size_t i = 0; batch.n; i++) {
        batch.ns = ns[i % count];
        batch.disturbed = i == 1 && count > 1;
        fake.now_ns += (uint64_t)batch.ns;
        batch.n = epoch_next(&watch, &clock, &stepper, &batch);
    }
    fake.now_ns += wall_ns;
    struct epoch_report out;
    epoch_end(&watch, &clock, &stepper, &out);
    assert_null(watch.log.readings);
    return out;
}

// An epoch of batches that took these times.
static struct epoch_report report(const double *ns, size_t count, uint64_t n, uint64_t wall_ns)
{
    read_the_pace_as(&SLOW, 1);
    return run(&(struct stepper_options){.method = &method_epoch,
                                         .number = n,
                                         .max_blocks = count,
                                         .max_ns = 1e18,
                                         .pace_every_ns = 1000},
               ns, count, wall_ns);
}

static void batches_are_summarized_per_call(void **state)
{
    (void)state;
    static const double ns[] = {200, 100, 400, 300, 500};
    struct epoch_report out = report(ns, LENGTH(ns), 10, 5000);
    assert_int_equal(out.number, 10);
    assert_int_equal(out.epoch.batches, 5);
    assert_int_equal(out.epoch.off_pace, 0);
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

static void times_set_by_the_body_are_not_adjusted_by_clock_or_pace(void **state)
{
    (void)state;
    struct clock clock;
    clock_open(&clock);  // the real one: if it counts cycles, it calibrates while running
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper,
                 &(struct stepper_options){
                     .method = &method_epoch, .number = 1, .max_ns = 2000, .pace_every_ns = 1});
    static const struct pace paces[] = {{66, 45}, {64, 44}};
    read_the_pace_as(paces, LENGTH(paces));
    struct epoch_watch watch = {0};
    epoch_begin(&watch, &clock, false);
    watch.read_pace = read_script;
    epoch_next(&watch, &clock, &stepper, NULL);
    for (int i = 0; i < 2; i++)
        epoch_next(&watch, &clock, &stepper, &(struct batch){.n = 1, .ns = 1000, .manual = true});
    struct epoch_report out;
    epoch_end(&watch, &clock, &stepper, &out);
    assert_near(out.epoch.min, 1e-6, 1e-20);
    assert_int_equal(out.epoch.batches, 2);  // nor affected by the pace
}

static void the_cpu_share_covers_the_whole_epoch(void **state)
{
    (void)state;
    static const double ns[] = {1000};
    // An hour, so that the CPU time of this test is negligible.
    struct epoch_report idle = report(ns, 1, 1, 3600000000000ull);
    assert_true(idle.cpu_ns >= 0 && idle.cpu_ns < 1);
}

static void waiting_for_the_cpu_does_not_lower_the_cpu_time(void **state)
{
    (void)state;
    // All of the wall time is in batches, most of it in one that waited.
    static const double ns[] = {1e6, 1e6, 1e6, 1e6, 996e6};
    script.busy_ns = 2000000;
    struct epoch_report out = report(ns, LENGTH(ns), 1, 0);
    script.busy_ns = 0;
    assert_true(out.cpu_ns * (double)LENGTH(ns) > 1900000);
}

static void the_reference_is_measured_alongside(void **state)
{
    (void)state;
    static const double ns[] = {1000};
    struct epoch_report out = report(ns, 1, 1, 1000);
    assert_near(out.pace.chain_ns, SLOW.chain_ns, 0);
    assert_near(out.pace.wide_ns, SLOW.wide_ns, 0);
    assert_near(out.epoch.reference, SLOW.chain_ns / 1e9, 1e-20);
}

static void batches_at_another_pace_are_left_out(void **state)
{
    (void)state;
    // Two batches of 500 between readings; the fourth and fifth reading are from a faster core.
    static const double ns[] = {500, 500, 500, 500, 500, 500, 470, 470, 500, 500};
    static const struct pace paces[] = {{66, 45}, {66, 45}, {66, 45}, {64, 44}, {64, 44}, {66, 45}};
    read_the_pace_as(paces, LENGTH(paces));
    struct epoch_report out = run(&(struct stepper_options){.method = &method_epoch,
                                                            .number = 1,
                                                            .max_blocks = LENGTH(ns),
                                                            .max_ns = 1e18,
                                                            .pace_every_ns = 900},
                                  ns, LENGTH(ns), 0);
    assert_int_equal(out.epoch.batches, 4);
    assert_int_equal(out.epoch.off_pace, 6);
    assert_near(out.epoch.min, 500e-9, 1e-20);
    assert_near(out.pace.chain_ns, 66, 0);
    assert_near(epoch_spent_ns(&out), 5000, 1e-6);
}

static void batches_lost_to_another_pace_are_made_up_for(void **state)
{
    (void)state;
    static const double ns[] = {1000};
    static const struct pace paces[] = {{66, 45}, {66, 45}, {64, 44}, {64, 44}, {66, 45}};
    struct stepper_options plan = {.method = &method_epoch,
                                   .number = 1,
                                   .max_ns = 10000,
                                   .pace_every_ns = 1000,
                                   .wanted = SLOW,
                                   .longest_ns = 20000};
    read_the_pace_as(paces, LENGTH(paces));
    struct epoch_report out = run(&plan, ns, 1, 0);
    assert_int_equal(out.epoch.batches, 10);
    assert_int_equal(out.epoch.off_pace, 3);
    read_the_pace_as(&FAST, 1);  // never at the wanted pace
    out = run(&plan, ns, 1, 0);
    assert_int_equal(out.epoch.batches, 20);
    assert_int_equal(out.epoch.off_pace, 0);
    assert_near(out.pace.chain_ns, FAST.chain_ns, 0);
}

static void a_slow_body_gets_the_slower_pace_of_before_and_after(void **state)
{
    (void)state;
    static const double ns[] = {5e6, 5e6, 6e6};
    static const struct pace paces[] = {{64, 44}, {66, 45}};
    for (int turned = 0; turned < 2; turned++) {
        read_the_pace_as((const struct pace[]){paces[turned], paces[1 - turned]}, 2);
        struct epoch_report out = run(
            &(struct stepper_options){
                .method = &method_epoch, .number = 1, .max_blocks = 3, .max_ns = 1e18},
            ns, 3, 0);
        assert_int_equal(out.epoch.batches, 3);
        assert_int_equal(script.next, 1);  // read twice, not after each call
        assert_near(out.pace.chain_ns, 66, 0);
        assert_near(out.pace.wide_ns, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_summarized_per_call),
        cmocka_unit_test(equal_batches_are_their_own_midmean),
        cmocka_unit_test(times_set_by_the_body_are_not_adjusted_by_clock_or_pace),
        cmocka_unit_test(the_cpu_share_covers_the_whole_epoch),
        cmocka_unit_test(waiting_for_the_cpu_does_not_lower_the_cpu_time),
        cmocka_unit_test(the_reference_is_measured_alongside),
        cmocka_unit_test(batches_at_another_pace_are_left_out),
        cmocka_unit_test(batches_lost_to_another_pace_are_made_up_for),
        cmocka_unit_test(a_slow_body_gets_the_slower_pace_of_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
