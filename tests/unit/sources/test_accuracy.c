#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/temporary.h"
#include "sources/operator_worker/kept_results.h"
#include "unit.h"

static const DLDataType F32 = {kDLFloat, 32, 1}, F64 = {kDLFloat, 64, 1}, F16 = {kDLFloat, 16, 1},
                        I64 = {kDLInt, 64, 1}, BF16 = {kDLBfloat, 16, 1};

static struct bilanx_value vector(DLTensor *tensor, float *data, int64_t *count)
{
    *tensor = (DLTensor){.data = data, .dtype = F32, .ndim = 1, .shape = count};
    return (struct bilanx_value){.kind = BILANX_TENSOR, .tensor = tensor};
}

static struct accuracy compare(const char *name, float *actual, float *expected, int64_t count)
{
    AUTO(kept_results) struct kept_results a = {0};
    AUTO(kept_results) struct kept_results b = {0};
    DLTensor a_tensor, b_tensor;
    struct bilanx_value a_value = vector(&a_tensor, actual, &count);
    struct bilanx_value b_value = vector(&b_tensor, expected, &count);
    struct accuracy accuracy;
    assert_ok(kept_results_take(&a_value, &a));
    assert_ok(kept_results_take(&b_value, &b));
    assert_ok(accuracy_check(name, &a, &b, &accuracy));
    return accuracy;
}

static void the_tolerance_depends_on_operator_and_type(void **state)
{
    (void)state;
    assert_float_equal(accuracy_tolerance("aten.add.Tensor", F32), 1e-5, 0);
    assert_float_equal(accuracy_tolerance("aten.mm.default", F32), 1e-4, 0);
    assert_float_equal(accuracy_tolerance("aten.sum.dim_IntList", F32), 1e-4, 0);
    assert_float_equal(accuracy_tolerance("aten._softmax.default", F32), 1e-4, 0);
    assert_float_equal(accuracy_tolerance("aten.add.Tensor", F16), 1e-2, 0);
    assert_float_equal(accuracy_tolerance("aten.mm.default", BF16), 1e-2, 0);
    assert_float_equal(accuracy_tolerance("aten.argmax.default", I64), 0, 0);
    assert_true(accuracy_tolerance("aten.add.Tensor", F64) < 1e-5);
}

static void a_difference_beyond_the_tolerance_is_wrong(void **state)
{
    (void)state;
    float expected[] = {1, 2, 3}, near[] = {1, 2.00001f, 3}, far[] = {1, 2.001f, 3};
    struct accuracy accuracy = compare("aten.add.Tensor", near, expected, 3);
    assert_true(accuracy.agrees);
    assert_true(accuracy.error > 0 && accuracy.error < 2e-5);
    accuracy = compare("aten.add.Tensor", far, expected, 3);
    assert_false(accuracy.agrees);
    assert_float_equal(accuracy.error, 1e-3, 1e-5);
    assert_string_equal(accuracy.text, "1 of 3 elements differ, by up to 0.001");
}

static void sums_are_judged_by_the_magnitude_of_the_tensor(void **state)
{
    (void)state;
    float expected[] = {1000, -1000, 0.001f}, sums[] = {1000, -1000, 0.03f};
    assert_true(compare("aten.mm.default", sums, expected, 3).agrees);
    assert_false(compare("aten.mul.Tensor", sums, expected, 3).agrees);
}

static void nan_agrees_with_nan_only(void **state)
{
    (void)state;
    float expected[] = {NAN, 1}, same[] = {NAN, 1}, other[] = {0, 1};
    assert_true(compare("aten.log.default", same, expected, 2).agrees);
    assert_false(compare("aten.log.default", other, expected, 2).agrees);
}

static void another_shape_or_number_of_results_is_wrong(void **state)
{
    (void)state;
    float data[] = {1, 2, 3, 4};
    int64_t shapes[] = {4, 2};
    DLTensor tensors[2];
    struct bilanx_value values[] = {vector(&tensors[0], data, &shapes[0]),
                                    vector(&tensors[1], data, &shapes[1])};
    struct bilanx_value both = {.kind = BILANX_TUPLE, .items = values, .count = 2};
    AUTO(kept_results) struct kept_results one = {0}, other = {0}, two = {0};
    struct accuracy accuracy;
    assert_ok(kept_results_take(&values[0], &one));
    assert_ok(kept_results_take(&values[1], &other));
    assert_ok(kept_results_take(&both, &two));
    assert_ok(accuracy_check("aten.relu.default", &one, &other, &accuracy));
    assert_string_equal(accuracy.text, "its shape is [4], not [2]");
    assert_ok(accuracy_check("aten.relu.default", &one, &two, &accuracy));
    assert_string_equal(accuracy.text, "it returned 1 tensors, not 2");
    assert_false(accuracy.agrees);
}

