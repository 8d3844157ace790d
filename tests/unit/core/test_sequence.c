#include "core/stats/sequence.h"

#include <math.h>

#include "base/random.h"
#include "core/stats/stats.h"
#include "unit.h"

static struct sequence sequence_of(const double *values, size_t count)
{
    struct sequence sequence = {0};
    for (size_t i = 0; i < count; i++)
        sequence_add(&sequence, values[i]);
    return sequence;
}

// The formula of docs/method/two-sides.md, computed with libm.
static double radius_by_libm(const struct sequence *sequence, double alpha)
{
    double n = (double)sequence->count, c2 = 4;
    double k = pow(sqrt((n + c2) / c2) / alpha, 2.0 / n), g = 1 - 1 / k;
    double d = n * n / (n + c2) - n * g;
    return d <= 0 ? INFINITY : sqrt(sequence->squares * g / d);
}

static void mean_and_squares_cover_all_values(void **state)
{
    (void)state;
    const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    struct sequence sequence = sequence_of(values, LENGTH(values));
    assert_near(sequence.mean, 1e9 + 10, 1e-6);
    assert_near(sequence.squares, 90, 1e-6);
}

static void the_radius_matches_the_formula(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    struct sequence sequence = {0};
    for (size_t i = 0; i < 60; i++) {
        sequence_add(&sequence, random_unit(&random));
        double radius = sequence_radius(&sequence, 0.01);
        if (sequence.count < 2)
            assert_true(isinf(radius));
        else if (isinf(radius))
            assert_true(isinf(radius_by_libm(&sequence, 0.01)));
        else
            assert_near(radius, radius_by_libm(&sequence, 0.01), 1e-12);
    }
    assert_true(sequence_radius(&sequence, 0.01) < 0.2);
}

static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

// Judged after each of 200 values: a t interval would be wrong in most runs.
static void an_interval_may_be_checked_after_every_value(void **state)
{
    (void)state;
    enum { RUNS = 2000 };
    struct random random;
    random_init(&random, 7);
    unsigned wrong = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        struct sequence sequence = {0};
        bool excluded = false;
        for (unsigned i = 0; i < 200; i++) {
            sequence_add(&sequence, normal(&random));
            excluded |= fabs(sequence.mean) > sequence_radius(&sequence, 0.05);
        }
        wrong += excluded;
    }
    assert_true(wrong <= RUNS * 0.05);
    assert_true(wrong >= RUNS * 0.005);  // otherwise it would be too wide to be useful
}

static void p_is_where_the_interval_touches_the_margin(void **state)
{
    (void)state;
    const double values[] = {.010, .011, .009, .0105, .0095, .010, .011, .009, .0105, .0095};
    struct sequence sequence = sequence_of(values, LENGTH(values));
    double p = sequence_p(&sequence, .0025);
    assert_true(p < .01);
    assert_near(sequence.mean - sequence_radius(&sequence, p), .0025, 1e-9);
    assert_near(sequence_p(&sequence, .02), 1, 0);
    for (size_t i = 0; i < 3; i++)
        sequence_add(&sequence, -.03);
    assert_near(sequence_p(&sequence, .0025), 1, 0);
}

// Compared with its defining integral, by the trapezoid rule.
static void the_weight_of_a_majority_matches_its_integral(void **state)
{
    (void)state;
    const size_t counts[][2] = {{0, 1}, {5, 5}, {7, 10}, {13, 13}, {30, 40}};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        double like = (double)counts[i][0], count = (double)counts[i][1], sum = 0;
        enum { STEPS = 200000 };
        for (int step = 0; step <= STEPS; step++) {
            double share = .5 + .5 * step / STEPS, weight = step % STEPS ? 1 : .5;
            sum += weight * pow(2 * share, like) * pow(2 * (1 - share), count - like);
        }
        assert_near(sequence_majority(counts[i][0], counts[i][1]) / (sum / STEPS), 1, 1e-6);
    }
}

static void discoveries_match_benjamini_and_hochberg(void **state)
{
    (void)state;
    // The authors' example: of 15 p values the first four are kept at .05.
    const double p[] = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                        .0459, .3240, .4262, .5719, .6528, .7590, 1};
    bool kept[LENGTH(p)];
    sequence_discoveries(p, LENGTH(p), .05, kept);
    for (size_t i = 0; i < LENGTH(p); i++)
        assert_int_equal(kept[i], i < 4);
    const double none[] = {.04, .5};
    sequence_discoveries(none, 2, .05, kept);
    assert_false(kept[0] || kept[1]);
}

