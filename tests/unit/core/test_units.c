#include "core/stats/units.h"

#include "unit.h"

static void a_time_has_the_most_readable_unit(void **state)
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

static void the_last_digit_shown_is_the_first_uncertain_one(void **state)
{
    (void)state;
    assert_time(158.32e-6, 0.02e-6, "158.3 us");  // never more than four digits
    assert_time(158.32e-6, 0.3e-6, "158.3 us");
    assert_time(158.32e-6, 3e-6, "158 us");
    assert_time(1.5832e-3, 0.02e-3, "1.58 ms");
    assert_time(1.5832e-3, 0.2e-3, "1.6 ms");
    assert_time(1.5832e-3, 20e-3, "1.6 ms");  // never fewer than two
}

static void a_chosen_unit_that_is_too_large_keeps_the_digits_that_matter(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double seconds, half_width;
        const char *expected;
    } cases[] = {
        {"ms", 1.234e-9, NAN, "0.000001234 ms"},    {"ms", 1.234e-9, 0.02e-9, "0.00000123 ms"},
        {"ms", 0.3e-9, 5e-9, "0.00000030 ms"},      {"s", 1.234e-9, NAN, "0.000000001234 s"},
        {"s", 1.2e-12, NAN, "0.000000000001200 s"}, {"us", 1.234e-9, NAN, "0.001234 us"},
        {"ms", 1.234e-3, 0.02e-3, "1.23 ms"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[UNITS_SIZE];
        struct unit unit = units_named(cases[i].unit, cases[i].seconds);
        assert_string_equal(units_time_in(unit, cases[i].seconds, cases[i].half_width, text),
                            cases[i].expected);
    }
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

static void assert_measured(double value, double half_width, const char *expected)
{
    char text[UNITS_SIZE];
    assert_string_equal(units_measured(value, half_width, text), expected);
}

static void the_half_width_is_in_units_of_the_last_digits(void **state)
{
    (void)state;
    assert_measured(1.2341, 0.005, "1.234(5)");
    assert_measured(1.2341, 0.012, "1.234(12)");  // two digits if it starts with a 1
    assert_measured(1.2341, 0.019, "1.234(19)");
    assert_measured(1.89698, 0.00004, "1.897");  // but no more than four of the value
    assert_measured(1.2341, 0.0012, "1.234(1)");
    assert_measured(1.2341, 0.00196, "1.234(2)");
    assert_measured(1.2341, 0.0099, "1.234(10)");
    assert_measured(1.2341, 0.3, "1.2(3)");
    assert_measured(523, 120, "520(120)");
    assert_measured(523, 30, "520(30)");
    assert_measured(523, 3, "523(3)");
    assert_measured(0.5, 0.9, "0.5(9)");
    assert_measured(0, 0.25, "0.0(3)");
    assert_measured(-1.2341, 0.005, "-1.234(5)");
}

static void without_an_interval_there_are_no_brackets(void **state)
{
    (void)state;
    assert_measured(1.2341, NAN, "1.234");
    assert_measured(1.2341, 0, "1.234");
    assert_measured(1.2341, INFINITY, "1.234");
    assert_measured(0, NAN, "0");
    assert_measured(123456789, NAN, "123456789");
    assert_measured(12.5, 1e-300, "12.50");  // the rounding errors of equal times
}

static void numbers_of_any_size_fit(void **state)
{
    (void)state;
    static const double sizes[] = {0,    5e-324, 1e-300, 1e-7,  9.99e-7, 0.5,  1,       999.9999,
                                   1e14, 1e15,   1e16,   1e300, NAN,     -1e9, INFINITY};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t j = 0; j < LENGTH(sizes); j++) {
            char text[3 * UNITS_SIZE];
            memset(text, 'x', sizeof text);
            units_measured(sizes[i], sizes[j], text);
            assert_true(strlen(text) < UNITS_SIZE);
            units_measured_time(sizes[i], sizes[j], text);
            assert_true(strlen(text) < UNITS_SIZE);
            units_measured_rate(sizes[i], sizes[j], "B", text);
            assert_true(strlen(text) < UNITS_SIZE && text[UNITS_SIZE] == 'x');
        }
    assert_measured(1e16, 1e15, "1e+16");
    assert_measured(1.5e-7, 1e-9, "1.5e-07");
}

