#include "ab/verdict/judgement.h"

#include <math.h>

#include "base/random.h"
#include "core/stats/sequence.h"
#include "unit.h"

enum { MOST = 400 };

static struct sample steady(double mean, double spread, size_t count)
{
    static double all[4][MOST];  // the last four results
    static size_t turn;
    double *values = all[turn++ % 4];
    for (size_t i = 0; i < count; i++)
        values[i] = mean + (i & 1 ? spread : -spread);
    return (struct sample){values, count};
}

static double detectable(const struct sample *sample)
{
    struct finding finding = judge_sample(sample, &default_margins);
    return judge_detectable(&finding, &default_margins);
}

static void fewer_than_seven_epochs_are_undecided(void **state)
{
    (void)state;
    for (size_t count = 0; count < 7; count++) {
        struct sample epochs = steady(.5, 1e-6, count);
        assert_int_equal(judge(&epochs, &default_margins), VERDICT_UNDECIDED);
        assert_true(isinf(judge_sample(&epochs, &default_margins).interval.high));
        assert_true(isinf(detectable(&epochs)));
    }
}

static void a_change_beyond_the_margin_is_claimed(void **state)
{
    (void)state;
    struct sample up = steady(.01, .0005, 20), down = steady(-.01, .0005, 20);
    assert_int_equal(judge(&up, &default_margins), VERDICT_SLOWER);
    assert_int_equal(judge(&down, &default_margins), VERDICT_FASTER);
}

static void a_certain_change_within_the_margin_is_same(void **state)
{
    (void)state;
    struct sample tiny = steady(.002, 1e-6, 30);
    assert_int_equal(judge(&tiny, &default_margins), VERDICT_SAME);
    // Between the margins for a change and for no change.
    struct sample between = steady(.0024, .004, 30);
    assert_int_equal(judge(&between, &default_margins), VERDICT_UNDECIDED);
}

// Most epochs near half a per cent, the others far off on either side.
static struct sample lopsided(struct random *random, size_t count)
{
    static double values[MOST];
    for (size_t i = 0; i < count; i++) {
        double near = -.006 + .004 * (double)random_below(random, 1000) / 1000;
        double far = -.02 + .04 * (double)random_below(random, 1000) / 1000;
        values[i] = random_below(random, 3) ? near : far;
    }
    return (struct sample){values, count};
}

static void a_strict_verdict_also_holds_at_a_looser_level(void **state)
{
    (void)state;
    struct random random;
    struct margins strict = default_margins;
    unsigned decided = 0;
    strict.alpha /= 10;
    random_init(&random, 3);
    for (int i = 0; i < 20000; i++) {
        struct sample epochs = lopsided(&random, 15 + random_below(&random, 60));
        enum verdict verdict = judge(&epochs, &strict), loose = judge(&epochs, &default_margins);
        decided += verdict != VERDICT_UNDECIDED;
        bool claim_within = verdict == VERDICT_SAME && loose != VERDICT_UNDECIDED;
        assert_true(verdict == VERDICT_UNDECIDED || loose == verdict || claim_within);
    }
    assert_true(decided > 100);
}

static void widely_spread_epochs_are_undecided(void **state)
{
    (void)state;
    struct sample wide = steady(.01, .02, 20);
    assert_int_equal(judge(&wide, &default_margins), VERDICT_UNDECIDED);
    assert_true(detectable(&wide) > .01 && detectable(&wide) < .1);
}

static void outliers_do_not_hide_a_change(void **state)
{
    (void)state;
    // Four of five epochs agree to a hundredth of a per cent; the fifth is arbitrary.
    double values[60];
    struct random random;
    random_init(&random, 5);
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = i % 5 == 4 ? random_unit(&random) - .5 : .005 + 1e-4 * random_unit(&random);
    struct sample sample = {values, LENGTH(values)};
    assert_int_equal(judge(&sample, &default_margins), VERDICT_SLOWER);
    struct finding finding = judge_sample(&sample, &default_margins);
    assert_near(finding.change, .00505, 1e-4);
    assert_true(finding.p < .01 && finding.interval.low > .0025);
}

