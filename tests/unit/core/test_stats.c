#include "core/stats/stats.h"

#include "unit.h"

// The values of an array and their number.
#define VALUES(...) (double[]){__VA_ARGS__}, LENGTH(((double[]){__VA_ARGS__}))

static void sorting_puts_the_smallest_first(void **state)
{
    (void)state;
    double values[] = {3, -1, 2e-9, 1e-9, 3, INFINITY, -1e300};
    static const double expected[] = {-1e300, -1, 1e-9, 2e-9, 3, 3, INFINITY};
    stats_sort(values, LENGTH(values));
    assert_memory_equal(values, expected, sizeof expected);
}

static void a_quantile_lies_between_its_neighbours(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 4, 8, 16};
    static const double cases[][2] = {{0, 1},  {0.25, 2},  {0.5, 4},   {0.75, 8},
                                      {1, 16}, {0.1, 1.4}, {0.375, 3}, {0.9, 12.8}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_near(stats_quantile(values, 5, cases[i][0]), cases[i][1], 1e-14);
    assert_near(stats_quantile(VALUES(1, 2, 3, 4), 0.5), 2.5, 0);
    assert_near(stats_quantile(VALUES(1, 2, 3, 4), 0.25), 1.75, 0);
    assert_near(stats_quantile(VALUES(7), 0.99), 7, 0);
}

static void means_and_variances_match_the_textbook(void **state)
{
    (void)state;
    double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    assert_near(stats_mean(values, 8), 5, 0);
    assert_near(stats_variance(values, 8), 32.0 / 7, 1e-15);
    assert_near(stats_variance(values, 1), 0, 0);
    // Far from zero, where the textbook formula would lose all digits.
    assert_near(stats_variance(VALUES(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16)), 30, 1e-12);
}

static void the_midmean_is_the_mean_of_the_central_half(void **state)
{
    (void)state;
    assert_near(stats_midmean(VALUES(7)), 7, 0);
    assert_near(stats_midmean(VALUES(1, 3)), 2, 0);
    assert_near(stats_midmean(VALUES(0, 3, 9)), (0.25 * 0 + 3 + 0.25 * 9) / 1.5, 1e-15);
    assert_near(stats_midmean(VALUES(-100, 2, 4, 1000)), 3, 0);
    assert_near(stats_midmean(VALUES(0, 1, 3, 4, 99)), (0.75 * 1 + 3 + 0.75 * 4) / 2.5, 1e-15);
    assert_near(stats_midmean(VALUES(0, 1, 3, 4, 8, 99)), (0.5 * 1 + 3 + 4 + 0.5 * 8) / 3, 1e-15);
    assert_near(stats_midmean(VALUES(0, 0, 1, 2, 3, 6, 99, 99)), 3, 0);
    // Published: Wikipedia's example of an interquartile mean, 12 values.
    assert_near(stats_midmean(VALUES(1, 3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 38)), 6.5, 1e-15);
    // Its second example, where quarters are not whole numbers of values, 9 of them.
    assert_near(stats_midmean(VALUES(1, 3, 5, 7, 9, 11, 13, 15, 17)), 9, 1e-15);
}

