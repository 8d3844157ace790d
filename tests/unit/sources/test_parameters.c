#include "sources/commands/parameters.h"

#include <stdio.h>

#include "unit.h"

// The values of the last parameter, separated by bars.
static const char *values_of(const struct parameters *parameters)
{
    static char line[512];
    const struct list *values = &parameters->items[parameters->count - 1].values;
    line[0] = '\0';
    for (size_t i = 0; i < values->count; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i ? "|" : "",
                 values->items[i]);
    return line;
}

static void a_scan_includes_both_ends(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "n", "1", "4", "1"));
    assert_string_equal(values_of(&parameters), "1|2|3|4");
    assert_ok(parameters_add_scan(&parameters, "odd", "1", "8", "3"));
    assert_string_equal(values_of(&parameters), "1|4|7");
    assert_ok(parameters_add_scan(&parameters, "one", "-5", "-5", "1"));
    assert_string_equal(values_of(&parameters), "-5");
}

static void decimals_stay_exact(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "delay", "0.3", "0.7", "0.2"));
    assert_string_equal(values_of(&parameters), "0.3|0.5|0.7");
    assert_ok(parameters_add_scan(&parameters, "x", "-0.1", "0.1", ".05"));
    assert_string_equal(values_of(&parameters), "-0.10|-0.05|0.00|0.05|0.10");
    double number;
    assert_true(parameter_number(&parameters.items[1], "0.10", &number));
    assert_near(number, 0.1, 0);
}

static void an_invalid_scan_is_rejected(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_error(parameters_add_scan(&parameters, "n", "5", "1", "1"), BILANX_E_USAGE,
                 "goes from 5 down to 1");
    assert_error(parameters_add_scan(&parameters, "n", "1", "5", "0"), BILANX_E_USAGE, "above 0");
    assert_error(parameters_add_scan(&parameters, "n", "1", "5", "-1"), BILANX_E_USAGE, "above 0");
    assert_error(parameters_add_scan(&parameters, "n", "a", "5", "1"), BILANX_E_USAGE, "not 'a'");
    assert_error(parameters_add_scan(&parameters, "n", "1", "1e3", "1"), BILANX_E_USAGE, "'1e3'");
    assert_error(parameters_add_scan(&parameters, "n", "", "5", "1"), BILANX_E_USAGE, "not ''");
    assert_error(parameters_add_scan(&parameters, "n", ".", "5", "1"), BILANX_E_USAGE, "not '.'");
    assert_error(parameters_add_scan(&parameters, "n", "0", "10000", "1"), BILANX_E_USAGE,
                 "more than 10000 values");
    assert_error(parameters_add_scan(&parameters, "n", "-999999999999999", "999999999999999", "1"),
                 BILANX_E_USAGE, "more than 10000 values");
    assert_error(parameters_add_scan(&parameters, "n", "999999999999999", "1000000000000000", "1"),
                 BILANX_E_USAGE, "decimal numbers");
    assert_error(parameters_add_scan(&parameters, "n", "0", "999999999999999", ".00000000000001"),
                 BILANX_E_USAGE, "too many digits");
    assert_int_equal(parameters.count, 0);
}

static void a_list_is_split_at_commas(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_list(&parameters, "file", "a,b b,c"));
    assert_string_equal(values_of(&parameters), "a|b b|c");
    assert_ok(parameters_add_list(&parameters, "option", ",-v"));
    assert_string_equal(values_of(&parameters), "|-v");
    assert_ok(parameters_add_list(&parameters, "comma", "a\\,b,c\\d"));
    assert_string_equal(values_of(&parameters), "a,b|c\\d");
}

static void names_must_be_unique_and_without_braces(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_list(&parameters, "n", "1"));
    assert_error(parameters_add_list(&parameters, "n", "2"), BILANX_E_USAGE, "'n' is given twice");
    assert_error(parameters_add_list(&parameters, "", "2"), BILANX_E_USAGE, "cannot be the name");
    assert_error(parameters_add_list(&parameters, "{a}", "2"), BILANX_E_USAGE, "cannot be");
}

static void every_combination_of_used_parameters_occurs_once(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "n", "1", "2", "1"));
    assert_ok(parameters_add_list(&parameters, "unused", "x,y"));
    assert_ok(parameters_add_list(&parameters, "f", "a,b"));
    size_t indices[3] = {0};
    struct combination values = {&parameters, (const bool[]){true, false, true}, indices};
    char line[64] = "";
    do {
        AUTO(memory) char *filled = combination_fill(&values, "{n}{f} ");
        strcat(line, filled);
    } while (combination_next(&values));
    assert_string_equal(line, "1a 1b 2a 2b ");
}

static void only_whole_names_are_substituted_and_only_once(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_list(&parameters, "n", "{m}"));
    assert_ok(parameters_add_list(&parameters, "m", "$(rm)"));
    size_t indices[2] = {0};
    struct combination values = {&parameters, (const bool[]){true, true}, indices};
    AUTO(memory) char *filled = combination_fill(&values, "{n}{{m}} {} {x} {nn} n {n");
    assert_string_equal(filled, "{m}{$(rm)} {} {x} {nn} n {n");
    assert_null(combination_fill(&values, NULL));
    assert_true(parameter_occurs(&parameters.items[0], "a{n}"));
    assert_false(parameter_occurs(&parameters.items[0], "{nn} n {n"));
    assert_false(parameter_occurs(&parameters.items[0], NULL));
}

static void a_value_that_is_not_a_canonical_number_is_text(void **state)
{
    (void)state;
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_list(&parameters, "v", "x"));
    double number;
    assert_true(parameter_number(&parameters.items[0], "0.5", &number));
    assert_near(number, 0.5, 0);
    assert_true(parameter_number(&parameters.items[0], "-64", &number));
    assert_false(parameter_number(&parameters.items[0], "1.10", &number));
    assert_false(parameter_number(&parameters.items[0], "007", &number));
    assert_false(parameter_number(&parameters.items[0], "gcc", &number));
    assert_false(parameter_number(&parameters.items[0], "", &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_includes_both_ends),
        cmocka_unit_test(decimals_stay_exact),
        cmocka_unit_test(an_invalid_scan_is_rejected),
        cmocka_unit_test(a_list_is_split_at_commas),
        cmocka_unit_test(names_must_be_unique_and_without_braces),
        cmocka_unit_test(every_combination_of_used_parameters_occurs_once),
        cmocka_unit_test(only_whole_names_are_substituted_and_only_once),
        cmocka_unit_test(a_value_that_is_not_a_canonical_number_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
