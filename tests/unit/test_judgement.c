#include "contest/judgement.h"

#include <math.h>

#include "base/random.h"
#include "unit.h"

static struct sequence steady(double mean, double spread, size_t count)
{
    struct sequence sequence = {0};
    for (size_t i = 0; i < count; i++)
        sequence_add(&sequence, mean + (i & 1 ? spread : -spread));
    return sequence;
}

static void nothing_is_said_too_early(void **state)
{
    (void)state;
    for (size_t count = 0; count < 7; count++) {
        struct sequence epochs = steady(.5, 1e-6, count);
        assert_int_equal(judge(&epochs, &default_margins), VERDICT_UNDECIDED);
        assert_true(isinf(judge_interval(&epochs, .01).high));
        assert_true(isinf(judge_detectable(&epochs, &default_margins)));
    }
}

static void a_change_beyond_the_margin_is_claimed(void **state)
{
    (void)state;
    struct sequence up = steady(.01, .0005, 20), down = steady(-.01, .0005, 20);
    assert_int_equal(judge(&up, &default_margins), VERDICT_SLOWER);
    assert_int_equal(judge(&down, &default_margins), VERDICT_FASTER);
}

static void a_sure_change_within_the_margin_is_none(void **state)
{
    (void)state;
    struct sequence tiny = steady(.002, 1e-6, 30);
    assert_int_equal(judge(&tiny, &default_margins), VERDICT_SAME);
    // Between what is claimed and what is the same.
    struct sequence between = steady(.0024, .004, 30);
    assert_int_equal(judge(&between, &default_margins), VERDICT_UNDECIDED);
}

static void spread_leaves_it_undecided(void **state)
{
    (void)state;
    struct sequence wide = steady(.01, .02, 20);
    assert_int_equal(judge(&wide, &default_margins), VERDICT_UNDECIDED);
    double detectable = judge_detectable(&wide, &default_margins);
    assert_true(detectable > .01 && detectable < .1);
}

static void intervals_are_fractions(void **state)
{
    (void)state;
    struct sequence doubled = steady(log(2), 1e-9, 30);
    struct interval interval = judge_interval(&doubled, .01);
    assert_near(interval.low, 1, 1e-6);
    assert_near(interval.high, 1, 1e-6);
}

static void a_control_that_differs_from_itself_is_bias(void **state)
{
    (void)state;
    struct sequence fair = steady(.0001, .001, 20), biased = steady(-.02, .001, 20);
    assert_false(judge_biased(&fair, &default_margins));
    assert_true(judge_biased(&biased, &default_margins));
}

static void costly_starts_make_long_epochs(void **state)
{
    (void)state;
    struct epoch_costs costs = {.start_ns = 5e6,
                                .pair_ns = 133e3,
                                .within = 1e-9,
                                .between = 2e-9,
                                .room = .005,
                                .alpha = .01,
                                .pairs = 40,
                                .fewest = 25,
                                .most = 1000};
    assert_int_equal(judge_pairs(&costs), 25);  // nine of any length will do
    costs.within = costs.between = 1e-4;        // 1 %, all of it that of pairs
    unsigned cheap_starts = judge_pairs(&costs);
    assert_true(cheap_starts > 40 && cheap_starts < 400);
    costs.start_ns = 2.4e9;
    assert_true(judge_pairs(&costs) > 2 * cheap_starts);
    costs.start_ns = 5e6;
    costs.within = 1e-9;  // what more pairs cannot mend
    assert_int_equal(judge_pairs(&costs), 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_too_early),
        cmocka_unit_test(a_change_beyond_the_margin_is_claimed),
        cmocka_unit_test(a_sure_change_within_the_margin_is_none),
        cmocka_unit_test(spread_leaves_it_undecided),
        cmocka_unit_test(intervals_are_fractions),
        cmocka_unit_test(a_control_that_differs_from_itself_is_bias),
        cmocka_unit_test(costly_starts_make_long_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
