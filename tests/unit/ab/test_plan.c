#include "ab/verdict/plan.h"

#include "unit.h"

static const double SECOND = 1e9, MS = 1e6, US = 1e3;

static struct plan planned(double a_ns, double b_ns)
{
    struct plan plan = {.budget_ns = 2 * SECOND};
    plan_calls(&plan, a_ns, b_ns);
    return plan;
}

static struct paired_result calm(void)
{
    return (struct paired_result){
        .batch_ns = {50 * US, 50 * US}, .halves = {.0001, -.0001}, .spread = .001, .pairs = 37};
}

static void a_batch_takes_50_us_averaged_over_both_sides(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    assert_int_equal(plan.number, 50);
    assert_near(plan.pair_ns, 2 * 50 * US * 4 / 3, 1);
    assert_near(plan_epoch_ns(&plan), 5 * MS, .2 * MS);
    plan = planned(500, 2000);
    assert_int_equal(plan.number, 50);
}

static void a_single_slow_call_is_a_batch(void **state)
{
    (void)state;
    struct plan plan = planned(4 * MS, 4 * MS);
    assert_int_equal(plan.number, 1);
    assert_int_equal(plan.pairs, 3);
    assert_near(plan.pair_ns, 8 * MS, 1);  // no lead-in
    assert_int_equal(planned(SECOND, SECOND).pairs, 1);
}

static void a_plan_is_corrected_only_once(void **state)
{
    (void)state;
    struct plan plan = planned(10000, 10000);  // ten times the true value
    struct paired_result result = {.batch_ns = {5 * US, 5 * US}};
    assert_int_equal(plan.number, 5);
    assert_true(plan_mend(&plan, &result));
    assert_int_equal(plan.number, 50);
    assert_false(plan_mend(&plan, &result));
    struct paired_result as_planned = calm();
    struct plan good = planned(1000, 1000);
    assert_false(plan_mend(&good, &as_planned));
}

static void pairs_take_as_long_as_starting_the_epoch(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    assert_false(plan_lengthen(&plan, 11 * MS));  // 6 ms to start, 5 for pairs
    assert_true(plan_lengthen(&plan, 25 * MS));
    assert_near(plan_epoch_ns(&plan), 20 * MS, .5 * MS);
    assert_false(plan_lengthen(&plan, SECOND));  // only once
}

static void a_budget_has_room_for_twenty_epochs(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    assert_true(plan_lengthen(&plan, 10 * SECOND));
    assert_near(plan_epoch_ns(&plan), 100 * MS, 1 * MS);
    struct paired_result result = calm();
    plan_note(&plan, &result, 300 * MS);
    assert_near(plan_epochs(&plan), 2000 / 300., .1);
}

static void an_epoch_of_forks_takes_a_fixed_share_of_the_budget(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    plan.forks = true;
    assert_true(plan_lengthen(&plan, 25 * MS));  // for one fork
    assert_near(plan.pairs * plan.pair_ns, 20 * MS, .5 * MS);
    assert_near(plan_epoch_ns(&plan), 100 * MS, 1);
    struct paired_result result = calm();
    plan_note(&plan, &result, 3 * SECOND);
    assert_near(plan_epochs(&plan), 20, 1e-9);
}

static void with_a_costly_setup_epochs_are_long_from_the_start(void **state)
{
    (void)state;
    struct plan cheap = planned(1000, 1000), costly = cheap;
    plan_setup(&cheap, cheap.budget_ns / 11);
    assert_true(plan_lengthen(&cheap, 25 * MS));
    plan_setup(&costly, costly.budget_ns / 9);
    assert_false(plan_lengthen(&costly, 10 * SECOND));
    assert_near(costly.pairs * costly.pair_ns, costly.budget_ns / 20, MS);
    assert_near(plan_epoch_ns(&costly), costly.budget_ns * (1 / 9. + 1 / 20.), MS);
    plan_relent(&costly, 10 * SECOND);
    assert_true(costly.setup_ns > 0);
    costly.forks = true;  // then one setup per epoch
    assert_near(plan_epoch_ns(&costly), costly.budget_ns * (1 / 9. + 1 / 20.), MS);
}

static void a_setup_that_only_seemed_costly_is_planned_as_usual(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000), usual = plan;
    plan_setup(&plan, plan.budget_ns);
    plan_relent(&plan, plan.pairs * plan.pair_ns + plan.budget_ns / 20);
    assert_near(plan.setup_ns, 0, 0);
    assert_int_equal(plan.pairs, usual.pairs);
    assert_true(plan_lengthen(&plan, 25 * MS));
}

