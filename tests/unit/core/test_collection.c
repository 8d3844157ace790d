#include "core/timer/collection.h"

#include "unit.h"

static const double FLOOR = .01, FREE_TIME = 1e-6, SHARED_TIME = 1.4e-6, CHAIN_NS = 50;

struct fixture {
    struct core_floor core;
    struct collection epochs;
    struct rigorous_options options;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.options = {.max_run_ns = 1e12, .min_run_ns = 1e12}};
    fixture->epochs.core = &fixture->core;
}

static void end(struct fixture *fixture)
{
    collection_done(&fixture->epochs);
}

static struct epoch_part part(double time, double spread)
{
    return (struct epoch_part){.epoch = {.time = time,
                                         .p25 = time,
                                         .p75 = time * (1 + spread),
                                         .batches = 40,
                                         .reference = CHAIN_NS / 1e9},
                               .cpu_ns = 1e4};
}

// An epoch that had the core to itself for this share of the time: for less than a fifth, it has no
// free part; for more than four fifths, no other.
static struct epoch_report epoch(double free)
{
    struct epoch_report report = {.number = 10,
                                  .has_states = true,
                                  .spent_ns = 1e6,
                                  .core = {.lowest = free > 0 ? FLOOR : 1.5 * FLOOR,
                                           .low = FLOOR,
                                           .high = 1.5 * FLOOR,
                                           .free = free,
                                           .chain_ns = free > 0 ? CHAIN_NS : 0,
                                           .readings = 100}};
    if (free >= .2)
        report.free = part(FREE_TIME, 0);
    if (free <= .8)
        report.other = part(SHARED_TIME, 0);
    return report;
}

static void add(struct fixture *fixture, struct epoch_report report)
{
    collection_add(&fixture->epochs, &report, &fixture->options);
}

static void add_many(struct fixture *fixture, unsigned count, double free)
{
    while (count--)
        add(fixture, epoch(free));
}

// Checks how many epochs the result has, with which time, and its state.
static struct core_outcome take(struct fixture *fixture, size_t count, double time,
                                enum core_state state)
{
    struct bilanx_timing timing;
    struct core_outcome outcome;
    size_t expected = collection_count(&fixture->epochs);
    collection_take(&fixture->epochs, &timing, &outcome);
    assert_int_equal(timing.epoch_count, count);
    assert_int_equal(timing.raw_count, count);
    assert_int_equal(expected, count);
    for (size_t i = 0; i < count; i++)
        assert_near(timing.epochs[i].time, time, 1e-20);
    assert_int_equal(outcome.state, state);
    bilanx_timing_done(&timing);
    return outcome;
}

static void only_epochs_with_the_core_to_themselves_count(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 6, .5);
    add_many(&fixture, 10, 0);
    add_many(&fixture, 2, 1);
    struct core_outcome outcome = take(&fixture, 8, FREE_TIME, CORE_FREE);
    assert_near(outcome.free_share, (6 * .5 + 2) / 18, 1e-12);
    assert_near(outcome.other_time, SHARED_TIME, 1e-15);
    assert_int_equal(outcome.other_epochs, 16);
    assert_int_equal(outcome.redrawn, 10);
    end(&fixture);
}

static void if_the_neighbour_never_rests_the_time_beside_it_counts(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.core = (struct core_floor){.front = FLOOR, .chain_ns = CHAIN_NS};
    add_many(&fixture, 7, 0);
    struct core_outcome outcome = take(&fixture, 7, SHARED_TIME, CORE_SHARED);
    assert_near(outcome.free_share, 0, 0);
    assert_true(isnan(outcome.other_time));
    assert_int_equal(outcome.redrawn, 0);
    end(&fixture);
}

static void three_free_epochs_outweigh_any_number_of_others(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 20, 0);
    add_many(&fixture, 2, 1);
    struct core_outcome outcome = take(&fixture, 20, SHARED_TIME, CORE_SHARED);
    assert_near(outcome.other_time, FREE_TIME, 1e-15);
    assert_int_equal(outcome.other_epochs, 2);
    end(&fixture);
    begin(&fixture);
    add_many(&fixture, 20, 0);
    add_many(&fixture, 3, 1);
    take(&fixture, 3, FREE_TIME, CORE_FREE);
    end(&fixture);
}

static void a_single_epoch_in_the_other_state_is_no_time(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 4, 1);
    add_many(&fixture, 1, 0);
    struct core_outcome outcome = take(&fixture, 4, FREE_TIME, CORE_FREE);
    assert_true(isnan(outcome.other_time));
    assert_int_equal(outcome.other_epochs, 1);
    end(&fixture);
}

