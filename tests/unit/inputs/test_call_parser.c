#include "base/mem.h"
#include "inputs/operators/operators.h"
#include "unit.h"

static void parse(const char *arguments, struct operator_call *out)
{
    assert_ok(operator_call_parse("aten.some.default", arguments, NULL, 0, out));
}

static void assert_refused(const char *arguments, const char *expected)
{
    struct operator_call call = {0};
    assert_error(operator_call_parse("aten.some.default", arguments, "a.txt", 7, &call),
                 BILANX_E_INPUT, expected);
    assert_null(call.storage);
}

static void a_call_has_arguments_and_keywords(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((T([2, 3], f16), 1.5, [1, -2], True, None), {'dim': 1, 'keepdim': False})", &call);
    const struct bilanx_value *values = call.call.arguments;
    assert_string_equal(call.call.name, "aten.some.default");
    assert_int_equal(call.call.argument_count, 5);
    assert_true(values[0].kind == BILANX_TENSOR && values[0].tensor->data == NULL);
    assert_true(values[0].tensor->ndim == 2 && values[0].tensor->shape[1] == 3);
    assert_true(values[0].tensor->dtype.code == kDLFloat && values[0].tensor->dtype.bits == 16);
    assert_true(values[1].kind == BILANX_REAL && values[1].real == 1.5);
    assert_true(values[2].kind == BILANX_LIST && values[2].count == 2);
    assert_true(values[2].items[1].kind == BILANX_INTEGER && values[2].items[1].integer == -2);
    assert_true(values[3].kind == BILANX_TRUTH && values[3].integer == 1);
    assert_true(values[4].kind == BILANX_NONE);
    assert_int_equal(call.call.keyword_count, 2);
    assert_string_equal(call.call.keywords[1].name, "keepdim");
    assert_true(call.call.keywords[1].value.kind == BILANX_TRUTH);
}

static void a_call_may_have_no_arguments(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((), {})", &call);
    assert_int_equal(call.call.argument_count + call.call.keyword_count, 0);
}

static void strides_are_those_of_a_contiguous_tensor_unless_given(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((T([2, 0, 3], b8), T([4, 5], i64, stride=(0, 1)), T([], f32), T([7], u8, (3,)),"
          " T([0], f32)), {})",
          &call);
    const struct bilanx_value *values = call.call.arguments;
    assert_true(values[0].is_bool && values[0].tensor->strides[0] == 3);
    assert_true(values[0].tensor->strides[1] == 3 && values[0].tensor->strides[2] == 1);
    assert_true(values[1].tensor->strides[0] == 0 && values[1].tensor->strides[1] == 1);
    assert_int_equal(values[2].tensor->ndim, 0);
    assert_true(!values[3].is_bool && values[3].tensor->strides[0] == 3);
}

static void sparse_tensors_say_how_many_elements_they_have(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((ST([20, 30], f32, torch.sparse_coo, True, 12),"
          " ST([20, 30], f32, torch.sparse_coo, False, nnz=13),"
          " ST([20, 30], f32, torch.sparse_coo, False)), {})",
          &call);
    const struct bilanx_value *values = call.call.arguments;
    assert_true(values[0].sparse->is_coalesced && values[0].sparse->nonzeros == 12);
    assert_true(!values[1].sparse->is_coalesced && values[1].sparse->nonzeros == 13);
    assert_int_equal(values[2].sparse->nonzeros, 6);
    assert_int_equal(values[0].tensor->shape[1], 30);
}

static void numbers_are_those_of_python(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((1e-05, -0.5, 9223372036854775807, -9223372036854775808, inf, -inf, nan, 3.0), {})",
          &call);
    const struct bilanx_value *values = call.call.arguments;
    assert_true(values[0].kind == BILANX_REAL && values[0].real == 1e-5);
    assert_true(values[1].real == -.5);
    assert_true(values[2].kind == BILANX_INTEGER && values[2].integer == INT64_MAX);
    assert_true(values[3].integer == INT64_MIN);
    assert_true(isinf(values[4].real) && values[4].real > 0);
    assert_true(isinf(values[5].real) && values[5].real < 0);
    assert_true(isnan(values[6].real));
    assert_true(values[7].kind == BILANX_REAL && values[7].real == 3);
}

static void types_have_one_name(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((f16, torch.float16, torch.half, torch.bool, torch.strided, torch.channels_last), {})",
          &call);
    static const char *const expected[] = {"f16", "f16",           "f16",
                                           "b8",  "torch.strided", "torch.channels_last"};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(call.call.arguments[i].kind, BILANX_WORD);
        assert_string_equal(call.call.arguments[i].text, expected[i]);
    }
}

static void devices_are_names_however_they_are_written(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("(('cuda', \"torch.device('cuda:1')\", device(type='cuda', index=0), "
          "torch.device('cuda')), {})",
          &call);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(call.call.arguments[i].kind, BILANX_TEXT);
        assert_string_equal(call.call.arguments[i].text, "cuda");
    }
}

