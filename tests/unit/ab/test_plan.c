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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
