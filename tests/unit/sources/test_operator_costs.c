#include "sources/operator_worker/operator_costs.h"

#include "inputs/operators/operators.h"
#include "unit.h"

// Shape of the result, after those of the arguments in the text.
static void costs(const char *name, const char *arguments, int ndim, int64_t *shape, double *flops,
                  double *bytes)
{
    AUTO(operator_call) struct operator_call call = {0};
    DLTensor result = {.dtype = {kDLFloat, 32, 1}, .ndim = ndim, .shape = shape};
    struct kept_tensor kept = {.tensor = result};
    struct kept_results results = {.tensors = &kept, .count = 1};
    assert_ok(operator_call_parse(name, arguments, NULL, 0, &call));
    *flops = operator_flops(&call.call, &results);
    *bytes = operator_traffic(&call.call, &results);
}

static void products_are_two_operations_per_term(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.mm.default", "((T([4, 5], f32), T([5, 6], f32)), {})", 2, (int64_t[]){4, 6}, &flops,
          &bytes);
    assert_float_equal(flops, 2 * 4 * 5 * 6, 0);
    assert_float_equal(bytes, 4 * (4 * 5 + 5 * 6 + 4 * 6), 0);
    costs("aten.addmm.default", "((T([6], f32), T([4, 5], f32), T([5, 6], f32)), {})", 2,
          (int64_t[]){4, 6}, &flops, &bytes);
    assert_float_equal(flops, 2 * 4 * 5 * 6, 0);
}

static void convolutions_count_the_weights_of_a_filter(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.convolution.default",
          "((T([2, 3, 8, 8], f32), T([4, 3, 3, 3], f32), None, [1, 1], [1, 1], [1, 1], False, [0, "
          "0], 1), {})",
          4, (int64_t[]){2, 4, 8, 8}, &flops, &bytes);
    assert_float_equal(flops, 2.0 * (2 * 4 * 8 * 8) * (3 * 3 * 3), 0);
}

static void pointwise_operators_count_elements(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.relu.default", "((T([4, 5], f32),), {})", 2, (int64_t[]){4, 5}, &flops, &bytes);
    assert_float_equal(flops, 20, 0);
    assert_float_equal(bytes, 160, 0);
}

static void gaps_and_repeated_elements_are_not_read(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.relu.default", "((T([4, 5], f32, stride=(1000, 1)),), {})", 2, (int64_t[]){4, 5},
          &flops, &bytes);
    assert_float_equal(bytes, 160, 0);
    costs("aten.relu.default", "((T([4, 5], f32, stride=(0, 1)),), {})", 2, (int64_t[]){4, 5},
          &flops, &bytes);
    assert_float_equal(bytes, 20 + 80, 0);
}

static void a_lookup_reads_what_it_returns(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.embedding.default", "((T([1000, 8], f32), T([2], i64)), {})", 2, (int64_t[]){2, 8},
          &flops, &bytes);
    assert_float_equal(bytes, 2 * 8 + 2 * (2 * 8 * 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_two_operations_per_term),
        cmocka_unit_test(convolutions_count_the_weights_of_a_filter),
        cmocka_unit_test(pointwise_operators_count_elements),
        cmocka_unit_test(gaps_and_repeated_elements_are_not_read),
        cmocka_unit_test(a_lookup_reads_what_it_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