static void results_are_copied_in_logical_order(void **state)
{
    (void)state;
    float data[] = {1, 2, 3, 4, 5, 6};
    DLTensor tensor = {.data = data,
                       .dtype = F32,
                       .ndim = 2,
                       .shape = (int64_t[]){3, 2},
                       .strides = (int64_t[]){1, 3}};
    struct bilanx_value value = {.kind = BILANX_TENSOR, .tensor = &tensor};
    AUTO(kept_results) struct kept_results kept = {0};
    assert_ok(kept_results_take(&value, &kept));
    data[0] = 100;  // a copy does not change
    const float expected[] = {1, 4, 2, 5, 3, 6};
    assert_memory_equal(kept.tensors[0].tensor.data, expected, sizeof expected);
    assert_int_equal(kept_results_bytes(&kept), sizeof expected);
}

static void results_survive_a_file(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/expected", folder.path);
    float data[] = {1, 2, 3};
    int64_t count = 3;
    DLTensor tensor;
    struct bilanx_value items[] = {vector(&tensor, data, &count),
                                   {.kind = BILANX_REAL, .real = 2.5}};
    struct bilanx_value value = {.kind = BILANX_LIST, .items = items, .count = 2};
    AUTO(kept_results) struct kept_results kept = {0}, again = {0}, cut = {0};
    struct accuracy accuracy;
    assert_ok(kept_results_take(&value, &kept));
    assert_ok(kept_results_save(&kept, path));
    assert_ok(kept_results_load(path, &again));
    assert_ok(accuracy_check("aten.relu.default", &again, &kept, &accuracy));
    assert_true(accuracy.agrees);
    assert_int_equal(truncate(path, 20), 0);
    assert_int_equal(kept_results_load(path, &cut).status, BILANX_E_INPUT);
}

// On large or tiny data, with the baseline's results in f64; NULL: it has none.
static bool agrees_far(const char *name, float *actual, float *expected, double *exact)
{
    AUTO(kept_results) struct kept_results a = {0}, b = {0}, c = {0};
    int64_t count = 2;
    DLTensor a_tensor, b_tensor,
        c_tensor = {.data = exact, .dtype = F64, .ndim = 1, .shape = &count};
    struct bilanx_value a_value = vector(&a_tensor, actual, &count);
    struct bilanx_value b_value = vector(&b_tensor, expected, &count);
    struct bilanx_value c_value = {.kind = BILANX_TENSOR, .tensor = &c_tensor};
    struct accuracy accuracy;
    assert_ok(kept_results_take(&a_value, &a));
    assert_ok(kept_results_take(&b_value, &b));
    if (exact)
        assert_ok(kept_results_take(&c_value, &c));
    assert_ok(accuracy_check_far(name, &a, &b, &c, &accuracy));
    return accuracy.agrees;
}

static void where_the_baseline_is_right_others_must_be(void **state)
{
    (void)state;
    float right[] = {2.6e20f, 1}, overflowed[] = {INFINITY, 1};
    double exact[] = {2.6e20, 1};
    assert_true(agrees_far("aten.std.dim", right, right, exact));
    assert_false(agrees_far("aten.std.dim", overflowed, right, exact));
    assert_false(agrees_far("aten.std.dim", overflowed, right, NULL));
}

static void where_the_baseline_is_not_right_nothing_is_compared(void **state)
{
    (void)state;
    float right[] = {5e20f, 1}, overflowed[] = {INFINITY, 1}, wrong[] = {5e20f, 2};
    double exact[] = {5e20, 1};
    assert_true(agrees_far("aten.norm.Scalar", right, overflowed, exact));
    assert_true(agrees_far("aten.norm.Scalar", overflowed, overflowed, exact));
    assert_false(agrees_far("aten.add.Tensor", wrong, overflowed, exact));
    assert_false(agrees_far("aten.norm.Scalar", right, overflowed, NULL));
}

static void tiny_results_are_not_all_zero(void **state)
{
    (void)state;
    float right[] = {3e-25f, 4e-25f}, zeros[] = {0, 0};
    assert_false(agrees_far("aten.std.dim", zeros, right, NULL));
    assert_true(compare("aten.std.dim", zeros, right, 2).agrees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tolerance_depends_on_operator_and_type),
        cmocka_unit_test(a_difference_beyond_the_tolerance_is_wrong),
        cmocka_unit_test(sums_are_judged_by_the_magnitude_of_the_tensor),
        cmocka_unit_test(nan_agrees_with_nan_only),
        cmocka_unit_test(another_shape_or_number_of_results_is_wrong),
        cmocka_unit_test(results_are_copied_in_logical_order),
        cmocka_unit_test(results_survive_a_file),
        cmocka_unit_test(where_the_baseline_is_right_others_must_be),
        cmocka_unit_test(where_the_baseline_is_not_right_nothing_is_compared),
        cmocka_unit_test(tiny_results_are_not_all_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
