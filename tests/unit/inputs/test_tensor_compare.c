#include "inputs/tensors/tensor_compare.h"

#include <stdlib.h>

#include "inputs/tensors/dtype.h"
#include "unit.h"

static int64_t length_1[] = {4};

static DLTensor vector(const char *type, void *data)
{
    return (DLTensor){.data = data,
                      .device = {kDLCPU, 0},
                      .ndim = 1,
                      .dtype = dtype_find(type)->type,
                      .shape = length_1};
}

static struct bilanx_tensor_difference between(const char *type, void *actual, void *expected,
                                               struct bilanx_tolerance tolerance)
{
    DLTensor first = vector(type, actual), second = vector(type, expected);
    struct bilanx_tensor_difference difference;
    assert_ok(tensor_compare(&first, &second, &tolerance, &difference));
    return difference;
}

static void equal_tensors_are_close(void **state)
{
    (void)state;
    float data[] = {1, -2, 3, 0};
    struct bilanx_tensor_difference difference =
        between("f32", data, data, (struct bilanx_tolerance){.exact = true});
    assert_true(difference.is_close && difference.elements == 4 && difference.unequal == 0);
    assert_true(difference.max_absolute == 0 && difference.max_relative == 0);
    assert_near(difference.cosine, 1, 1e-15);
}

static void the_largest_errors_are_found(void **state)
{
    (void)state;
    double actual[] = {1, 10.5, 3.25, 7}, expected[] = {1, 10, 3, 7};
    struct bilanx_tensor_difference difference =
        between("f64", actual, expected, (struct bilanx_tolerance){0});
    assert_true(!difference.is_close && difference.unequal == 2 && difference.worst == 1);
    assert_true(difference.max_absolute == .5);
    assert_near(difference.max_relative, .25 / 3, 1e-15);
}

static void each_type_has_its_tolerance(void **state)
{
    (void)state;
    float actual[] = {1, 1, 1, 1.000001f}, expected[] = {1, 1, 1, 1};
    assert_true(between("f32", actual, expected, (struct bilanx_tolerance){0}).is_close);
    assert_false(
        between("f32", actual, expected, (struct bilanx_tolerance){.exact = true}).is_close);
    double actual_64[] = {1, 1, 1, 1.000001}, expected_64[] = {1, 1, 1, 1};
    assert_false(between("f64", actual_64, expected_64, (struct bilanx_tolerance){0}).is_close);
    assert_true(between("f64", actual_64, expected_64, (struct bilanx_tolerance){.relative = 1e-5})
                    .is_close);
    assert_true(between("f64", actual_64, expected_64, (struct bilanx_tolerance){.absolute = 1e-5})
                    .is_close);
    int32_t actual_32[] = {1, 2, 3, 1000000}, expected_32[] = {1, 2, 3, 1000001};
    assert_false(between("i32", actual_32, expected_32, (struct bilanx_tolerance){0}).is_close);
}

static void the_coarser_type_decides(void **state)
{
    (void)state;
    uint16_t coarse[] = {0x3F80, 0x3F80, 0x3F80, 0x3F81};  // bf16
    float fine[] = {1, 1, 1, 1};
    DLTensor first = vector("bf16", coarse), second = vector("f32", fine);
    struct bilanx_tensor_difference difference;
    assert_ok(tensor_compare(&first, &second, NULL, &difference));
    assert_true(difference.is_close && difference.max_absolute == 0x1p-7);
}

static void nan_equals_nan_on_request(void **state)
{
    (void)state;
    double actual[] = {NAN, 1, 2, 3}, expected[] = {NAN, 1, 2, 3};
    struct bilanx_tensor_difference difference =
        between("f64", actual, expected, (struct bilanx_tolerance){0});
    assert_true(!difference.is_close && difference.unequal == 1);
    assert_true(difference.max_absolute == INFINITY && difference.worst == 0);
    difference = between("f64", actual, expected, (struct bilanx_tolerance){.equal_nan = true});
    assert_true(difference.is_close && difference.max_absolute == 0);
    assert_near(difference.cosine, 1, 1e-15);
    expected[0] = 0;
    assert_false(
        between("f64", actual, expected, (struct bilanx_tolerance){.equal_nan = true}).is_close);
}