// Four epochs whose variation is entirely due to their pairs ask for longer ones, and then do not
// count.
static void pilot_epochs_set_the_length_of_the_others(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    unsigned pairs = plan.pairs;
    double changes[4] = {.005, -.005, .006, -.006};
    for (size_t i = 0; i < LENGTH(changes); i++) {
        struct paired_result result = calm();
        result.halves[0] = changes[i] + .011;
        result.halves[1] = changes[i] - .011;
        struct sample epochs = {changes, i};
        assert_false(plan_adapt(&plan, &epochs, &default_margins));
        plan_note(&plan, &result, 10 * MS);
    }
    struct sample epochs = {changes, LENGTH(changes)};
    assert_true(plan_adapt(&plan, &epochs, &default_margins));
    assert_true(plan.pairs > 2 * pairs);
    assert_int_equal(plan.count, 0);
    assert_false(plan_adapt(&plan, &epochs, &default_margins));
}

static void an_epoch_may_wait_50_ms_for_the_core(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000), slow = planned(4 * MS, 4 * MS);
    assert_near((plan_most_pairs(&plan) - plan.pairs) * plan.pair_ns, 50 * MS, 2 * plan.pair_ns);
    assert_int_equal(plan_most_pairs(&slow), slow.pairs + 6);
    struct plan instant = planned(1e-3, 1e-3);
    instant.pair_ns = 1;
    assert_int_equal(plan_most_pairs(&instant), DUEL_MOST_PAIRS);
}

static void batches_of_three_calls_have_a_lead_in(void **state)
{
    (void)state;
    assert_int_equal(planned(25e3, 25e3).number, 2);
    assert_near(planned(25e3, 25e3).pair_ns, 2 * 2 * 25e3, 1e-6);
    struct plan three = planned(16e3, 18e3);
    assert_int_equal(three.number, 3);
    assert_near(three.pair_ns, 3 * 34e3 * 4 / 3, 1e-6);
    assert_int_equal(planned(590, 590).number, 85);  // 84.7
    assert_int_equal(planned(49e3, 49e3).number, 1);
    assert_near(planned(49e3, 49e3).pair_ns, 98e3, 1e-6);
    assert_int_equal(planned(1e-9, 1e-9).number, 1u << 31);  // calls that take no time
}

static void epochs_of_slow_calls_have_three_pairs_or_one(void **state)
{
    (void)state;
    assert_int_equal(planned(50 * MS, 50 * MS).pairs, 3);
    assert_int_equal(planned(51 * MS, 51 * MS).pairs, 1);
    assert_int_equal(planned(1 * MS, .2 * MS).pairs, 4);  // 5 ms
    assert_int_equal(planned(1000, 1000).pairs, 37);
}

static void a_plan_is_corrected_if_batches_are_half_or_twice_as_long(void **state)
{
    (void)state;
    static const struct {
        double a_us, b_us;
        bool off;
    } cases[] = {{24.9, 24.9, true}, {25.1, 25.1, false}, {100.1, 100.1, true}, {99.9, 99.9, false},
                 {5, 500, false},    {5, 1000, false},    {100, 100.5, true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(1000, 1000);
        struct paired_result result = {.batch_ns = {cases[i].a_us * US, cases[i].b_us * US}};
        assert_int_equal(plan_mend(&plan, &result), cases[i].off);
    }
    struct plan slow = planned(60 * US, 60 * US);  // one call, whatever it takes
    struct paired_result slower = {.batch_ns = {MS, MS}};
    assert_false(plan_mend(&slow, &slower));
    struct plan plan = planned(1000, 1000);
    struct paired_result uneven = {.batch_ns = {200 * US, 800 * US}};  // 4 and 16 us per call
    assert_true(plan_mend(&plan, &uneven));
    assert_int_equal(plan.number, 6);  // 50 / 8
    assert_near(plan.pair_ns, 6 * 20 * US * 4 / 3, 1e-6);
}

static void epochs_are_lengthened_by_half_or_not_at_all(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);  // 37 pairs
    double pairs_ns = 37 * plan.pair_ns;
    assert_false(plan_lengthen(&plan, pairs_ns + 55 * plan.pair_ns));
    assert_int_equal(plan.pairs, 37);
    assert_true(plan_lengthen(&plan, pairs_ns + 56.1 * plan.pair_ns));
    assert_int_equal(plan.pairs, 56);
    struct plan begun = planned(1000, 1000);
    struct paired_result result = calm();
    plan_note(&begun, &result, 10 * MS);
    assert_false(plan_lengthen(&begun, SECOND));
    struct plan quick = planned(1000, 1000);
    assert_false(plan_lengthen(&quick, 1 * MS));  // took less than planned
}

