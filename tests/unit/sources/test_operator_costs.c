#include "sources/operator_worker/operator_costs.h"

#include <stdio.h>

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

static void the_factor_that_counts_depends_on_the_operator(void **state)
{
    (void)state;
    static const char *const first[] = {"mm", "bmm", "matmul", "mv", "dot", "linear"};
    static const char *const second[] = {"addmm", "baddbmm", "addmv", "_addmm_activation"};
    double flops, bytes;
    for (size_t i = 0; i < LENGTH(first); i++) {
        char name[64];
        snprintf(name, sizeof name, "aten.%s.default", first[i]);
        costs(name, "((T([4, 5], f32), T([7, 9], f32)), {})", 1, (int64_t[]){3}, &flops, &bytes);
        assert_float_equal(flops, 2 * 3 * 5, 0);
    }
    for (size_t i = 0; i < LENGTH(second); i++) {
        char name[64];
        snprintf(name, sizeof name, "aten.%s.default", second[i]);
        costs(name, "((T([4, 5], f32), T([7, 9], f32)), {})", 1, (int64_t[]){3}, &flops, &bytes);
        assert_float_equal(flops, 2 * 3 * 9, 0);
    }
    costs("aten.mmm.default", "((T([4, 5], f32),), {})", 1, (int64_t[]){3}, &flops, &bytes);
    assert_float_equal(flops, 20, 0);  // not a product
    costs("aten.mm.default", "((1.5,), {})", 1, (int64_t[]){3}, &flops, &bytes);
    assert_float_equal(flops, 0, 0);
}

static void a_transposed_convolution_works_on_its_input(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.convolution.default",
          "((T([2, 3, 8, 8], f32), T([3, 4, 5, 5], f32), None, [1, 1], [1, 1], [1, 1], True, [0, "
          "0], 1), {})",
          4, (int64_t[]){2, 4, 10, 10}, &flops, &bytes);
    assert_float_equal(flops, 2.0 * (2 * 3 * 8 * 8) * (4 * 5 * 5), 0);
}

static void each_wanted_gradient_of_a_convolution_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *mask;
        double gradients;
    } masks[] = {{"[True, True, False]", 2},
                 {"[True, False, True]", 1},
                 {"[False, True, True]", 1},
                 {"[False, False, True]", 0},
                 {"None", 2}};
    for (size_t i = 0; i < LENGTH(masks); i++) {
        char arguments[256];
        double flops, bytes;
        snprintf(arguments, sizeof arguments,
                 "((T([2, 4, 8, 8], f32), T([2, 3, 8, 8], f32), T([4, 3, 3, 3], f32), %s), {})",
                 masks[i].mask);
        costs("aten.convolution_backward.default", arguments, 1, (int64_t[]){1}, &flops, &bytes);
        assert_float_equal(flops, masks[i].gradients * 2 * (2 * 4 * 8 * 8) * (3 * 3 * 3), 0);
    }
}

static void other_operators_count_their_largest_tensor(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.sum.default", "((T([4, 5], f32), T([30], f32)), {})", 1, (int64_t[]){1}, &flops,
          &bytes);
    assert_float_equal(flops, 30, 0);
    costs("aten.expand.default", "((T([4], f32),), {})", 1, (int64_t[]){77}, &flops, &bytes);
    assert_float_equal(flops, 77, 0);
    costs("aten.gather.default", "((T([4000], f32), 0, T([3], i64)), {})", 1, (int64_t[]){3},
          &flops, &bytes);
    assert_float_equal(flops, 3, 0);  // the table is not computed with
}

static void every_argument_is_read_also_in_lists_and_keywords(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.cat.default", "(([T([4], f32), T([5], f64)], 0), {'out': T([9], i8)})", 1,
          (int64_t[]){9}, &flops, &bytes);
    assert_float_equal(bytes, 4 * 4 + 5 * 8 + 9 + 9 * 4, 0);
}

static void backward_lookups_do_not_read_what_they_do_not_need(void **state)
{
    (void)state;
    double flops, bytes;
    costs("aten.nll_loss_backward.default", "((T([], f32), T([64, 10], f32), T([64], i64)), {})", 2,
          (int64_t[]){64, 10}, &flops, &bytes);
    assert_float_equal(bytes, 64 * 8 + 64 * 10 * 4, 0);
    costs("aten.select_backward.default", "((T([8], f32), [4, 8], 0, 1), {})", 2, (int64_t[]){4, 8},
          &flops, &bytes);
    assert_float_equal(bytes, 8 * 4 + 4 * 8 * 4, 0);
}

static void a_call_without_arguments_costs_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"mm", "addmm", "convolution", "convolution_backward"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        char name[64];
        double flops, bytes;
        snprintf(name, sizeof name, "aten.%s.default", names[i]);
        costs(name, "((), {})", 1, (int64_t[]){3}, &flops, &bytes);
        assert_float_equal(flops, 0, 0);
        assert_float_equal(bytes, 12, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_two_operations_per_term),
        cmocka_unit_test(convolutions_count_the_weights_of_a_filter),
        cmocka_unit_test(pointwise_operators_count_elements),
        cmocka_unit_test(gaps_and_repeated_elements_are_not_read),
        cmocka_unit_test(a_lookup_reads_what_it_returns),
        cmocka_unit_test(the_factor_that_counts_depends_on_the_operator),
        cmocka_unit_test(a_transposed_convolution_works_on_its_input),
        cmocka_unit_test(each_wanted_gradient_of_a_convolution_is_one),
        cmocka_unit_test(other_operators_count_their_largest_tensor),
        cmocka_unit_test(every_argument_is_read_also_in_lists_and_keywords),
        cmocka_unit_test(backward_lookups_do_not_read_what_they_do_not_need),
        cmocka_unit_test(a_call_without_arguments_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