static void infinities_are_equal_or_far_away(void **state)
{
    (void)state;
    double actual[] = {INFINITY, -INFINITY, 1, 2}, expected[] = {INFINITY, -INFINITY, 1, 2};
    assert_true(between("f64", actual, expected, (struct bilanx_tolerance){0}).is_close);
    expected[1] = INFINITY;
    struct bilanx_tensor_difference difference =
        between("f64", actual, expected, (struct bilanx_tolerance){.relative = 1});
    assert_true(!difference.is_close && difference.unequal == 1 && difference.worst == 1);
    expected[1] = 1e308;
    assert_false(
        between("f64", actual, expected, (struct bilanx_tolerance){.relative = 1}).is_close);
}

static void large_integers_are_distinguished(void **state)
{
    (void)state;
    int64_t actual[] = {INT64_MAX, 0, INT64_MIN, 5}, expected[] = {INT64_MAX - 1, 0, INT64_MAX, 5};
    struct bilanx_tensor_difference difference =
        between("i64", actual, expected, (struct bilanx_tolerance){0});
    assert_true(difference.unequal == 2 && difference.max_absolute == 0x1p64);
    expected[2] = INT64_MIN;
    assert_true(between("i64", actual, expected, (struct bilanx_tolerance){0}).max_absolute == 1);
}

static void complex_numbers_are_compared_as_such(void **state)
{
    (void)state;
    float actual[] = {1, 1, 3, 4, 0, 0, 5, 5}, expected[] = {1, 1, 0, 0, 0, 0, 5, 5};
    struct bilanx_tensor_difference difference =
        between("c64", actual, expected, (struct bilanx_tolerance){0});
    assert_true(difference.unequal == 1 && difference.max_absolute == 5 && difference.worst == 1);
    assert_true(difference.max_relative == INFINITY);
}

static void the_cosine_tells_directions(void **state)
{
    (void)state;
    double one[] = {1, 0, 0, 0}, other[] = {0, 1, 0, 0}, minus[] = {-3, 0, 0, 0},
           none[] = {0, 0, 0, 0}, huge[] = {1e200, 0, 0, 0};
    struct bilanx_tolerance tolerance = {0};
    assert_near(between("f64", one, other, tolerance).cosine, 0, 1e-15);
    assert_near(between("f64", one, minus, tolerance).cosine, -1, 1e-15);
    assert_near(between("f64", one, huge, tolerance).cosine, 1, 1e-15);
    assert_near(between("f64", huge, one, tolerance).cosine, 1, 1e-15);
    assert_near(between("f64", huge, huge, tolerance).cosine, 1, 1e-15);
    assert_near(between("f64", none, none, tolerance).cosine, 1, 0);
    assert_near(between("f64", none, one, tolerance).cosine, 0, 0);
}

static void layouts_may_differ(void **state)
{
    (void)state;
    enum { ROWS = 50, COLUMNS = 70 };  // more than a piece
    static float by_row[ROWS * COLUMNS], by_column[ROWS * COLUMNS * 2];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            by_row[i * COLUMNS + j] = by_column[(j * ROWS + i) * 2] = (float)(i * 1000 + j);
    int64_t shape[] = {ROWS, COLUMNS}, strides[] = {2, 2 * ROWS};
    DLTensor first = vector("f32", by_row), second = vector("f32", by_column);
    first.ndim = second.ndim = 2;
    first.shape = second.shape = shape;
    second.strides = strides;
    struct bilanx_tensor_difference difference;
    assert_ok(
        tensor_compare(&first, &second, &(struct bilanx_tolerance){.exact = true}, &difference));
    assert_true(difference.is_close && difference.elements == ROWS * COLUMNS);
    by_column[(30 * ROWS + 40) * 2] += 1;
    assert_ok(tensor_compare(&first, &second, NULL, &difference));
    assert_true(difference.unequal == 1 && difference.worst == 40 * COLUMNS + 30);
}

static void nothing_is_close_to_nothing(void **state)
{
    (void)state;
    int64_t shape[] = {0};
    DLTensor none = vector("f32", NULL);
    none.shape = shape;
    struct bilanx_tensor_difference difference;
    assert_ok(tensor_compare(&none, &none, NULL, &difference));
    assert_true(difference.is_close && difference.elements == 0 && difference.cosine == 1);
}