static void a_lower_floor_drops_epochs_that_counted_as_free(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 5, 1);
    struct epoch_report lower = epoch(1);
    lower.core.lowest = .8 * FLOOR;
    lower.free = part(.9e-6, 0);
    for (int i = 0; i < 3; i++)
        add(&fixture, lower);
    struct core_outcome outcome = take(&fixture, 3, .9e-6, CORE_FREE);
    assert_int_equal(outcome.redrawn, 5);
    assert_near(outcome.free_share, 3 / 8., 1e-12);
    end(&fixture);
}

static void a_floor_lowered_by_another_case_counts_too(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 5, 1);
    fixture.core.front = .8 * FLOOR;
    add_many(&fixture, 1, 0);
    assert_int_equal(fixture.epochs.free.epoch_count, 0);
    take(&fixture, 1, SHARED_TIME, CORE_SHARED);
    end(&fixture);
}

static void an_equal_floor_drops_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_many(&fixture, 3, 1);
    struct epoch_report same = epoch(1);
    same.core.lowest = .97 * FLOOR;  // within the error of a reading
    add(&fixture, same);
    take(&fixture, 4, FREE_TIME, CORE_FREE);
    end(&fixture);
}

// Epochs of a millisecond, until it is done.
static double spent_until_done(struct fixture *fixture, double free)
{
    enum { FOR_EVER = 10000 };
    for (unsigned i = 0; i < FOR_EVER && !fixture->epochs.done; i++)
        add_many(fixture, 1, free);
    assert_true(fixture->epochs.done);
    return fixture->epochs.spent_ns;
}

static void it_waits_for_the_core_as_long_as_it_may(void **state)
{
    (void)state;
    struct fixture fixture;
    static const double waits_ns[] = {0, 30e6, 100e6};
    for (size_t i = 0; i < LENGTH(waits_ns); i++) {
        begin(&fixture);
        fixture.options = (struct rigorous_options){.max_run_ns = 50e6};
        fixture.core.front = FLOOR;
        fixture.epochs.core_wait_ns = waits_ns[i];
        assert_near(spent_until_done(&fixture, 0), 50e6 + waits_ns[i], 1);
        end(&fixture);
    }
}

static void two_dozen_equal_epochs_with_the_core_to_themselves_are_enough(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.options = (struct rigorous_options){0};
    assert_near(spent_until_done(&fixture, 1), 24e6, 1);
    take(&fixture, 24, FREE_TIME, CORE_FREE);
    end(&fixture);
}

static void without_states_it_waits_for_no_core(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.options = (struct rigorous_options){0};
    fixture.epochs.core_wait_ns = 1e12;
    struct epoch_report report = epoch(0);
    report.has_states = false;
    while (!fixture.epochs.done && fixture.epochs.epochs < 100)
        add(&fixture, report);
    assert_int_equal(fixture.epochs.epochs, 24);
    end(&fixture);
}

static void the_share_never_falls(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.options = (struct rigorous_options){0};
    double before = 0;
    for (unsigned i = 0; i < 40; i++) {
        struct epoch_report report = epoch(1);
        report.free.epoch.time *= i < 20 ? 1 + .01 * (i % 3) : 1 + .3 * (i % 3);
        add(&fixture, report);
        assert_true(fixture.epochs.share >= before);
        before = fixture.epochs.share;
    }
    end(&fixture);
}

static void add_spread(struct fixture *fixture, double spread)
{
    struct epoch_report report = epoch(1);
    report.free = part(FREE_TIME, spread);
    add(fixture, report);
}

static void assert_kept(const struct fixture *fixture, size_t kept, uint64_t dropped)
{
    assert_int_equal(fixture->epochs.free.epoch_count, kept);
    assert_int_equal(fixture->epochs.dropped, dropped);
}

static void an_epoch_with_widely_spread_batches_is_redrawn(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_spread(&fixture, 0.01);
    add_spread(&fixture, 0.05);
    assert_kept(&fixture, 1, 1);
    add_spread(&fixture, 0.039);  // less than 4 times the calmest
    assert_kept(&fixture, 2, 1);
    add_spread(&fixture, 0.001);
    add_spread(&fixture, 0.029);  // too small to matter
    assert_kept(&fixture, 4, 1);
    assert_int_equal(take(&fixture, 4, FREE_TIME, CORE_FREE).redrawn, 1);
    end(&fixture);
}

static void dropped_epochs_are_limited_by_those_kept(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_spread(&fixture, 0.001);
    for (int i = 0; i < 7; i++)
        add_spread(&fixture, 0.05);
    assert_kept(&fixture, 3, 5);  // 3, then one for each epoch kept
    end(&fixture);
}

static void nothing_is_dropped_when_time_is_short(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.options = (struct rigorous_options){.max_run_ns = 5e6};
    add_spread(&fixture, 0.001);
    add_spread(&fixture, 0.05);
    assert_kept(&fixture, 2, 0);
    end(&fixture);
}

