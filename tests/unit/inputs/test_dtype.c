#include "inputs/tensors/dtype.h"

#include <stdlib.h>

#include "base/random.h"
#include "unit.h"

static void a_type_is_found_by_its_name_and_by_what_dlpack_calls_it(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++) {
        assert_ptr_equal(dtype_find(dtype->name), dtype);
        assert_ptr_equal(dtype_of(dtype->type, dtype->is_bool), dtype);
        assert_int_equal(dtype->size, dtype->type.bits / 8);
        assert_non_null(strstr(dtype_names(), dtype->name));
    }
    assert_null(dtype_find("f128"));
    assert_null(dtype_find(""));
    assert_null(dtype_of((DLDataType){kDLFloat, 32, 4}, false));
    assert_null(dtype_of((DLDataType){kDLFloat, 32, 1}, true));
}

static void the_bool_of_newer_dlpack_is_bool(void **state)
{
    (void)state;
    assert_ptr_equal(dtype_of((DLDataType){6, 8, 1}, false), dtype_find("bool"));
}

static double widened(const char *name, uint16_t half)
{
    double value;
    dtype_find(name)->widen(&half, 1, &value);
    return value;
}

static uint16_t narrowed(const char *name, double value)
{
    uint16_t half;
    dtype_find(name)->narrow(&value, 1, &half);
    return half;
}

static void known_halves(void **state)
{
    (void)state;
    assert_true(widened("f16", 0x3C00) == 1 && widened("f16", 0xC000) == -2);
    assert_true(widened("f16", 0x7BFF) == 65504 && widened("f16", 0x0001) == 0x1p-24);
    assert_true(widened("f16", 0xFC00) == -INFINITY && isnan(widened("f16", 0x7E00)));
    assert_true(widened("bf16", 0x3F80) == 1 && widened("bf16", 0x7F7F) == 0x1.fep127);
    assert_true(widened("bf16", 0x0001) == 0x1p-133 && isnan(widened("bf16", 0x7FC0)));
    assert_int_equal(narrowed("f16", 65519.99), 0x7BFF);
    assert_int_equal(narrowed("f16", 65520), 0x7C00);
    assert_int_equal(narrowed("f16", -1e300), 0xFC00);
    assert_int_equal(narrowed("f16", 0x1p-25), 0);  // halfway, and 0 is even
    assert_int_equal(narrowed("f16", 0x1.000001p-25), 1);
    assert_int_equal(narrowed("f16", -0.0), 0x8000);
    assert_int_equal(narrowed("bf16", 1 + 0x1p-8), 0x3F80);
    assert_int_equal(narrowed("bf16", 1 + 3 * 0x1p-8), 0x3F82);
    assert_int_equal(narrowed("bf16", 1e39), 0x7F80);
}

// Every half stays itself, and a number between two neighbours becomes the nearer one.
static void assert_nearest(const char *name, uint16_t infinity)
{
    for (uint16_t half = 0; half < infinity; half++) {
        double value = widened(name, half), next = widened(name, half + 1);
        if (half + 1 == infinity)
            next = value + (value - widened(name, half - 1));
        double middle = (value + next) / 2;
        assert_int_equal(narrowed(name, value), half);
        assert_int_equal(narrowed(name, -value), half | 0x8000);
        assert_int_equal(narrowed(name, nextafter(middle, value)), half);
        assert_int_equal(narrowed(name, nextafter(middle, next)), half + 1);
        assert_int_equal(narrowed(name, middle), half % 2 ? half + 1 : half);
    }
}

static void halves_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    assert_nearest("f16", 0x7C00);
    assert_nearest("bf16", 0x7F80);
    assert_true(isnan(widened("f16", narrowed("f16", NAN))));
    assert_true(isnan(widened("bf16", narrowed("bf16", -NAN))));
}

static void integers_are_widened(void **state)
{
    (void)state;
    double value;
    dtype_find("i8")->widen((int8_t[]){-128}, 1, &value);
    assert_true(value == -128);
    dtype_find("u8")->widen((uint8_t[]){255}, 1, &value);
    assert_true(value == 255);
    dtype_find("i64")->widen((int64_t[]){INT64_MIN}, 1, &value);
    assert_true(value == -0x1p63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_is_found_by_its_name_and_by_what_dlpack_calls_it),
        cmocka_unit_test(the_bool_of_newer_dlpack_is_bool),
        cmocka_unit_test(known_halves),
        cmocka_unit_test(halves_are_rounded_to_the_nearest),
        cmocka_unit_test(integers_are_widened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