// Then the interval has no width, or infinite width if there are too few values for the error: for
// n values, from sqrt((n + 4) / 4) (4 / (n + 4))^(n / 2) on.
static void equal_values_leave_as_much_doubt_as_there_are_few(void **state)
{
    (void)state;
    double values[4000];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = -.01;
    struct sequence sequence = sequence_of(values, 12);
    assert_near(sequence_p(&sequence, .0025) / (2 * pow(.25, 6)), 1, 1e-9);
    struct sequence many = sequence_of(values, LENGTH(values));
    double p = sequence_p(&many, .0025);
    assert_true(p > 0 && p < 1e-300);
    assert_near(sequence_p(&sequence, .01), 1, 0);  // not beyond its margin
    assert_near(sequence_radius(&sequence, .01), 0, 0);
}

static void the_sign_of_a_change_does_not_affect_its_p(void **state)
{
    (void)state;
    struct sequence up = {0}, down = {0};
    for (int i = 0; i < 20; i++) {
        sequence_add(&up, .01 + .001 * (i % 3));
        sequence_add(&down, -.01 - .001 * (i % 3));
    }
    assert_true(sequence_p(&up, .005) < .001);
    assert_near(sequence_p(&up, .005) / sequence_p(&down, .005), 1, 1e-9);
}

static void evidence_of_a_majority_grows_with_it(void **state)
{
    (void)state;
    // The mean of (2s)^k (2-2s)^(n-k) over s from 1/2 to 1, by hand.
    assert_near(sequence_majority(0, 0), 1, 1e-15);
    assert_near(sequence_majority(1, 1), 3 / 2., 1e-15);
    assert_near(sequence_majority(0, 1), 1 / 2., 1e-15);
    assert_near(sequence_majority(2, 2), 7 / 3., 1e-15);
    assert_near(sequence_majority(1, 2), 2 / 3., 1e-15);
}

static void a_discovery_at_exactly_the_rate_counts(void **state)
{
    (void)state;
    bool kept[4];
    sequence_discoveries((const double[]){.05}, 1, .05, kept);
    assert_true(kept[0]);
    sequence_discoveries((const double[]){.0501}, 1, .05, kept);
    assert_false(kept[0]);
    // Equal ones stand or fall together: two of two are at .05, two of four at .025.
    sequence_discoveries((const double[]){.03, .03}, 2, .05, kept);
    assert_true(kept[0] && kept[1]);
    sequence_discoveries((const double[]){.03, .9, .03, .8}, 4, .05, kept);
    assert_false(kept[0] || kept[1] || kept[2] || kept[3]);
    sequence_discoveries((const double[]){.02, .9, .001, .8}, 4, .05, kept);
    assert_true(kept[0] && !kept[1] && kept[2] && !kept[3]);
    sequence_discoveries((const double[]){0, .9, .9, .9}, 4, .05, kept);
    assert_true(kept[0] && !kept[1]);
}

static void two_values_say_something_if_much_error_is_permitted(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4};
    struct sequence two = sequence_of(values, 2), three = sequence_of(values, 3);
    assert_true(isfinite(sequence_radius(&two, .9)));
    assert_near(sequence_radius(&two, .9), radius_by_libm(&two, .9), 1e-12);
    assert_true(isfinite(sequence_radius(&three, .9)));
    assert_near(sequence_radius(&three, .9), radius_by_libm(&three, .9), 1e-12);
    assert_true(isinf(sequence_radius(&two, .8)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_squares_cover_all_values),
        cmocka_unit_test(the_radius_matches_the_formula),
        cmocka_unit_test(an_interval_may_be_checked_after_every_value),
        cmocka_unit_test(p_is_where_the_interval_touches_the_margin),
        cmocka_unit_test(the_weight_of_a_majority_matches_its_integral),
        cmocka_unit_test(discoveries_match_benjamini_and_hochberg),
        cmocka_unit_test(equal_values_leave_as_much_doubt_as_there_are_few),
        cmocka_unit_test(the_sign_of_a_change_does_not_affect_its_p),
        cmocka_unit_test(evidence_of_a_majority_grows_with_it),
        cmocka_unit_test(a_discovery_at_exactly_the_rate_counts),
        cmocka_unit_test(two_values_say_something_if_much_error_is_permitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
