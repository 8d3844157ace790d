#include "core/stats/elementary.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "unit.h"

enum { DRAWS = 1000000, MOST_ULP = 2 };

// The number of doubles between two.
static uint64_t distance(double a, double b)
{
    int64_t left, right;
    memcpy(&left, &a, sizeof a);
    memcpy(&right, &b, sizeof b);
    // Negative numbers count downwards from minus zero.
    left = left < 0 ? INT64_MIN - left : left;
    right = right < 0 ? INT64_MIN - right : right;
    return left > right ? (uint64_t)left - (uint64_t)right : (uint64_t)right - (uint64_t)left;
}

static void assert_close(const char *name, double x, double actual, double expected)
{
    if (distance(actual, expected) > MOST_ULP)
        fail_msg("%s(%a) is %a, not %a", name, x, actual, expected);
}

#define assert_like_libm(ours, theirs, x)              \
    do {                                               \
        double x_ = (x);                               \
        assert_close(#ours, x_, ours(x_), theirs(x_)); \
    } while (0)

static double positive(struct random *random)  // every exponent is equally likely
{
    uint64_t bits;
    do
        bits = random_bits(random) >> 1;
    while (bits == 0 || bits >= 0x7FF0000000000000u);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void ln_agrees_with_libm(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    for (int i = 0; i < DRAWS / 2; i++) {
        assert_like_libm(ln, log, positive(&random));
        assert_like_libm(ln, log, 0.5 + 1.5 * random_unit(&random));
    }
    static const double edges[] = {1,       2,       0.5,       10,        M_E,  M_SQRT2, M_SQRT1_2,
                                   DBL_MIN, DBL_MAX, 0x1p-1074, 0x1p-1023, 1e-9, 1e300};
    for (size_t i = 0; i < LENGTH(edges); i++) {
        assert_like_libm(ln, log, edges[i]);
        assert_like_libm(ln, log, nextafter(edges[i], 1));
    }
    for (double step = DBL_EPSILON; step < 0.5; step *= 2) {
        assert_like_libm(ln, log, 1 + step);
        assert_like_libm(ln, log, 1 - step / 2);
    }
    assert_true(ln(1) == 0);
}

static void exponential_agrees_with_libm(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 2);
    for (int i = 0; i < DRAWS / 2; i++) {
        assert_like_libm(exponential, exp, 1416 * random_unit(&random) - 708);
        assert_like_libm(exponential, exp, 2 * random_unit(&random) - 1);
    }
    static const double edges[] = {0, 1, M_LN2, M_LN2 / 2, 1e-300, 1e-16, 707.999, 708, 0x1p-1074};
    for (size_t i = 0; i < LENGTH(edges); i++) {
        assert_like_libm(exponential, exp, edges[i]);
        assert_like_libm(exponential, exp, -edges[i]);
    }
    assert_true(exponential(0) == 1);
}

static void overflow_is_infinite_and_underflow_is_zero(void **state)
{
    (void)state;
    static const double beyond[] = {708.5, 750, 1000, 8776, 1e10, 1e300, INFINITY};
    for (size_t i = 0; i < LENGTH(beyond); i++) {
        assert_true(exponential(beyond[i]) == INFINITY);
        assert_true(exponential(-beyond[i]) == 0);
    }
    assert_true(exponential(nextafter(708, INFINITY)) == INFINITY);
    assert_true(exponential(-nextafter(708, INFINITY)) == 0);
}

static void square_root_agrees_with_libm(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 3);
    for (int i = 0; i < DRAWS; i++) {
        double x = positive(&random);
        assert_true(square_root(x) == sqrt(x));
    }
    assert_true(square_root(0) == 0);
}

// The decimal exponent according to printf, which is exact.
static int printed_exponent(double x)
{
    char digits[1100];
    snprintf(digits, sizeof digits, "%.800e", x);
    return atoi(strchr(digits, 'e') + 1);
}

static void assert_exponent(double x)
{
    if (floor_log10(x) != printed_exponent(x))
        fail_msg("floor_log10(%.17g) is %d", x, floor_log10(x));
}

static void floor_log10_is_the_exponent_that_printf_prints(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 4);
    for (int i = 0; i < DRAWS / 50; i++) {
        double x = positive(&random);
        assert_exponent(x < DBL_MIN ? 1 : x);
    }
    for (int exponent = -22; exponent <= 22; exponent++) {  // 10^22 is the largest exact power
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        double power = strtod(text, NULL);
        assert_int_equal(floor_log10(power), exponent);
        assert_int_equal(floor_log10(nextafter(power, 0)), exponent - 1);
        assert_int_equal(floor_log10(nextafter(power, INFINITY)), exponent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ln_agrees_with_libm),
        cmocka_unit_test(exponential_agrees_with_libm),
        cmocka_unit_test(overflow_is_infinite_and_underflow_is_zero),
        cmocka_unit_test(square_root_agrees_with_libm),
        cmocka_unit_test(floor_log10_is_the_exponent_that_printf_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
