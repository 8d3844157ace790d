#include "stats/units.h"

#include "unit.h"

static void a_time_has_the_unit_it_is_read_best_in(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *unit;
    } cases[] = {
        {0, "ns"},     {5e-10, "ns"}, {999e-9, "ns"}, {1e-6, "us"}, {999e-6, "us"}, {1e-3, "ms"},
        {0.999, "ms"}, {1, "s"},      {119, "s"},     {120, "min"}, {1e5, "min"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(units_for_time(cases[i].seconds).name, cases[i].unit);
    assert_near(units_for_time(0.5).size, 1e-3, 0);
    assert_near(units_for_time(600).size, 60, 0);
}

static void assert_time(double seconds, double half_width, const char *expected)
{
    char text[UNITS_SIZE];
    assert_string_equal(units_time(seconds, half_width, text), expected);
}

static void a_time_without_an_interval_has_four_figures(void **state)
{
    (void)state;
    assert_time(1.5832e-9, NAN, "1.583 ns");
    assert_time(15.832e-9, NAN, "15.83 ns");
    assert_time(0.5e-9, NAN, "0.5000 ns");
    assert_time(158.32e-6, NAN, "158.3 us");
    assert_time(2, NAN, "2.000 s");
    assert_time(150, NAN, "2.500 min");
    assert_time(600000, NAN, "10000 min");
    assert_time(0, NAN, "0 ns");
    assert_time(2, 0, "2.000 s");
}

static void the_last_digit_is_the_first_in_doubt(void **state)
{
    (void)state;
    assert_time(158.32e-6, 0.02e-6, "158.3 us");  // never more than four
    assert_time(158.32e-6, 0.3e-6, "158.3 us");
    assert_time(158.32e-6, 3e-6, "158 us");
    assert_time(1.5832e-3, 0.02e-3, "1.58 ms");
    assert_time(1.5832e-3, 0.2e-3, "1.6 ms");
    assert_time(1.5832e-3, 20e-3, "1.6 ms");  // never less than two
}

static void a_rate_is_in_powers_of_1000(void **state)
{
    (void)state;
    static const struct {
        double per_second;
        const char *what, *expected;
    } cases[] = {
        {39.42e9, "B", "39.4 GB/s"}, {1.2e6, "", "1.20 M/s"},     {999, "", "999 /s"},
        {1000, "B", "1.00 kB/s"},    {123.4e12, "B", "123 TB/s"}, {5e16, "B", "50000 TB/s"},
        {0.25, "", "0.250 /s"},      {0, "B", "0 B/s"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[UNITS_SIZE];
        assert_string_equal(units_rate(cases[i].per_second, cases[i].what, text),
                            cases[i].expected);
    }
}

static void a_percentage_has_the_digits_that_matter(void **state)
{
    (void)state;
    static const struct {
        double fraction;
        const char *expected;
    } cases[] = {
        {0.17, "17%"},     {0.012, "1.2%"}, {0.004, "0.4%"}, {0.0004, "0.04%"},
        {-0.012, "-1.2%"}, {-0.3, "-30%"},  {0, "0.00%"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[UNITS_SIZE];
        assert_string_equal(units_percent(cases[i].fraction, text), cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_has_the_unit_it_is_read_best_in),
        cmocka_unit_test(a_time_without_an_interval_has_four_figures),
        cmocka_unit_test(the_last_digit_is_the_first_in_doubt),
        cmocka_unit_test(a_rate_is_in_powers_of_1000),
        cmocka_unit_test(a_percentage_has_the_digits_that_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