// Identical code, one epoch in five far off, judged after every epoch: hardly ever a claim.
static void false_claims_are_rare(void **state)
{
    (void)state;
    enum { RUNS = 400, LONGEST = 100 };
    struct random random;
    random_init(&random, 11);
    unsigned wrong = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        double values[LONGEST];
        bool claimed = false;
        for (size_t i = 0; i < LONGEST && !claimed; i++) {
            double size = random_below(&random, 5) ? .002 : .2;
            values[i] = size * (random_unit(&random) + random_unit(&random) - 1);
            struct sample sample = {values, i + 1};
            enum verdict verdict = judge(&sample, &default_margins);
            claimed = verdict == VERDICT_SLOWER || verdict == VERDICT_FASTER;
        }
        wrong += claimed;
    }
    assert_true(wrong <= RUNS / 100);
}

static void a_control_far_from_zero_is_bias(void **state)
{
    (void)state;
    struct sample fair = steady(.0001, .001, 20), biased = steady(-.02, .001, 20);
    assert_false(judge_biased(&fair, &default_margins));
    assert_true(judge_biased(&biased, &default_margins));
}

static void a_control_off_zero_widens_the_interval_of_every_claim(void **state)
{
    (void)state;
    struct sample off = steady(.007, .005, 20), change = steady(.0057, .0005, 20);
    struct margins margins = default_margins;
    assert_int_equal(judge(&change, &margins), VERDICT_SLOWER);
    struct interval control = judge_sample(&off, &margins).interval;
    assert_true(control.low > 0 && control.low < margins.claim && control.high > .01);
    assert_false(judge_biased(&off, &margins));
    margins.bias = judge_bias(&off, &margins);
    assert_near(margins.bias, control.high, 1e-12);
    struct finding bare = judge_sample(&change, &default_margins);
    struct finding wide = judge_sample(&change, &margins);
    assert_int_equal(judge(&change, &margins), VERDICT_UNDECIDED);
    assert_near(wide.change, bare.change, 1e-12);
    assert_near(wide.interval.low, bare.interval.low - control.high, 1e-12);
    assert_near(wide.interval.high, bare.interval.high + control.high, 1e-12);
    assert_true(bare.p < .01 && wide.p == 1);
    assert_true(judge_detectable(&wide, &margins) > .01);
    // A much larger change is still claimed, and the control's own interval is not widened.
    struct sample large = steady(-.05, .0005, 20);
    assert_int_equal(judge(&large, &margins), VERDICT_FASTER);
    assert_near(judge_bias(&off, &margins), control.high, 1e-12);
}

static void the_sign_of_a_control_does_not_matter(void **state)
{
    (void)state;
    struct sample up = steady(.002, .0005, 20), down = steady(-.002, .0005, 20);
    double bias = judge_bias(&up, &default_margins);
    assert_true(bias > .002 && bias < .003);
    assert_near(judge_bias(&down, &default_margins), bias, 1e-12);
}

static void a_control_that_may_be_zero_widens_nothing(void **state)
{
    (void)state;
    struct sample fair = steady(.0001, .001, 20), few = steady(.02, .001, 3), none = {NULL, 0};
    assert_true(judge_bias(&fair, &default_margins) == 0);
    assert_true(judge_bias(&few, &default_margins) == 0);
    assert_true(judge_bias(&none, &default_margins) == 0);
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
    assert_int_equal(judge_pairs(&costs), 25);  // nine of any length suffice
    costs.within = costs.between = 1e-4;        // 1 %, all due to pairs
    unsigned cheap_starts = judge_pairs(&costs);
    assert_true(cheap_starts > 40 && cheap_starts < 400);
    costs.start_ns = 2.4e9;
    assert_true(judge_pairs(&costs) > 2 * cheap_starts);
    costs.start_ns = 5e6;
    costs.within = 1e-9;  // more pairs cannot help
    assert_int_equal(judge_pairs(&costs), 25);
}