static void strings_have_the_escapes_of_python(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("(('a\\'b\\\\\\n', \"it's\", '\\x41\\xc3\\xa9', ''), {})", &call);
    assert_string_equal(call.call.arguments[0].text, "a'b\\\n");
    assert_string_equal(call.call.arguments[1].text, "it's");
    assert_string_equal(call.call.arguments[2].text, "A\xc3\xa9");
    assert_string_equal(call.call.arguments[3].text, "");
}

static void types_that_no_tensor_can_have_here_are_read(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    parse("((T([2], f8e4m3fn), T([2], u64), T([2], c32)), {})", &call);
    assert_int_equal(call.call.argument_count, 3);
}

static void mistakes_say_where_they_are(void **state)
{
    (void)state;
    assert_refused("((T([2, 3], f17),), {})", "a.txt:7:13: unknown type 'f17' (did you mean 'f1");
    assert_refused("((T([2, 3] f16),), {})", "a.txt:7:12: expected ',' before the type");
    assert_refused("((1, Nome), {})", "a.txt:7:6: unknown word 'Nome' (did you mean 'None'?)");
    assert_refused("((T([2], f16, strde=(1,)),), {})", "expected 'stride=(...)', not 'strde'");
    assert_refused("((T([2], f16, stride=(1, 1)),), {})", ":22: 2 strides for 1 dimensions");
    assert_refused("((T([-2], f16),), {})", ":6: a size or a stride cannot be negative");
    assert_refused("((T([2.5], f16),), {})", ":6: expected an integer, not a number");
    assert_refused("((1), {})", ":2: a tuple of one value ends with a comma: (x,)");
    assert_refused("((1,), {}) 3", ":12: expected the end of the line, not a number");
    assert_refused("((1,), {}", ":10: expected ')' at the end of a call, not the end of the line");
    assert_refused("((1,))", ":6: expected ',' between arguments and keywords");
    assert_refused("((1 2), {})", ":5: expected ',' between values, not a number");
    assert_refused("((1,), {'a': 1, 'a': 2})", ":17: the keyword 'a' appears twice");
    assert_refused("((1,), {a: 1})", ":9: expected a keyword in quotes, not 'a'");
    assert_refused("(('a,), {})", ":3: this string does not end");
    assert_refused("(('\\q',), {})", ":4: unknown escape in a string");
    assert_refused("((9223372036854775808,), {})", "has more than 64 bits");
    assert_refused("((1.5.2,), {})", "'1.5.2' is not a number");
    assert_refused("((1j,), {})", "complex numbers are not supported");
    assert_refused("((1e999,), {})", "'1e999' is not a number");
    assert_refused("[1]", ":1: expected '(' before the arguments of a call, not '['");
    assert_refused("", "not the end of the line");
}

static void nothing_is_evaluated(void **state)
{
    (void)state;
    assert_refused("((__import__('os').system('true'),), {})", "unknown word '__import__'");
    assert_refused("((1 + 1,), {})", "expected ',' between values, not '+'");
    assert_refused("((2**70,), {})", "expected ',' between values, not '*'");
    assert_refused("((torch.ops.aten,), {})", "unknown word 'torch.ops.aten'");
    assert_refused("(({1: 2},), {})", "expected a value, not '{'");
}

static void impossible_tensors_are_refused(void **state)
{
    (void)state;
    assert_refused("((T([4294967296, 4294967296], f16),), {})", "larger than any memory");
    assert_refused("((T([3], f16, stride=(9223372036854775807,)),), {})", "larger than any memory");
    assert_refused("((T([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], f16),), {})", "at most 16 dimensions");
    assert_refused("((ST([2], f16, torch.sparse_csr, True, 1),), {})",
                   "the only sparse layout is 'torch.sparse_coo'");
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    AUTO(text) struct text line = {0};
    text_add(&line, "(");
    text_add_repeated(&line, "(", 100000);
    assert_refused(text_get(&line), "nested more than 16 deep");
}

static void without_a_file_a_message_has_the_column(void **state)
{
    (void)state;
    struct operator_call call = {0};
    assert_error(operator_call_parse("aten.some.default", "((x,), {})", NULL, 0, &call),
                 BILANX_E_INPUT, "column 3: unknown word 'x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_arguments_and_keywords),
        cmocka_unit_test(a_call_may_have_no_arguments),
        cmocka_unit_test(strides_are_those_of_a_contiguous_tensor_unless_given),
        cmocka_unit_test(sparse_tensors_say_how_many_elements_they_have),
        cmocka_unit_test(numbers_are_those_of_python),
        cmocka_unit_test(types_have_one_name),
        cmocka_unit_test(devices_are_names_however_they_are_written),
        cmocka_unit_test(strings_have_the_escapes_of_python),
        cmocka_unit_test(types_that_no_tensor_can_have_here_are_read),
        cmocka_unit_test(mistakes_say_where_they_are),
        cmocka_unit_test(nothing_is_evaluated),
        cmocka_unit_test(impossible_tensors_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(without_a_file_a_message_has_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
