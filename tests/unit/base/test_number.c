#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/scope.h"
#include "unit.h"

static void assert_shortest(double value, const char *expected)
{
    char text[NUMBER_SIZE];
    assert_string_equal(number_shortest(value, text), expected);
}

static void a_number_is_written_with_the_fewest_digits(void **state)
{
    (void)state;
    assert_shortest(0, "0");
    assert_shortest(1, "1");
    assert_shortest(-12, "-12");
    assert_shortest(0.1, "0.1");
    assert_shortest(1.5e-9, "1.5e-09");
    assert_shortest(-0.0, "-0.0");
    assert_shortest(0.1 + 0.2, "0.30000000000000004");
    assert_shortest(1.0 / 3, "0.3333333333333333");
    assert_shortest(123456789012345, "123456789012345");
    assert_shortest(1e15, "1e+15");
    assert_shortest(DBL_MAX, "1.7976931348623157e+308");
    assert_shortest(DBL_MIN, "2.2250738585072014e-308");
    assert_shortest(0x1p-1074, "5e-324");
}

static double any_finite(struct random *random)
{
    for (;;) {
        uint64_t bits = random_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

static void any_number_reads_back_as_itself(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    for (int i = 0; i < 200000; i++) {
        // Half of them arbitrary doubles, half with few digits, like times.
        double value = i % 2 ? any_finite(&random) : (double)random_below(&random, 100000) / 1e9;
        char text[NUMBER_SIZE], shorter[400];
        double back;
        assert_true(number_read(number_shortest(value, text), &back));
        assert_memory_equal(&back, &value, sizeof value);
        int digits = 0;
        for (const char *at = text; *at && *at != 'e'; at++)
            digits += *at >= '0' && *at <= '9';
        if (i % 2 && digits > 1) {
            snprintf(shorter, sizeof shorter, "%.*g", digits - 1, value);
            assert_true(strtod(shorter, NULL) != value || strlen(shorter) >= strlen(text));
        }
    }
}

static void assert_reads(const char *text, double expected)
{
    double value = -1;
    assert_true(number_read(text, &value));
    assert_true(value == expected);
}

static void decimals_are_read(void **state)
{
    (void)state;
    assert_reads("0", 0);
    assert_reads("+1", 1);
    assert_reads("-2.50", -2.5);
    assert_reads(".5", 0.5);
    assert_reads("1e3", 1000);
    assert_reads("1.5E-3", 0.0015);
}

static void text_that_is_not_entirely_a_number_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[] = {"",    " 1",  "1 ",    "x",     "1x",  "1e",   "e1",
                                        "--1", "1,5", "1.5.2", "nan",   "inf", "0x1",  "1e+",
                                        "-",   ".",   "1-2",   "1e999", "s",   "1e5.5"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double value = 42;
        assert_false(number_read(cases[i], &value));
        assert_true(value == 42);
    }
    char endless[200];
    memset(endless, '1', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    double value;
    assert_false(number_read(endless, &value));
}

static void counts_may_have_binary_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t count;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"64k", 65536},
        {"64K", 65536},
        {"1M", 1 << 20},
        {"2G", 2ull << 30},
        {"3T", 3ull << 40},
        {"18446744073709551615", UINT64_MAX},
        {"16777215T", 16777215ull << 40},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t count = 42;
        assert_true(number_read_count(cases[i].text, &count));
        assert_true(count == cases[i].count);
    }
}

static void an_invalid_count_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[] = {"",         "-1",  "+1", " 1",
                                        "1.5",      "1e3", "k",  "1m",
                                        "64kB",     "1P",  "1 ", "18446744073709551616",
                                        "16777216T"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t count = 42;
        assert_false(number_read_count(cases[i], &count));
        assert_int_equal(count, 42);
    }
}

static void times_may_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"1.5", 1.5},  {"1.5s", 1.5},  {"200ms", 0.2}, {"50us", 50e-6}, {"10ns", 10e-9},
        {"2min", 120}, {"0.5h", 1800}, {"0", 0},       {"1e-3s", 1e-3}, {"1e1ms", 0.01},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double seconds = 42;
        assert_true(number_read_seconds(cases[i].text, &seconds));
        assert_near(seconds, cases[i].seconds, 1e-15 * cases[i].seconds);
    }
}

static void an_invalid_time_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[] = {"",   "s",   "-1",  "-1ms",   "1 s",   "1sec",
                                        "1m", "1ks", "1sx", "1e308h", "infmin"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double seconds = 42;
        assert_false(number_read_seconds(cases[i], &seconds));
        assert_true(seconds == 42);
    }
}

// Creates a locale with a decimal comma, as few machines have one installed.
static bool enter_comma_locale(char *directory)
{
    if (!mkdtemp(directory))
        return false;
    AUTO(memory) char *command = mem_format(
        "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\n"
        "END LC_NUMERIC\\n' >%s/source && localedef --no-archive -c -i %s/source %s/comma"
        " >%s/log 2>&1; test -f %s/comma/LC_NUMERIC",
        directory, directory, directory, directory, directory);
    setenv("LOCPATH", directory, 1);
    return system(command) == 0 && setlocale(LC_NUMERIC, "comma");
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    char directory[] = "/tmp/bilanx-locale-XXXXXX";
    bool entered = enter_comma_locale(directory);
    AUTO(memory) char *command = mem_format("rm -r '%s'", directory);
    assert_int_equal(system(command), 0);
    assert_true(entered);
    char text[NUMBER_SIZE];
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5");
    assert_shortest(1.5, "1.5");
    assert_reads("1.5", 1.5);
    double value;
    assert_false(number_read("1,5", &value));
    assert_true(number_read_seconds("1.5ms", &value));
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_written_with_the_fewest_digits),
        cmocka_unit_test(any_number_reads_back_as_itself),
        cmocka_unit_test(decimals_are_read),
        cmocka_unit_test(text_that_is_not_entirely_a_number_is_rejected),
        cmocka_unit_test(counts_may_have_binary_suffixes),
        cmocka_unit_test(an_invalid_count_is_rejected),
        cmocka_unit_test(times_may_have_units),
        cmocka_unit_test(an_invalid_time_is_rejected),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