// Ten values in ascending order by `step`, and one far above them, which hides the mean.
static struct sample with_outlier(size_t count, double first, double step)
{
    static double values[MOST];
    for (size_t i = 0; i < count; i++)
        values[i] = i + 1 < count ? first + step * (double)i : .5;
    return (struct sample){values, count};
}

// With 11 values beyond a bound of 11, the odds against a median on the other side are
// (2^12 - 1) / 12 = 341 to 1; with 10 of 10 they are 186 to 1. A fifth of .05 on either side needs
// 200 to 1.
static void the_signs_of_eleven_values_bound_their_median(void **state)
{
    (void)state;
    const struct margins margins = {.alpha = .05, .claim = .0025, .same = .005};
    struct sample ten = with_outlier(10, .01, .0001);
    assert_int_equal(judge(&ten, &margins), VERDICT_UNDECIDED);
    struct sample eleven = with_outlier(11, .01, .0001);
    struct finding finding = judge_sample(&eleven, &margins);
    assert_near(finding.interval.low, .01, 0);
    assert_near(finding.interval.high, .5, 0);
    assert_near(finding.change, .0105, 1e-15);
    assert_near(finding.p, 2 / (.2 * 341.25), 1e-9);
    assert_int_equal(judge(&eleven, &margins), VERDICT_SLOWER);
    struct margins biased = margins;
    biased.bias = .001;
    finding = judge_sample(&eleven, &biased);
    assert_near(finding.interval.low, .009, 1e-15);
    assert_near(finding.interval.high, .501, 1e-15);
}

static void a_change_in_either_direction_has_the_same_p(void **state)
{
    (void)state;
    const struct margins margins = {.alpha = .05, .claim = .0025, .same = .005};
    struct sample up = with_outlier(12, .01, .0001);
    double down[12];
    for (size_t i = 0; i < 12; i++)
        down[i] = -up.values[i];
    struct sample mirrored = {down, 12};
    double p = judge_sample(&up, &margins).p;
    assert_true(p < .02);
    assert_near(judge_sample(&mirrored, &margins).p, p, 1e-12);
}

// By the mean alone: its share of the permitted error is four fifths.
static void the_interval_of_the_mean_has_four_fifths_of_the_error(void **state)
{
    (void)state;
    struct sample sample = steady(.02, .001, 12);  // too few for the signs
    struct sequence sequence = {0};
    for (size_t i = 0; i < 12; i++)
        sequence_add(&sequence, sample.values[i]);
    double radius = sequence_radius(&sequence, .008);
    struct finding finding = judge_sample(&sample, &default_margins);
    assert_near(finding.change, .02, 1e-12);
    assert_near(finding.interval.low, .02 - radius, 1e-12);
    assert_near(finding.interval.high, .02 + radius, 1e-12);
    assert_near(finding.p, sequence_p(&sequence, .0025) / .8, 1e-12);
}

