#include "inputs/operators/operators.h"
#include "unit.h"

static void adapt(const char *arguments, const char *dtype, struct operator_call *out)
{
    assert_ok(operator_call_parse("aten.some.default", arguments, NULL, 0, out));
    assert_ok(operator_call_adapt(out, &(struct operator_options){.dtype = dtype}));
}

static void assert_type(const struct bilanx_value *value, unsigned code, unsigned bits)
{
    assert_int_equal(value->kind, BILANX_TENSOR);
    assert_int_equal(value->tensor->dtype.code, code);
    assert_int_equal(value->tensor->dtype.bits, bits);
}

static void floating_tensors_become_f32_by_default(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    adapt("((T([2], f16), T([2], f64), T([2], i64), T([2], b8), [T([2], bf16)], f16, torch.bool),"
          " {'dtype': torch.float64})",
          NULL, &call);
    const struct bilanx_value *values = call.call.arguments;
    assert_type(&values[0], kDLFloat, 32);
    assert_type(&values[1], kDLFloat, 32);
    assert_type(&values[2], kDLInt, 64);
    assert_type(&values[3], kDLUInt, 8);
    assert_type(&values[4].items[0], kDLFloat, 32);
    assert_string_equal(values[5].text, "f32");
    assert_string_equal(values[6].text, "b8");
    assert_string_equal(call.call.keywords[0].value.text, "f32");
}

static void statistics_of_half_precision_stay_single(void **state)
{
    (void)state;
    static const char mixed[] = "((T([2], f16), T([2], f32), f16), {})";
    AUTO(operator_call) struct operator_call half = {0};
    AUTO(operator_call) struct operator_call brain = {0};
    AUTO(operator_call) struct operator_call whole = {0};
    AUTO(operator_call) struct operator_call single = {0};
    adapt(mixed, "f16", &half);
    assert_type(&half.call.arguments[0], kDLFloat, 16);
    assert_type(&half.call.arguments[1], kDLFloat, 32);
    adapt(mixed, "bf16", &brain);
    assert_type(&brain.call.arguments[0], kDLBfloat, 16);
    assert_type(&brain.call.arguments[1], kDLFloat, 32);
    assert_string_equal(brain.call.arguments[2].text, "bf16");
    adapt(mixed, "f64", &whole);
    assert_type(&whole.call.arguments[0], kDLFloat, 64);
    assert_type(&whole.call.arguments[1], kDLFloat, 64);
    adapt("((T([2], f32), T([2], f32)), {})", "f16", &single);
    assert_type(&single.call.arguments[1], kDLFloat, 16);
}

static void complex_tensors_stay_complex(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    AUTO(operator_call) struct operator_call wide = {0};
    adapt("((T([2], c32), T([2], c64)), {})", NULL, &call);
    assert_type(&call.call.arguments[0], kDLComplex, 64);
    adapt("((T([2], c64), T([2], f32)), {})", "f64", &wide);
    assert_type(&wide.call.arguments[0], kDLComplex, 128);
    assert_type(&wide.call.arguments[1], kDLFloat, 64);
}

static void everything_moves_to_the_processor(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    adapt("((T([2], f16), 'mean', 'cuda:0'), {'device': 'cuda', 'pin_memory': True})", NULL, &call);
    assert_string_equal(call.call.arguments[1].text, "mean");
    assert_string_equal(call.call.arguments[2].text, "cpu");
    assert_string_equal(call.call.keywords[0].value.text, "cpu");
    assert_int_equal(call.call.keywords[1].value.kind, BILANX_NONE);
}

static void a_softmax_does_not_widen(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    assert_ok(operator_call_parse("aten._softmax.default", "((T([2], f16), -1, True), {})", NULL, 0,
                                  &call));
    assert_ok(operator_call_adapt(&call, &(struct operator_options){0}));
    assert_int_equal(call.call.arguments[2].integer, false);
}

static void channels_last_is_for_four_dimensions(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    assert_ok(operator_call_parse(
        "aten.some.default", "((T([2, 3, 5, 7], f16), T([2, 3, 5], f16)), {})", NULL, 0, &call));
    assert_ok(operator_call_adapt(&call, &(struct operator_options){.channels_last = true}));
    const int64_t *strides = call.call.arguments[0].tensor->strides;
    assert_true(strides[0] == 105 && strides[1] == 1 && strides[2] == 21 && strides[3] == 3);
    assert_int_equal(call.call.arguments[1].tensor->strides[1], 5);
}

static void bytes_are_those_that_memory_holds(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    AUTO(operator_call) struct operator_call huge = {0};
    assert_ok(operator_call_parse(
        "aten.some.default",
        "((T([10], f32), T([10, 10], f16, stride=(0, 1)), T([3], i64, stride=(5,)), T([0, 9], f32),"
        " [T([], b8)], ST([50, 50], f32, torch.sparse_coo, True, 10)), {'out': T([2], f64)})",
        NULL, 0, &call));
    assert_int_equal(operator_bytes(&call.call), 40 + 20 + 88 + 0 + 1 + 200 + 16);
    assert_ok(operator_call_parse("aten.some.default",
                                  "((ST([2], f32, torch.sparse_coo, True, 9223372036854775807),"
                                  " T([2], f32)), {})",
                                  NULL, 0, &huge));
    assert_true(operator_bytes(&huge.call) == UINT64_MAX);
}

static void unsupported_types_are_refused(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    assert_ok(operator_call_parse("aten.some.default", "((T([2], u64),), {})", NULL, 0, &call));
    assert_error(operator_call_adapt(&call, &(struct operator_options){0}), BILANX_E_SKIPPED,
                 "type u64 are not supported");
    assert_error(operator_call_adapt(&call, &(struct operator_options){.dtype = "i64"}),
                 BILANX_E_USAGE, "'i64' is none of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floating_tensors_become_f32_by_default),
        cmocka_unit_test(statistics_of_half_precision_stay_single),
        cmocka_unit_test(complex_tensors_stay_complex),
        cmocka_unit_test(everything_moves_to_the_processor),
        cmocka_unit_test(a_softmax_does_not_widen),
        cmocka_unit_test(channels_last_is_for_four_dimensions),
        cmocka_unit_test(bytes_are_those_that_memory_holds),
        cmocka_unit_test(unsupported_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
