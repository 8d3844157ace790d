#include "inputs/fuzzer/expression.h"

#include "unit.h"

static const char *const names[] = {"k0", "k1", "real", "zero"};
enum { NAMES = LENGTH(names) };

static struct bilanx_error evaluate(const char *text, struct value *out, size_t *fault)
{
    const struct value values[NAMES] = {value_integer(24), value_integer(-7), value_real(0.5),
                                        value_integer(0)};
    AUTO(expression) struct expression expression = {0};
    BILANX_TRY(expression_parse(text, names, NAMES, &expression, fault));
    return expression_evaluate(&expression, values, out);
}

static void is(const char *text, double expected, bool is_real)
{
    struct value value;
    size_t fault;
    struct bilanx_error error = evaluate(text, &value, &fault);
    if (error.status != BILANX_OK)
        fail_msg("%s: %s", text, error.text);
    if (value.number != expected || value.is_real != is_real ||
        (!is_real && (double)value.integer != expected))
        fail_msg("%s is %g (%s), not %g", text, value.number, value.is_real ? "real" : "an integer",
                 expected);
}

static void fails(const char *text, const char *part, size_t at)
{
    struct value value;
    size_t fault = 0;
    struct bilanx_error error = evaluate(text, &value, &fault);
    if (error.status != BILANX_E_INPUT || !strstr(error.text, part) || fault != at)
        fail_msg("'%s': '%s' at %zu, not '%s' at %zu", text, error.text, fault, part, at);
}

static void numbers_and_names_have_values(void **state)
{
    (void)state;
    is("16", 16, false);
    is("64k", 65536, false);
    is("1e6", 1e6, true);
    is(".5", 0.5, true);
    is("1e-3", 1e-3, true);
    is("true", 1, false);
    is("9223372036854775807", 0x1p63, false);
    is(" k0 ", 24, false);
    is("real", 0.5, true);
}

static void arithmetic_is_pythons(void **state)
{
    (void)state;
    is("1 + 2 * 3", 7, false);
    is("(1 + 2) * 3", 9, false);
    is("2 - 3 - 4", -5, false);
    is("7 / 2", 3.5, true);
    is("6 / 2", 3, true);
    is("7 // 2", 3, false);
    is("-7 // 2", -4, false);
    is("7 // -2", -4, false);
    is("-8 // 2", -4, false);
    is("-7 % 3", 2, false);
    is("7 % -3", -2, false);
    is("6 % -3", 0, false);
    is("5.5 % 2", 1.5, true);
    is("-5.5 % 2", 0.5, true);
    is("5.5 // 2", 2, true);
    is("2 ** 10", 1024, false);
    is("2 ** 3 ** 2", 512, false);
    is("-2 ** 2", -4, false);
    is("2 ** -1", 0.5, true);
    is("(-3) ** 3", -27, false);
    is("2 ** 0.5", sqrt(2), true);
    is("0 ** 0", 1, false);
    is("--3", 3, false);
    is("k1 * -1", 7, false);
    is("k0*k1", -168, false);
}

static void integers_that_leave_64_bits_become_real(void **state)
{
    (void)state;
    is("9223372036854775807 + 1", 0x1p63, true);
    is("-9223372036854775807 - 2", -0x1p63, true);
    is("4294967296 * 4294967296", 0x1p64, true);
    is("2 ** 64", 0x1p64, true);
    is("2 ** 62", 0x1p62, false);
    is("-(-9223372036854775807 - 1)", 0x1p63, true);
    is("(-9223372036854775807 - 1) // -1", 0x1p63, true);
    is("(-9223372036854775807 - 1) % -1", 0, false);
}

static void comparisons_may_be_chained(void **state)
{
    (void)state;
    is("16 <= k0 < 64", 1, false);
    is("16 <= k0 < 20", 0, false);
    is("1 < 3 > 2", 1, false);
    is("1 < 2 == 2 != 3 >= 3 <= 4", 1, false);
    is("(3 > 2) > 1", 0, false);  // not chained: 1 > 1
    is("3 > 2 > 1", 1, false);
    is("k0 == 24.0", 1, false);
    is("real < 1", 1, false);
    // Exact beyond the precision of a double.
    is("9007199254740993 == 9007199254740992", 0, false);
}

static void logic_stops_early(void **state)
{
    (void)state;
    is("k0 * k1 <= 1e6 and k0 % 8 == 0", 1, false);
    is("k0 < 3 or k1 < 3", 1, false);
    is("not k0 < 3", 1, false);
    is("not not zero", 0, false);
    is("not zero and zero", 0, false);
    is("1 or 0 and 0", 1, false);
    is("zero == 0 or 1 / zero > 2", 1, false);
    is("zero and 1 / zero", 0, false);
    is("1 < 0 < 1 / zero", 0, false);
    is("3 and 4", 4, false);
    is("0 or 5", 5, false);
}

static void mistakes_have_their_place(void **state)
{
    (void)state;
    fails("", "a number, a parameter or '(' is missing", 0);
    fails("k0 +", "is missing", 4);
    fails("k0 < and 3", "is missing", 5);
    fails("(k0 < 3", "')' is missing", 7);
    fails("k0 < 3)", "unexpected ')'", 6);
    fails("k0 k1", "unexpected 'k1': an operator is missing", 3);
    fails("k0 = 3", "unexpected '=' (use '==')", 3);
    fails("k0 > 1 && k1", "unexpected '&' (use 'and')", 7);
    fails("k0 > 1 || k1", "unexpected '|' (use 'or')", 7);
    fails("k0 ^ 2", "(use '**')", 3);
    fails("k2 > 1", "there is no parameter 'k2' (did you mean 'k0'?)", 0);
    fails("1 < somethingelse", "there is no parameter 'somethingelse'", 4);
    fails("12abc", "'12abc' is not a number", 0);
    fails("1.2.3", "'1.2.3' is not a number", 0);
    fails("99999999999999999999", "is not a number", 0);
    fails("k0 / zero", "division by zero", 9);
    fails("k0 // 0", "division by zero", 7);
    fails("k0 % 0.0", "division by zero", 8);
    fails("0 ** -1", "division by zero", 7);
}

static void depth_and_length_are_limited(void **state)
{
    (void)state;
    char text[EXPRESSION_LONGEST + 100];
    struct value value;
    size_t fault;
    memset(text, '(', sizeof text);
    text[200] = '\0';
    assert_error(evaluate(text, &value, &fault), BILANX_E_INPUT, "nested over 100 deep");
    memset(text, '-', 200);
    assert_error(evaluate(text, &value, &fault), BILANX_E_INPUT, "nested over 100 deep");
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? '+' : '1';
    text[EXPRESSION_LONGEST - 1] = '\0';
    assert_error(evaluate(text, &value, &fault), BILANX_E_INPUT, "over 1000 numbers");
    text[EXPRESSION_LONGEST - 1] = '1';
    text[EXPRESSION_LONGEST + 1] = '\0';
    assert_error(evaluate(text, &value, &fault), BILANX_E_INPUT, "over 4096 characters");
    text[EXPRESSION_NODES - 1] = '\0';
    assert_ok(evaluate(text, &value, &fault));
    assert_int_equal(value.integer, EXPRESSION_NODES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names_have_values),
        cmocka_unit_test(arithmetic_is_pythons),
        cmocka_unit_test(integers_that_leave_64_bits_become_real),
        cmocka_unit_test(comparisons_may_be_chained),
        cmocka_unit_test(logic_stops_early),
        cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(depth_and_length_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
