#include "inputs/operators/operators.h"
#include "unit.h"

static void views_and_constructors_are_known_by_name(void **state)
{
    (void)state;
    assert_int_equal(operator_role("aten.view.default"), OPERATOR_VIEWS);
    assert_int_equal(operator_role("aten.slice.Tensor"), OPERATOR_VIEWS);
    assert_int_equal(operator_role("aten._unsafe_view.default"), OPERATOR_VIEWS);
    assert_int_equal(operator_role("aten.split.Tensor"), OPERATOR_VIEWS);
    assert_int_equal(operator_role("aten.new_zeros.default"), OPERATOR_CONSTRUCTS);
    assert_int_equal(operator_role("aten.empty_like.default"), OPERATOR_CONSTRUCTS);
    assert_int_equal(operator_role("aten.slice_backward.default"), OPERATOR_COMPUTES);
    assert_int_equal(operator_role("aten.add.Tensor"), OPERATOR_COMPUTES);
    assert_int_equal(operator_role("aten.copy_.default"), OPERATOR_COMPUTES);
    assert_int_equal(operator_role("nonsense"), OPERATOR_COMPUTES);
}

static bool writes(const char *name, const char *arguments)
{
    AUTO(operator_call) struct operator_call call = {0};
    assert_ok(operator_call_parse(name, arguments, NULL, 0, &call));
    return operator_writes_arguments(&call.call);
}

static void names_say_who_writes_to_its_arguments(void **state)
{
    (void)state;
    assert_true(writes("aten.add_.Tensor", "((T([2], f32), 1), {})"));
    assert_true(writes("aten.__iand__.Tensor", "((T([2], b8), T([2], b8)), {})"));
    assert_true(writes("aten.add.out", "((T([2], f32), T([2], f32)), {})"));
    assert_true(writes("aten.add.Tensor", "((T([2], f32), T([2], f32)), {'out': T([2], f32)})"));
    assert_true(writes("aten._index_put_impl_.default", "((T([2], f32), [None], T([], f32)), {})"));
    assert_false(writes("aten.add.Tensor", "((T([2], f32), 1), {})"));
    assert_false(writes("aten.__and__.Tensor", "((T([2], b8), T([2], b8)), {})"));
}

static void a_batch_norm_writes_while_it_trains(void **state)
{
    (void)state;
    static const char name[] = "aten.native_batch_norm.default";
    assert_true(writes(name, "((T([2, 3], f32), None, None, T([3], f32), T([3], f32), True, 0.1,"
                             " 1e-05), {})"));
    assert_false(writes(name, "((T([2, 3], f32), None, None, T([3], f32), T([3], f32), False, 0.1,"
                              " 1e-05), {})"));
    assert_false(writes(name, "((T([2, 3], f32), None, None, None, None, True, 0.1, 1e-05), {})"));
}

static void some_results_cannot_be_compared(void **state)
{
    (void)state;
    assert_true(operator_result_is_undefined("aten.empty.memory_format"));
    assert_true(operator_result_is_undefined("aten.new_empty_strided.default"));
    assert_false(operator_result_is_undefined("aten.zeros.default"));
    assert_true(operator_result_is_random("aten.bernoulli_.float"));
    assert_true(operator_result_is_random("aten.native_dropout.default"));
    assert_false(operator_result_is_random("aten.native_dropout_backward.default"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_and_constructors_are_known_by_name),
        cmocka_unit_test(names_say_who_writes_to_its_arguments),
        cmocka_unit_test(a_batch_norm_writes_while_it_trains),
        cmocka_unit_test(some_results_cannot_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