static void significant_figures_are_counted_as_in_torch(void **state)
{
    (void)state;
    // All equal: only the floor of 25 ns is uncertain.
    assert_int_equal(stats_significant_figures(VALUES(1e-7, 1e-7, 1e-7)), 1);
    assert_int_equal(stats_significant_figures(VALUES(240e-9)), 1);
    assert_int_equal(stats_significant_figures(VALUES(2.4e-6)), 1);
    assert_int_equal(stats_significant_figures(VALUES(2.6e-6)), 2);
    assert_int_equal(stats_significant_figures(VALUES(26e-6)), 3);
    assert_int_equal(stats_significant_figures(VALUES(260e-6)), 4);
    assert_int_equal(stats_significant_figures(VALUES(100)), 4);
    // The middle half [1, 3) of 4 values: deviation .05, 1.645 * .05 / sqrt 2 = .058, 1/.058 = 17.
    assert_int_equal(stats_significant_figures(VALUES(0.1, 0.95, 1.05, 90)), 1);
    // Deviation .005: 1/.0058 = 172.
    assert_int_equal(stats_significant_figures(VALUES(0.1, 0.995, 1.005, 90)), 2);
    // The middle half [1, 4) of 5: deviation .1 sqrt(2/3), 1.645 * .0816 / sqrt 3 = .0775, 12.9.
    assert_int_equal(stats_significant_figures(VALUES(0.1, 0.9, 1, 1.1, 9)), 1);
    // Uses the population deviation, not the sample deviation: 10.1, not 8.3.
    assert_int_equal(stats_significant_figures(VALUES(0.1, 0.915, 1.085, 9)), 1);
    assert_int_equal(stats_significant_figures(VALUES(0, 0, 0)), 1);
    assert_int_equal(stats_significant_figures(VALUES(1e-300, 1, 1e200, 1e300)), 1);
}

static void two_figures_need_an_uncertainty_below_one_per_cent(void **state)
{
    (void)state;
    // The middle half [1, 3) of 4: 1.645 d / sqrt 2 is 1 % at d = .0086.
    assert_int_equal(stats_significant_figures(VALUES(0, 1 - 0.0087, 1 + 0.0087, 9)), 1);
    assert_int_equal(stats_significant_figures(VALUES(0, 1 - 0.0085, 1 + 0.0085, 9)), 2);
    // The middle half [1, 4) of 5: 1.645 d sqrt(2/3) / sqrt 3 is 1 % at d = .01290.
    assert_int_equal(stats_significant_figures(VALUES(0, 1 - 0.01291, 1, 1 + 0.01291, 9)), 1);
    assert_int_equal(stats_significant_figures(VALUES(0, 1 - 0.01288, 1, 1 + 0.01288, 9)), 2);
}

static void alternating_neighbours_correlate_negatively(void **state)
{
    (void)state;
    // 1 to 5: deviations -2 -1 0 1 2, products 2 0 0 2, squares 10.
    assert_near(stats_autocorrelation(VALUES(1, 2, 3, 4, 5)), 0.4, 1e-15);
    assert_near(stats_autocorrelation(VALUES(1, -1, 1, -1)), -0.75, 1e-15);
    assert_near(stats_autocorrelation(VALUES(3, 3, 3, 3)), 0, 0);
    assert_near(stats_autocorrelation(VALUES(1, 2)), 0, 0);
}

static void neighbours_are_merged_in_pairs(void **state)
{
    (void)state;
    double even[] = {1, 3, 5, 9};
    assert_int_equal(stats_merge_neighbours(even, 4), 2);
    assert_near(even[0], 2, 0);
    assert_near(even[1], 7, 0);
    double odd[] = {1, 3, 4, 5, 9};
    assert_int_equal(stats_merge_neighbours(odd, 5), 2);
    assert_near(odd[0], 2, 0);
    assert_near(odd[1], 6, 0);
}

static void the_interval_of_the_median_matches_published_ranks(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double confidence;
        size_t rank;  // of the lower end, from 1; 0: none
    } cases[] = {
        {1, 0.95, 0},    {5, 0.95, 0},      {6, 0.95, 1},      {8, 0.95, 1},      {9, 0.95, 2},
        {10, 0.95, 2},   {15, 0.95, 4},     {20, 0.95, 6},     {25, 0.95, 8},     {30, 0.95, 10},
        {50, 0.95, 18},  {100, 0.95, 40},   {1000, 0.95, 469}, {1001, 0.95, 470}, {2000, 0.95, 956},
        {6, 0.99, 0},    {8, 0.99, 1},      {15, 0.99, 3},     {20, 0.99, 4},     {50, 0.99, 16},
        {100, 0.99, 37}, {1000, 0.99, 459}, {2000, 0.99, 942},
    };
    static double ranks[2000];
    for (size_t i = 0; i < LENGTH(ranks); i++)
        ranks[i] = (double)(i + 1);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct interval interval = {-1, -1};
        bool known = stats_median_interval(ranks, cases[i].n, cases[i].confidence, &interval);
        assert_int_equal(known, cases[i].rank > 0);
        double by_one = cases[i].n > 1000;  // ranks are approximate there
        assert_near(interval.low, known ? (double)cases[i].rank : -1, by_one);
        assert_near(interval.high, known ? (double)(cases[i].n + 1 - cases[i].rank) : -1, by_one);
    }
}