static void the_halves_of_epochs_show_how_much_their_pairs_vary(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    struct paired_result result = {.halves = {.03, .01}};
    plan_note(&plan, &result, 37 * plan.pair_ns + 2 * MS);
    assert_near(plan.within, .0001, 1e-15);
    assert_near(plan.start_ns, 2 * MS, 1);
    plan_note(&plan, &result, 37 * plan.pair_ns + 4 * MS);
    assert_near(plan.within, .0002, 1e-15);
    assert_near(plan.start_ns, 6 * MS, 1);
    assert_int_equal(plan.count, 2);
    plan_note(&plan, &result, 0);  // less than its pairs should take
    assert_near(plan.start_ns, 6 * MS, 1);
    plan_restart(&plan);
    assert_near(plan.within + plan.start_ns, 0, 0);
    assert_int_equal(plan.count, 0);
}

// Takes in so many epochs whose variation is due to their pairs, or not at all.
static struct plan piloted(size_t count, bool forks, double apart, struct sample *epochs)
{
    static double changes[8];
    struct plan plan = planned(1000, 1000);
    plan.forks = forks;
    for (size_t i = 0; i < count; i++) {
        struct paired_result result = calm();
        result.halves[0] = apart;
        result.halves[1] = -apart;
        changes[i] = apart / 4 * (i % 2 ? 1 : -1);
        plan_note(&plan, &result, 10 * MS);
    }
    *epochs = (struct sample){changes, count};
    return plan;
}

static void only_four_pilots_plan(void **state)
{
    (void)state;
    struct sample epochs;
    for (size_t count = 3; count <= 5; count++) {
        struct plan plan = piloted(count, false, .02, &epochs);
        assert_int_equal(plan_adapt(&plan, &epochs, &default_margins), count == 4);
        assert_int_equal(plan.piloted, count == 4);
    }
    struct plan forks = piloted(4, true, .02, &epochs);
    assert_false(plan_adapt(&forks, &epochs, &default_margins));
    assert_int_equal(forks.pairs, 37);
    struct plan calm_ones = piloted(4, false, 1e-6, &epochs);
    assert_false(plan_adapt(&calm_ones, &epochs, &default_margins));
    assert_int_equal(calm_ones.count, 4);  // they count
    assert_in_range(calm_ones.pairs, 25, 37);
}

static void an_epoch_of_pilots_lasts_no_longer_than_a_twentieth_of_the_budget(void **state)
{
    (void)state;
    struct sample epochs;
    struct plan plan = piloted(4, false, .02, &epochs);
    assert_true(plan_adapt(&plan, &epochs, &default_margins));
    assert_true(plan.pairs > 74);
    assert_true(plan.pairs * plan.pair_ns <= 100 * MS);
    assert_near(plan.within, 0, 0);
}

static void four_forks_take_turns_unless_one_takes_a_quarter_of_the_budget(void **state)
{
    (void)state;
    const struct plan plan = {.budget_ns = 2 * SECOND};
    assert_int_equal(plan_forks(&plan, .49 * SECOND), 4);
    assert_int_equal(plan_forks(&plan, .5 * SECOND), 1);
}

static void pairs_warm_up_for_two_milliseconds(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000), slow = planned(4 * MS, 4 * MS);
    assert_int_equal(plan_warm_pairs(&plan), 15);  // 2000 / 133, and one more
    assert_int_equal(plan_warm_pairs(&slow), 1);
    struct plan instant = {.pair_ns = 0, .pairs = 1};
    assert_int_equal(plan_warm_pairs(&instant), DUEL_MOST_PAIRS);
    assert_int_equal(plan_most_pairs(&instant), DUEL_MOST_PAIRS);
}

