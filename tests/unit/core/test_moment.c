#include "core/run/moment.h"

#include "unit.h"

static const struct pace SLOW = {66, 45}, FAST = {64, 43.6};

struct fixture {
    struct pace_tracker pace;
    struct progress progress;
    struct rigorous_options rigorous;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.rigorous = {.max_run_ns = 1e12, .min_run_ns = 1e12}};
    fixture->progress.pace = &fixture->pace;
}

static void end(struct fixture *fixture)
{
    bilanx_timing_done(&fixture->progress.record.timing);
}

// An epoch of 1 us per call at this pace, with this spread of batches.
static void add(struct fixture *fixture, struct pace pace, double spread)
{
    struct epoch_report report = {.number = 10,
                                  .epoch = {.time = 1e-6,
                                            .p25 = 1e-6,
                                            .p75 = 1e-6 * (1 + spread),
                                            .batches = 4,
                                            .reference = pace.chain_ns / 1e9},
                                  .pace = pace};
    moment_add(&fixture->progress, &report, &fixture->rigorous);
}

static void assert_kept(const struct fixture *fixture, size_t kept, uint64_t redrawn)
{
    assert_int_equal(fixture->progress.record.timing.epoch_count, kept);
    assert_int_equal(fixture->progress.record.redrawn, redrawn);
}

static void an_epoch_at_a_different_pace_from_the_run_is_redrawn(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (int i = 0; i < 3; i++)
        add(&fixture, SLOW, 0);
    add(&fixture, FAST, 0);
    add(&fixture, (struct pace){66, 60}, 0);  // sharing the core with another thread
    assert_kept(&fixture, 3, 2);
    add(&fixture, SLOW, 0);
    assert_kept(&fixture, 4, 2);
    assert_near(fixture.progress.spent_ns, 6 * 40e3, 1e-3);
    end(&fixture);
}

static void a_first_epoch_at_an_unusual_pace_is_dropped_once_that_is_known(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add(&fixture, FAST, 0);
    add(&fixture, SLOW, 0);
    assert_kept(&fixture, 1, 1);
    add(&fixture, SLOW, 0);
    assert_kept(&fixture, 1, 2);
    assert_near(fixture.progress.record.timing.epochs[0].reference, 66e-9, 1e-20);
    end(&fixture);
}

static void dropped_epochs_are_limited_by_those_kept(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (int i = 0; i < 16; i++)
        pace_tracker_add(&fixture.pace, SLOW);
    for (int i = 0; i < 7; i++)  // too few to become the pace of the run
        add(&fixture, FAST, 0);
    assert_kept(&fixture, 3, 4);  // 2, then one for each epoch kept
    end(&fixture);
}

static void a_case_may_wait_for_the_pace_of_the_run(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.progress.may_wait = true;
    for (int i = 0; i < 16; i++)
        pace_tracker_add(&fixture.pace, SLOW);
    add(&fixture, SLOW, 0);
    for (int i = 0; i < 3; i++)
        add(&fixture, FAST, 0);
    assert_false(fixture.progress.postponed);
    add(&fixture, FAST, 0);
    assert_true(fixture.progress.postponed);
    assert_kept(&fixture, 1, 4);
    progress_take_up(&fixture.progress);
    assert_false(fixture.progress.postponed);
    assert_near(fixture.progress.spent_ns, 40e3, 1e-3);  // dropped epochs do not count
    for (int i = 0; i < 4; i++)                          // after three more drops it stops waiting
        add(&fixture, FAST, 0);
    assert_false(fixture.progress.postponed);
    assert_kept(&fixture, 2, 7);
    end(&fixture);
}

static void a_case_never_waits_because_of_widely_spread_batches(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.progress.may_wait = true;
    add(&fixture, SLOW, 0.01);
    for (int i = 0; i < 4; i++)
        add(&fixture, SLOW, 0.05);
    assert_false(fixture.progress.postponed);
    assert_kept(&fixture, 2, 3);
    end(&fixture);
}

static void nothing_is_dropped_when_time_is_short(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.rigorous = (struct rigorous_options){.max_run_ns = 100e3};
    add(&fixture, SLOW, 0);
    add(&fixture, FAST, 0);
    assert_kept(&fixture, 2, 0);
    end(&fixture);
}

static void slow_calls_are_redrawn_only_if_the_machine_was_slower(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add(&fixture, (struct pace){.chain_ns = 66}, 0);
    add(&fixture, (struct pace){.chain_ns = 66}, 0);
    add(&fixture, (struct pace){.chain_ns = 64}, 0);
    assert_kept(&fixture, 3, 0);
    add(&fixture, (struct pace){.chain_ns = 67}, 0);
    assert_kept(&fixture, 4, 0);
    add(&fixture, (struct pace){.chain_ns = 68}, 0);
    assert_kept(&fixture, 4, 1);
    end(&fixture);
}

static void an_epoch_with_widely_spread_batches_is_redrawn(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add(&fixture, SLOW, 0.01);
    add(&fixture, SLOW, 0.05);
    assert_kept(&fixture, 1, 1);
    add(&fixture, SLOW, 0.039);  // less than 4 times the calmest
    assert_kept(&fixture, 2, 1);
    add(&fixture, SLOW, 0.001);
    add(&fixture, SLOW, 0.029);  // too small to matter
    assert_kept(&fixture, 4, 1);
    end(&fixture);
}

static void a_worker_without_a_reference_is_still_measured(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (int i = 0; i < 4; i++)
        add(&fixture, (struct pace){0}, 0);
    assert_kept(&fixture, 4, 0);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_at_a_different_pace_from_the_run_is_redrawn),
        cmocka_unit_test(a_first_epoch_at_an_unusual_pace_is_dropped_once_that_is_known),
        cmocka_unit_test(dropped_epochs_are_limited_by_those_kept),
        cmocka_unit_test(a_case_may_wait_for_the_pace_of_the_run),
        cmocka_unit_test(a_case_never_waits_because_of_widely_spread_batches),
        cmocka_unit_test(nothing_is_dropped_when_time_is_short),
        cmocka_unit_test(slow_calls_are_redrawn_only_if_the_machine_was_slower),
        cmocka_unit_test(an_epoch_with_widely_spread_batches_is_redrawn),
        cmocka_unit_test(a_worker_without_a_reference_is_still_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