// Student's own data: extra hours of sleep with two drugs. The intervals are from R's
// documentation.
static const double drug_1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double drug_2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void the_interval_of_the_mean_is_students(void **state)
{
    (void)state;
    double differences[10];
    for (size_t i = 0; i < 10; i++)
        differences[i] = drug_2[i] - drug_1[i];
    struct interval interval = stats_mean_interval(differences, 10, 0.95);
    assert_near(interval.low, 0.7001142, 5e-8);
    assert_near(interval.high, 2.4598858, 5e-8);
    interval = stats_mean_interval(VALUES(3, 3, 3), 0.95);
    assert_true(interval.low == 3 && interval.high == 3);
}

static void the_interval_of_a_difference_is_welchs(void **state)
{
    (void)state;
    struct interval interval = stats_difference_interval(drug_1, 10, drug_2, 10, 0.95);
    assert_near(interval.low, -0.2054832, 5e-8);
    assert_near(interval.high, 3.3654832, 5e-8);
    // Unequal sizes: variances 1 and 100 of 3 and 2, so that nearly all comes from b.
    interval = stats_difference_interval(VALUES(1, 2, 3), VALUES(0, 10 * M_SQRT2), 0.95);
    double a = 1.0 / 3, b = 50, df = (a + b) * (a + b) / (a * a / 2 + b * b);
    double half = stats_student(0.975, df) * sqrt(a + b);
    assert_near(interval.low, 5 * M_SQRT2 - 2 - half, 1e-12);
    assert_near(interval.high, 5 * M_SQRT2 - 2 + half, 1e-12);
    interval = stats_difference_interval(VALUES(1, 1), VALUES(4, 4), 0.95);
    assert_true(interval.low == 3 && interval.high == 3);
}

static void a_fitted_line_matches_anscombes(void **state)
{
    (void)state;
    static const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    static const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    struct line line = stats_fit_line(x, y, 11, 0.95);
    assert_near(line.slope, 0.5000909, 5e-8);
    assert_near(line.intercept, 3.0000909, 5e-8);
    assert_near(line.slope_interval.low, 0.2333701, 5e-8);
    assert_near(line.slope_interval.high, 0.7668117, 5e-8);
}

static void a_line_through_two_points_has_no_interval(void **state)
{
    (void)state;
    static const double x[] = {1, 3}, y[] = {5, 9};
    struct line line = stats_fit_line(x, y, 2, 0.95);
    assert_near(line.slope, 2, 0);
    assert_near(line.intercept, 3, 0);
    assert_true(line.slope_interval.low == -INFINITY && line.slope_interval.high == INFINITY);
}

static void the_interval_of_the_midmean_is_tukeys_and_mclaughlins(void **state)
{
    (void)state;
    // Winsorized, 1 to 8 is 3 3 3 4 5 6 6 6: variance 2, so a standard error of 1; t(.975; 3).
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct interval interval = stats_midmean_interval(values, 8, 0.95);
    assert_near(interval.low, 4.5 - 3.182446305284263, 1e-9);
    assert_near(interval.high, 4.5 + 3.182446305284263, 1e-9);
}