static void an_interval_must_be_beyond_its_margin(void **state)
{
    (void)state;
    const struct margins margins = {.claim = .25, .same = .5};
    static const struct {
        struct interval interval;
        enum verdict verdict;
    } cases[] = {
        {{.26, .9}, VERDICT_SLOWER},    {{.25, .9}, VERDICT_UNDECIDED},
        {{-.9, -.26}, VERDICT_FASTER},  {{-.9, -.25}, VERDICT_UNDECIDED},
        {{-.4, .4}, VERDICT_SAME},      {{-.5, .4}, VERDICT_UNDECIDED},
        {{-.4, .5}, VERDICT_UNDECIDED}, {{.3, .4}, VERDICT_SLOWER},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(judge_interval(&cases[i].interval, &margins), cases[i].verdict);
}

static void logarithms_become_fractions(void **state)
{
    (void)state;
    assert_near(judge_fraction(log(1.5)), .5, 1e-14);
    assert_near(judge_fraction(log(.5)), -.5, 1e-14);
    assert_true(judge_fraction(INFINITY) == INFINITY && judge_fraction(-INFINITY) == -INFINITY);
    const struct finding finding = {.interval = {-.03, .05}};
    assert_near(judge_detectable(&finding, &default_margins), exp(.04 + .0025) - 1, 1e-14);
    struct sample none = {NULL, 0};
    assert_near(judge_sample(&none, &default_margins).p, 1, 0);
    assert_near(judge_sample(&none, &default_margins).change, 0, 0);
}

// What an epoch costs, and how many of them it takes, tried one by one.
static double cost_of(const struct epoch_costs *costs, unsigned pairs)
{
    double own = fmax(0, costs->between - costs->within);
    double variance = own + costs->within * costs->pairs / pairs;
    size_t epochs = 2;
    for (; epochs < 4096; epochs++) {
        struct sequence sequence = {.count = epochs, .squares = (double)(epochs - 1) * variance};
        if (sequence_radius(&sequence, costs->alpha) < costs->room)
            break;
    }
    return (double)epochs * (costs->start_ns + pairs * costs->pair_ns);
}

static void no_other_length_of_epochs_would_be_much_cheaper(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 21);
    for (int i = 0; i < 12; i++) {
        double within = pow(10, -7 + 4 * random_unit(&random));
        struct epoch_costs costs = {.start_ns = pow(10, 5 + 4 * random_unit(&random)),
                                    .pair_ns = 133e3,
                                    .within = within,
                                    .between = within * (.5 + 2 * random_unit(&random)),
                                    .room = .005,
                                    .alpha = .01,
                                    .pairs = 40,
                                    .fewest = 25,
                                    .most = 600};
        unsigned pairs = judge_pairs(&costs);
        assert_in_range(pairs, 25, 600);
        double least = INFINITY;
        for (unsigned other = 25; other <= 600; other += 23)
            least = fmin(least, cost_of(&costs, other));
        assert_true(cost_of(&costs, pairs) < 1.15 * least);
    }
}

static void the_longest_epochs_are_tried_too(void **state)
{
    (void)state;
    // 25 32 41 52 66 83: the next one would be 104.
    struct epoch_costs costs = {.start_ns = 1e12,
                                .pair_ns = 1,
                                .within = 1e-4,
                                .between = 1e-4,
                                .room = .005,
                                .alpha = .01,
                                .pairs = 25,
                                .fewest = 25,
                                .most = 83};
    assert_int_equal(judge_pairs(&costs), 83);
    costs.fewest = 90;  // nothing to choose from
    assert_int_equal(judge_pairs(&costs), 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_than_seven_epochs_are_undecided),
        cmocka_unit_test(a_change_beyond_the_margin_is_claimed),
        cmocka_unit_test(a_certain_change_within_the_margin_is_same),
        cmocka_unit_test(a_strict_verdict_also_holds_at_a_looser_level),
        cmocka_unit_test(widely_spread_epochs_are_undecided),
        cmocka_unit_test(outliers_do_not_hide_a_change),
        cmocka_unit_test(false_claims_are_rare),
        cmocka_unit_test(a_control_far_from_zero_is_bias),
        cmocka_unit_test(a_control_off_zero_widens_the_interval_of_every_claim),
        cmocka_unit_test(the_sign_of_a_control_does_not_matter),
        cmocka_unit_test(a_control_that_may_be_zero_widens_nothing),
        cmocka_unit_test(costly_starts_make_long_epochs),
        cmocka_unit_test(the_signs_of_eleven_values_bound_their_median),
        cmocka_unit_test(a_change_in_either_direction_has_the_same_p),
        cmocka_unit_test(the_interval_of_the_mean_has_four_fifths_of_the_error),
        cmocka_unit_test(an_interval_must_be_beyond_its_margin),
        cmocka_unit_test(logarithms_become_fractions),
        cmocka_unit_test(no_other_length_of_epochs_would_be_much_cheaper),
        cmocka_unit_test(the_longest_epochs_are_tried_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