static void a_measured_quantity_is_followed_by_its_unit(void **state)
{
    (void)state;
    char text[UNITS_SIZE];
    assert_string_equal(units_measured_time(1.2341e-6, 5e-9, text), "1.234(5) us");
    assert_string_equal(units_measured_time(0.3e-9, 2e-12, text), "0.300(2) ns");
    assert_string_equal(units_measured_time(3e-13, 2e-15, text), "0.000300(2) ns");
    assert_string_equal(units_measured_time(150, NAN, text), "2.500 min");
    assert_string_equal(units_measured_rate(39.42e9, 0.3e9, "B", text), "39.4(3) GB/s");
    assert_string_equal(units_measured_rate(1.2e6, NAN, "", text), "1.200 M/s");
    assert_string_equal(units_measured_size(2883584, NAN, text), "2.884 MB");
}

static void an_unknown_unit_is_the_one_that_suits(void **state)
{
    (void)state;
    assert_string_equal(units_named(NULL, 5e-6).name, "us");
    assert_string_equal(units_named("fortnight", 5e-3).name, "ms");
    assert_string_equal(units_named("ns", 5).name, "ns");
    assert_near(units_named("ns", 5).size, 1e-9, 0);
    assert_near(units_named("s", 5e-9).size, 1, 0);
}

static void no_time_is_shorter_than_a_thousandth_of_a_nanosecond(void **state)
{
    (void)state;
    assert_time(.9e-12, NAN, "<0.001 ns");
    assert_time(1e-30, 1e-31, "<0.001 ns");
    assert_time(1e-12, NAN, "0.001000 ns");
}

static void a_rate_has_at_most_six_decimals(void **state)
{
    (void)state;
    char text[UNITS_SIZE];
    assert_string_equal(units_rate(.000123456, "", text), "0.000123 /s");
    assert_string_equal(units_rate(.0000123456, "", text), "0.000012 /s");
    assert_string_equal(units_measured(.0000123456, NAN, text), "0.000012");
}

static void a_percentage_changes_its_digits_at_10_and_at_a_tenth(void **state)
{
    (void)state;
    char text[UNITS_SIZE];
    assert_string_equal(units_percent(.1, text), "10%");
    assert_string_equal(units_percent(.105, text), "10%");
    assert_string_equal(units_percent(.0994, text), "9.9%");
    assert_string_equal(units_percent(.00096, text), "0.1%");
    assert_string_equal(units_percent(.00094, text), "0.09%");
    assert_string_equal(units_percent(-.0994, text), "-9.9%");
}

static void a_half_width_that_rounds_to_2_has_one_digit(void **state)
{
    (void)state;
    assert_measured(.12341, .00194, "0.1234(19)");
    assert_measured(.12341, .00196, "0.123(2)");
    assert_measured(.5, .0194, "0.500(19)");
    assert_measured(.5, .0196, "0.50(2)");
    assert_measured(5200, 194, "5200(190)");
    assert_measured(5234, 196, "5200(200)");
    assert_measured(-523, 120, "-520(120)");
    assert_measured(-527, 120, "-530(120)");
    assert_measured(.25, 7, "0(7)");
    assert_measured(1e-6, NAN, "0.000001");
    assert_measured(9e14, 2e13, "900000000000000(20000000000000)");
    assert_measured(5, 1e15, "5.000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_has_the_most_readable_unit),
        cmocka_unit_test(a_time_without_an_interval_has_four_figures),
        cmocka_unit_test(the_last_digit_shown_is_the_first_uncertain_one),
        cmocka_unit_test(a_chosen_unit_that_is_too_large_keeps_the_digits_that_matter),
        cmocka_unit_test(a_rate_is_in_powers_of_1000),
        cmocka_unit_test(a_percentage_has_the_digits_that_matter),
        cmocka_unit_test(the_half_width_is_in_units_of_the_last_digits),
        cmocka_unit_test(without_an_interval_there_are_no_brackets),
        cmocka_unit_test(numbers_of_any_size_fit),
        cmocka_unit_test(a_measured_quantity_is_followed_by_its_unit),
        cmocka_unit_test(an_unknown_unit_is_the_one_that_suits),
        cmocka_unit_test(no_time_is_shorter_than_a_thousandth_of_a_nanosecond),
        cmocka_unit_test(a_rate_has_at_most_six_decimals),
        cmocka_unit_test(a_percentage_changes_its_digits_at_10_and_at_a_tenth),
        cmocka_unit_test(a_half_width_that_rounds_to_2_has_one_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