static void an_outlier_does_not_affect_the_interval_of_the_midmean(void **state)
{
    (void)state;
    static const double calm[] = {1, 2, 3, 4, 5, 6, 7, 8}, wild[] = {-1e9, 2, 3, 4, 5, 6, 7, 1e12};
    struct interval a = stats_midmean_interval(calm, 8, 0.95);
    struct interval b = stats_midmean_interval(wild, 8, 0.95);
    assert_near(a.low, b.low, 1e-12);
    assert_near(a.high, b.high, 1e-12);
}

static void three_values_have_a_correlation(void **state)
{
    (void)state;
    // Deviations -1 -1 2: products 1 and -2, squares 6.
    assert_near(stats_autocorrelation(VALUES(1, 1, 4)), -1 / 6., 1e-15);
}

static void two_tails_that_are_not_whole_values_are_winsorized(void **state)
{
    (void)state;
    // 1 to 10 winsorized is 3 3 3 4 5 6 7 8 8 8: squares 42.5; six are kept, t(.975; 5).
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct interval interval = stats_midmean_interval(values, 10, 0.95);
    double half = 2.570581835636 * sqrt(42.5 / 9 * 10) / 6;
    assert_near(interval.low, 5.5 - half, 1e-9);
    assert_near(interval.high, 5.5 + half, 1e-9);
    // Lopsided: 0 0 0 0 8 100 is 0 0 0 0 8 8, whose mean is 8/3; squares 256/3; t(.975; 3).
    static const double lopsided[] = {0, 0, 0, 0, 8, 100};
    interval = stats_midmean_interval(lopsided, 6, 0.95);
    half = 3.182446305284 * sqrt(256 / 3. / 5 * 6) / 4;
    assert_near((interval.high - interval.low) / 2, half, 1e-9);
    assert_near((interval.high + interval.low) / 2, (0 + 0 + .5 * 8) / 3, 1e-12);
}

static void three_points_give_a_slope_an_interval(void **state)
{
    (void)state;
    // Residuals 1 -2 1 over sqrt 36: slope 1, error sqrt(6/9 / 1 / 2) with one degree of freedom.
    static const double x[] = {1, 2, 3}, y[] = {1 / 3., 1 / 3., 7 / 3.};
    struct line line = stats_fit_line(x, y, 3, 0.95);
    double half = 12.706204736174 * sqrt(6 / 9. / 2);
    assert_near(line.slope, 1, 1e-12);
    assert_near(line.intercept, -1, 1e-12);
    assert_near(line.slope_interval.low, 1 - half, 1e-8);
    assert_near(line.slope_interval.high, 1 + half, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_puts_the_smallest_first),
        cmocka_unit_test(a_quantile_lies_between_its_neighbours),
        cmocka_unit_test(means_and_variances_match_the_textbook),
        cmocka_unit_test(the_midmean_is_the_mean_of_the_central_half),
        cmocka_unit_test(significant_figures_are_counted_as_in_torch),
        cmocka_unit_test(two_figures_need_an_uncertainty_below_one_per_cent),
        cmocka_unit_test(alternating_neighbours_correlate_negatively),
        cmocka_unit_test(neighbours_are_merged_in_pairs),
        cmocka_unit_test(the_interval_of_the_median_matches_published_ranks),
        cmocka_unit_test(the_interval_of_the_mean_is_students),
        cmocka_unit_test(the_interval_of_a_difference_is_welchs),
        cmocka_unit_test(the_interval_of_the_midmean_is_tukeys_and_mclaughlins),
        cmocka_unit_test(an_outlier_does_not_affect_the_interval_of_the_midmean),
        cmocka_unit_test(a_fitted_line_matches_anscombes),
        cmocka_unit_test(a_line_through_two_points_has_no_interval),
        cmocka_unit_test(three_values_have_a_correlation),
        cmocka_unit_test(two_tails_that_are_not_whole_values_are_winsorized),
        cmocka_unit_test(three_points_give_a_slope_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