static void the_budget_is_divided_by_what_epochs_take(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    struct paired_result result = calm();
    plan_note(&plan, &result, 40 * MS);
    plan_note(&plan, &result, 60 * MS);
    assert_near(plan_epochs(&plan), 2000 / 50., 1e-6);
    plan_setup(&plan, SECOND);
    assert_near(plan_epoch_ns(&plan), SECOND + plan.pairs * plan.pair_ns, 1);
    assert_near(plan_epochs(&plan), 2 * SECOND / plan_epoch_ns(&plan), 1e-9);
}

static void a_setup_is_costly_if_ten_do_not_fit_the_budget(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    plan_setup(&plan, .2 * SECOND);
    assert_near(plan.setup_ns, 0, 0);
    assert_int_equal(plan.pairs, 37);
    plan_setup(&plan, .2001 * SECOND);
    assert_near(plan.setup_ns, .2001 * SECOND, 0);
    assert_near(plan.pairs * plan.pair_ns, 100 * MS, plan.pair_ns);
    plan_relent(&plan, .2002 * SECOND + plan.pairs * plan.pair_ns);
    assert_near(plan.setup_ns, .2001 * SECOND, 0);  // no less
    plan_relent(&plan, .20005 * SECOND + plan.pairs * plan.pair_ns);
    assert_near(plan.setup_ns, .20005 * SECOND, 1);
}

// A change of 1 % needs no narrow interval, one near the margin of .25 % does.
static void a_change_near_the_margin_asks_for_longer_epochs(void **state)
{
    (void)state;
    unsigned pairs[2];
    for (int near = 0; near < 2; near++) {
        struct sample epochs;
        struct plan plan = piloted(4, false, .01, &epochs);
        double changes[4];
        for (size_t i = 0; i < 4; i++)
            changes[i] = (near ? .006 : .02) + epochs.values[i];
        struct sample moved = {changes, 4};
        plan_adapt(&plan, &moved, &default_margins);
        pairs[near] = plan.pairs;
    }
    assert_true(pairs[1] > pairs[0]);
}

static void an_epoch_of_pilots_has_as_many_pairs_as_its_start_takes(void **state)
{
    (void)state;
    struct plan plan = planned(1000, 1000);
    double changes[4] = {0};
    struct paired_result result = {.halves = {0, 0}};
    for (size_t i = 0; i < 4; i++)
        plan_note(&plan, &result, (37 + 30.5) * plan.pair_ns);
    struct sample epochs = {changes, 4};
    assert_false(plan_adapt(&plan, &epochs, &default_margins));
    assert_int_equal(plan.pairs, 30);  // no fewer, although nothing varies
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_takes_50_us_averaged_over_both_sides),
        cmocka_unit_test(a_single_slow_call_is_a_batch),
        cmocka_unit_test(a_plan_is_corrected_only_once),
        cmocka_unit_test(pairs_take_as_long_as_starting_the_epoch),
        cmocka_unit_test(a_budget_has_room_for_twenty_epochs),
        cmocka_unit_test(an_epoch_of_forks_takes_a_fixed_share_of_the_budget),
        cmocka_unit_test(with_a_costly_setup_epochs_are_long_from_the_start),
        cmocka_unit_test(a_setup_that_only_seemed_costly_is_planned_as_usual),
        cmocka_unit_test(pilot_epochs_set_the_length_of_the_others),
        cmocka_unit_test(an_epoch_may_wait_50_ms_for_the_core),
        cmocka_unit_test(batches_of_three_calls_have_a_lead_in),
        cmocka_unit_test(epochs_of_slow_calls_have_three_pairs_or_one),
        cmocka_unit_test(a_plan_is_corrected_if_batches_are_half_or_twice_as_long),
        cmocka_unit_test(epochs_are_lengthened_by_half_or_not_at_all),
        cmocka_unit_test(the_halves_of_epochs_show_how_much_their_pairs_vary),
        cmocka_unit_test(only_four_pilots_plan),
        cmocka_unit_test(an_epoch_of_pilots_lasts_no_longer_than_a_twentieth_of_the_budget),
        cmocka_unit_test(four_forks_take_turns_unless_one_takes_a_quarter_of_the_budget),
        cmocka_unit_test(pairs_warm_up_for_two_milliseconds),
        cmocka_unit_test(the_budget_is_divided_by_what_epochs_take),
        cmocka_unit_test(a_setup_is_costly_if_ten_do_not_fit_the_budget),
        cmocka_unit_test(a_change_near_the_margin_asks_for_longer_epochs),
        cmocka_unit_test(an_epoch_of_pilots_has_as_many_pairs_as_its_start_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
