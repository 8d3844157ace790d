#include "sources/commands/ratio.h"

#include "base/random.h"
#include "unit.h"

enum { RUNS = 40 };

static void fill(struct commands_run *runs, size_t count, double seconds)
{
    for (size_t i = 0; i < count; i++)
        runs[i] = (struct commands_run){.wall = seconds, .round = i + 1};
}

static void a_steady_ratio_is_found_exactly(void **state)
{
    (void)state;
    struct commands_run a[RUNS], b[RUNS];
    fill(a, RUNS, 2);
    fill(b, RUNS, 3);
    struct ratio ratio = ratio_of_runs(a, RUNS, b, RUNS);
    assert_near(ratio.estimate, 1.5, 1e-12);
    assert_near(ratio.ci95.low, 1.5, 1e-12);
    assert_near(ratio.ci95.high, 1.5, 1e-12);
    assert_int_equal(ratio.pairs, RUNS);
}

static void a_change_that_affects_both_does_not_affect_the_ratio(void **state)
{
    (void)state;
    struct commands_run a[RUNS], b[RUNS];
    fill(a, RUNS, 1);
    fill(b, RUNS, 1.25);
    for (size_t i = 0; i < RUNS; i++) {  // the machine gets slower and slower
        a[i].wall *= 1 + (double)i;
        b[i].wall *= 1 + (double)i;
    }
    struct ratio ratio = ratio_of_runs(a, RUNS, b, RUNS);
    assert_near(ratio.estimate, 1.25, 1e-12);
    assert_near(ratio.ci95.high - ratio.ci95.low, 0, 1e-12);
}

static void a_few_disturbed_runs_do_not_affect_the_ratio(void **state)
{
    (void)state;
    struct commands_run a[RUNS], b[RUNS];
    fill(a, RUNS, 1);
    fill(b, RUNS, 1);
    for (size_t i = 0; i < RUNS / 5; i++)
        b[i].wall = 50;
    assert_near(ratio_of_runs(a, RUNS, b, RUNS).estimate, 1, 1e-12);
}

static void only_runs_of_the_same_round_are_pairs(void **state)
{
    (void)state;
    struct commands_run a[RUNS], b[RUNS];
    fill(a, RUNS, 1);
    fill(b, RUNS, 2);
    for (size_t i = 0; i < RUNS; i++)
        b[i].round += 30;  // it joined late: ten common rounds
    for (size_t i = 10; i < RUNS; i++)
        b[i].wall = 7;
    struct ratio ratio = ratio_of_runs(a, RUNS, b, RUNS);
    assert_int_equal(ratio.pairs, 10);
    assert_near(ratio.estimate, 2, 1e-12);
}

static void without_enough_pairs_there_is_no_interval(void **state)
{
    (void)state;
    struct commands_run a[3], b[3];
    fill(a, 3, 1);
    fill(b, 3, 4);
    for (size_t i = 0; i < 3; i++)
        b[i].round += 100;
    struct ratio ratio = ratio_of_runs(a, 3, b, 3);
    assert_int_equal(ratio.pairs, 0);
    assert_near(ratio.estimate, 4, 1e-12);
    assert_true(isnan(ratio.ci95.low) && isnan(ratio.ci95.high));
    fill(b, 3, 4);
    ratio = ratio_of_runs(a, 3, b, 3);
    assert_int_equal(ratio.pairs, 3);
    assert_true(isnan(ratio.ci95.low) && isnan(ratio.ci95.high));
}

static double normal(struct random *random)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum - 6;
}

static void the_interval_contains_the_truth_as_often_as_it_claims(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    struct random random;
    random_init(&random, 7);
    struct commands_run a[RUNS], b[RUNS];
    int held = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        fill(a, RUNS, 1);
        fill(b, RUNS, 1.1);
        for (size_t i = 0; i < RUNS; i++) {
            a[i].wall *= exp(0.05 * normal(&random));
            b[i].wall *= exp(0.05 * normal(&random));
        }
        struct ratio ratio = ratio_of_runs(a, RUNS, b, RUNS);
        held += ratio.ci95.low <= 1.1 && 1.1 <= ratio.ci95.high;
    }
    assert_in_range(held, (int)(0.93 * TRIALS), (int)(0.97 * TRIALS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_ratio_is_found_exactly),
        cmocka_unit_test(a_change_that_affects_both_does_not_affect_the_ratio),
        cmocka_unit_test(a_few_disturbed_runs_do_not_affect_the_ratio),
        cmocka_unit_test(only_runs_of_the_same_round_are_pairs),
        cmocka_unit_test(without_enough_pairs_there_is_no_interval),
        cmocka_unit_test(the_interval_contains_the_truth_as_often_as_it_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
