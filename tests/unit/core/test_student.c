#include "core/stats/stats.h"

#include "unit.h"

static void quantiles_match_the_published_table(void **state)
{
    (void)state;
    static const double levels[] = {0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9995};
    static const struct {
        double df, t[LENGTH(levels)];
    } table[] = {
        {1, {1.000, 3.078, 6.314, 12.706, 31.821, 63.657, 636.619}},
        {2, {0.816, 1.886, 2.920, 4.303, 6.965, 9.925, 31.599}},
        {3, {0.765, 1.638, 2.353, 3.182, 4.541, 5.841, 12.924}},
        {4, {0.741, 1.533, 2.132, 2.776, 3.747, 4.604, 8.610}},
        {5, {0.727, 1.476, 2.015, 2.571, 3.365, 4.032, 6.869}},
        {7, {0.711, 1.415, 1.895, 2.365, 2.998, 3.499, 5.408}},
        {9, {0.703, 1.383, 1.833, 2.262, 2.821, 3.250, 4.781}},
        {10, {0.700, 1.372, 1.812, 2.228, 2.764, 3.169, 4.587}},
        {15, {0.691, 1.341, 1.753, 2.131, 2.602, 2.947, 4.073}},
        {20, {0.687, 1.325, 1.725, 2.086, 2.528, 2.845, 3.850}},
        {25, {0.684, 1.316, 1.708, 2.060, 2.485, 2.787, 3.725}},
        {30, {0.683, 1.310, 1.697, 2.042, 2.457, 2.750, 3.646}},
        {40, {0.681, 1.303, 1.684, 2.021, 2.423, 2.704, 3.551}},
        {60, {0.679, 1.296, 1.671, 2.000, 2.390, 2.660, 3.460}},
        {120, {0.677, 1.289, 1.658, 1.980, 2.358, 2.617, 3.373}},
        {1000, {0.675, 1.282, 1.646, 1.962, 2.330, 2.581, 3.300}},
    };
    for (size_t i = 0; i < LENGTH(table); i++)
        for (size_t j = 0; j < LENGTH(levels); j++)
            assert_near(stats_student(levels[j], table[i].df), table[i].t[j], 0.00051);
}

static void with_few_degrees_of_freedom_quantiles_match_closed_forms(void **state)
{
    (void)state;
    for (double q = 0.5; q < 0.9999; q += 0.0071) {
        double one = tan(M_PI * (q - 0.5));
        assert_near(stats_student(q, 1), one, 1e-11 * (1 + one));
        double two = (2 * q - 1) / sqrt(2 * q * (1 - q));
        assert_near(stats_student(q, 2), two, 1e-11 * (1 + two));
        double root = sqrt(4 * q * (1 - q));
        double four = 2 * sqrt(fmax(0, cos(acos(root) / 3) / root - 1));
        assert_near(stats_student(q, 4), four, 1e-7 * (1 + four));
    }
}

static void degrees_of_freedom_need_not_be_whole(void **state)
{
    (void)state;
    assert_near(stats_student(0.975, 2.5), 3.574654842, 1e-8);
    assert_near(stats_student(0.975, 17.776), 2.10282131038, 1e-9);
    assert_near(stats_student(0.995, 0.5), 4113.9645888, 1e-4);
}

static void with_many_degrees_of_freedom_it_approaches_the_normal(void **state)
{
    (void)state;
    static const double normal[][2] = {{0.75, 0.674489750196}, {0.9, 1.28155156554},
                                       {0.95, 1.64485362695},  {0.975, 1.95996398454},
                                       {0.99, 2.32634787404},  {0.995, 2.57582930355},
                                       {0.9995, 3.29052673149}};
    for (size_t i = 0; i < LENGTH(normal); i++) {
        double q = normal[i][0], z = normal[i][1];
        for (double df = 1e4; df <= 1e8; df *= 10) {
            double correction = (z * z * z + z) / (4 * df);  // the next term of the expansion
            assert_near(stats_student(q, df), z + correction, 1e-6);
        }
    }
}

static void the_distribution_is_symmetric(void **state)
{
    (void)state;
    assert_near(stats_student(0.5, 3), 0, 1e-12);
    for (double df = 1; df < 100; df *= 3)
        assert_near(stats_student(0.025, df), -stats_student(0.975, df), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_match_the_published_table),
        cmocka_unit_test(with_few_degrees_of_freedom_quantiles_match_closed_forms),
        cmocka_unit_test(degrees_of_freedom_need_not_be_whole),
        cmocka_unit_test(with_many_degrees_of_freedom_it_approaches_the_normal),
        cmocka_unit_test(the_distribution_is_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