static void shapes_must_be_equal(void **state)
{
    (void)state;
    float data[6] = {0};
    int64_t one[] = {2, 3}, other[] = {3, 2};
    DLTensor first = vector("f32", data), second = first, scalar = first, complex = first;
    first.ndim = second.ndim = 2;
    first.shape = one;
    second.shape = other;
    scalar.ndim = 0;
    complex.dtype = dtype_find("c64")->type;
    struct bilanx_tensor_difference difference;
    assert_error(tensor_compare(&first, &second, NULL, &difference), BILANX_E_USAGE,
                 "shapes 2x3 and 3x2");
    assert_error(tensor_compare(&first, &scalar, NULL, &difference), BILANX_E_USAGE,
                 "shapes 2x3 and scalar");
    second = vector("f32", data);
    assert_error(tensor_compare(&second, &complex, NULL, &difference), BILANX_E_USAGE,
                 "cannot compare f32 with c64");
}

static double cosine_of(double a, double b, double c, double d)
{
    double actual[] = {a, b, c, d}, expected[] = {3, 4, 0, 0};
    return between("f64", actual, expected, (struct bilanx_tolerance){0}).cosine;
}

// 3 4 0 0 is of length 5.
static void the_cosine_is_that_of_the_angle_between_them(void **state)
{
    (void)state;
    assert_near(cosine_of(4, 3, 0, 0), 24 / 25., 1e-15);
    assert_near(cosine_of(0, 5, 0, 0), 20 / 25., 1e-15);
    assert_near(cosine_of(0, 0, 1, 0), 0, 0);
    assert_near(cosine_of(-30, -40, 0, 0), -1, 1e-15);
    assert_near(cosine_of(1, 2, 2, 4), 11 / 25., 1e-15);
    assert_near(cosine_of(3e300, 4e300, 0, 0), 1, 1e-15);  // no square overflows
    assert_near(cosine_of(0, 0, 0, 0), 0, 0);
    assert_near(cosine_of(3, 4, NAN, 0), 1, 1e-15);  // of the others
    double zero[4] = {0};
    assert_near(between("f64", zero, zero, (struct bilanx_tolerance){0}).cosine, 1, 0);
}

static void every_dimension_must_be_the_same(void **state)
{
    (void)state;
    static double data[24];
    static int64_t shapes[][3] = {{2, 3, 4}, {4, 3, 2}, {2, 4, 3}, {3, 2, 4}, {2, 3, 3}};
    struct bilanx_tensor_difference difference;
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        DLTensor first = vector("f64", data), second = first;
        first.ndim = second.ndim = 3;
        first.shape = shapes[0];
        second.shape = shapes[i];
        struct bilanx_error error = tensor_compare(&first, &second, NULL, &difference);
        assert_int_equal(error.status, i ? BILANX_E_USAGE : BILANX_OK);
        if (i == 1)
            assert_string_equal(error.text, "cannot compare tensors of shapes 2x3x4 and 4x3x2");
    }
    DLTensor scalar = vector("f64", data), line = vector("f64", data);
    scalar.ndim = 0;
    assert_error(tensor_compare(&scalar, &line, NULL, &difference), BILANX_E_USAGE,
                 "shapes scalar and 4");
}

// Tolerances add up: .1 and 1 % of 100 are 1.1.
static void a_tolerance_is_absolute_and_relative(void **state)
{
    (void)state;
    const struct bilanx_tolerance tolerance = {.absolute = .1, .relative = .01};
    double expected[] = {100, -100, 0, 0};
    double near[] = {101.09, -98.91, .099, -.099}, far[] = {101.11, -101.11, .101, -.101};
    assert_int_equal(between("f64", near, expected, tolerance).unequal, 0);
    assert_int_equal(between("f64", far, expected, tolerance).unequal, 4);
    assert_true(isinf(between("f64", far, expected, tolerance).max_relative));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tensors_are_close),
        cmocka_unit_test(the_largest_errors_are_found),
        cmocka_unit_test(each_type_has_its_tolerance),
        cmocka_unit_test(the_coarser_type_decides),
        cmocka_unit_test(nan_equals_nan_on_request),
        cmocka_unit_test(infinities_are_equal_or_far_away),
        cmocka_unit_test(large_integers_are_distinguished),
        cmocka_unit_test(complex_numbers_are_compared_as_such),
        cmocka_unit_test(the_cosine_tells_directions),
        cmocka_unit_test(layouts_may_differ),
        cmocka_unit_test(nothing_is_close_to_nothing),
        cmocka_unit_test(shapes_must_be_equal),
        cmocka_unit_test(the_cosine_is_that_of_the_angle_between_them),
        cmocka_unit_test(every_dimension_must_be_the_same),
        cmocka_unit_test(a_tolerance_is_absolute_and_relative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