static void beside_a_neighbour_batches_may_vary(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add_spread(&fixture, 0.001);
    struct epoch_report report = epoch(0);
    report.other = part(SHARED_TIME, 0.2);
    add(&fixture, report);
    assert_int_equal(fixture.epochs.other.epoch_count, 1);
    assert_kept(&fixture, 1, 0);
    end(&fixture);
}

static void a_worker_that_reads_no_pace_is_still_measured(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (int i = 0; i < 4; i++)
        add(&fixture,
            (struct epoch_report){.number = 10, .spent_ns = 1e6, .other = part(SHARED_TIME, 0)});
    struct core_outcome outcome = take(&fixture, 4, SHARED_TIME, CORE_UNKNOWN);
    assert_true(isnan(outcome.free_share));
    assert_true(isnan(outcome.other_time));
    assert_int_equal(outcome.other_epochs, 0);
    end(&fixture);
}

// Calls that are too long to tell in which state they ran.
static void long_calls_are_about_a_free_core_if_it_was_mostly_free(void **state)
{
    (void)state;
    static const double shares[] = {1, .96, .94, .5};
    for (size_t i = 0; i < LENGTH(shares); i++) {
        struct fixture fixture;
        begin(&fixture);
        for (int k = 0; k < 4; k++) {
            struct epoch_report report = epoch(shares[i]);
            report.has_states = false;
            report.free = (struct epoch_part){0};
            report.other = part(SHARED_TIME, 0);
            add(&fixture, report);
        }
        struct core_outcome outcome =
            take(&fixture, 4, SHARED_TIME, shares[i] > .95 ? CORE_FREE : CORE_SHARED);
        assert_near(outcome.free_share, shares[i], 1e-12);
        assert_true(isnan(outcome.other_time));
        end(&fixture);
    }
}

static void with_a_doubtful_floor_the_state_is_unknown(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.core = (struct core_floor){
        .front = FLOOR, .chain_ns = CHAIN_NS, .kept = true, .kept_front = FLOOR};
    for (int i = 0; i < 10; i++) {
        struct epoch_report report = epoch(0);
        report.core.low = 2 * FLOOR;
        report.core.high = 2.5 * FLOOR;
        add(&fixture, report);
    }
    take(&fixture, 10, SHARED_TIME, CORE_UNKNOWN);
    end(&fixture);
}

static double reference_of(double kept_ns)
{
    struct fixture fixture;
    struct bilanx_timing timing;
    struct core_outcome outcome;
    begin(&fixture);
    add_many(&fixture, 4, 1);
    fixture.core.chain_ns = kept_ns;
    collection_take(&fixture.epochs, &timing, &outcome);
    double reference = timing.reference;
    bilanx_timing_done(&timing);
    end(&fixture);
    return reference;
}

static void times_are_stated_for_the_fastest_pace_if_it_is_near(void **state)
{
    (void)state;
    assert_near(reference_of(.97 * CHAIN_NS), .97 * CHAIN_NS / 1e9, 1e-20);
    assert_near(reference_of(.8 * CHAIN_NS), CHAIN_NS / 1e9, 1e-20);  // of the epochs
    assert_near(reference_of(0), CHAIN_NS / 1e9, 1e-20);
}

static void a_collection_of_nothing_is_empty(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct core_outcome outcome = take(&fixture, 0, 0, CORE_UNKNOWN);
    assert_int_equal(outcome.redrawn, 0);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_epochs_with_the_core_to_themselves_count),
        cmocka_unit_test(if_the_neighbour_never_rests_the_time_beside_it_counts),
        cmocka_unit_test(three_free_epochs_outweigh_any_number_of_others),
        cmocka_unit_test(a_single_epoch_in_the_other_state_is_no_time),
        cmocka_unit_test(a_lower_floor_drops_epochs_that_counted_as_free),
        cmocka_unit_test(a_floor_lowered_by_another_case_counts_too),
        cmocka_unit_test(an_equal_floor_drops_nothing),
        cmocka_unit_test(it_waits_for_the_core_as_long_as_it_may),
        cmocka_unit_test(two_dozen_equal_epochs_with_the_core_to_themselves_are_enough),
        cmocka_unit_test(without_states_it_waits_for_no_core),
        cmocka_unit_test(the_share_never_falls),
        cmocka_unit_test(an_epoch_with_widely_spread_batches_is_redrawn),
        cmocka_unit_test(dropped_epochs_are_limited_by_those_kept),
        cmocka_unit_test(nothing_is_dropped_when_time_is_short),
        cmocka_unit_test(beside_a_neighbour_batches_may_vary),
        cmocka_unit_test(a_worker_that_reads_no_pace_is_still_measured),
        cmocka_unit_test(long_calls_are_about_a_free_core_if_it_was_mostly_free),
        cmocka_unit_test(with_a_doubtful_floor_the_state_is_unknown),
        cmocka_unit_test(times_are_stated_for_the_fastest_pace_if_it_is_near),
        cmocka_unit_test(a_collection_of_nothing_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
