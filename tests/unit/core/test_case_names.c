// The names of cases: short and unique.
#include "core/run/case_names.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "unit.h"

static void check_name(const char *code, const char *wanted)
{
    AUTO(memory) char *name = case_name_of(code);
    assert_string_equal(name, wanted);
}

static void a_name_is_the_first_line(void **state)
{
    (void)state;
    check_name("f(x)", "f(x)");
    check_name("  f(x)\n", "f(x)");
    check_name("f(x);\ng(x)", "f(x);\u2026");
    check_name("", "(empty loop)");
}

static void a_long_name_is_cut_in_the_middle(void **state)
{
    (void)state;
    check_name("copy(a, b, 100); copy(b, c, 100); copy(c, d, 100); copy(d, e, 7)",
               "copy(a, b, 100); copy(b, c, 1\u2026copy(c, d, 100); copy(d, e, 7)");
}

static void a_name_of_characters_without_width_is_cut(void **state)
{
    (void)state;
    AUTO(text) struct text code = {0};
    for (int i = 0; i < 1000; i++)
        text_add(&code, "\u0301");
    AUTO(memory) char *name = case_name_of(text_get(&code));
    assert_int_equal(strlen(name), 400 + strlen("\u2026"));
}

static struct run_case made(const char *name, const char *stmt, const char *sub_label)
{
    return (struct run_case){
        .name = mem_text(name),
        .task = {.stmt = (char *)stmt, .sub_label = (char *)sub_label, .env = (char *)"here"}};
}

static void check_apart(struct run_case *items, size_t count, ...)
{
    struct run_case *cases[8];
    for (size_t i = 0; i < count; i++)
        cases[i] = &items[i];
    case_names_tell_apart(cases, count);
    va_list wanted;
    va_start(wanted, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(items[i].name, va_arg(wanted, const char *));
        free(items[i].name);
    }
    va_end(wanted);
}

static void different_names_stay_as_they_are(void **state)
{
    (void)state;
    struct run_case items[] = {made("a", "f()", "x"), made("b", "f()", "y")};
    check_apart(items, 2, "a", "b");
}

static void equal_names_show_the_first_difference(void **state)
{
    (void)state;
    struct run_case by_stmt[] = {made("a", "f()", "x"), made("b", "h()", "x"),
                                 made("a", "g()", "x")};
    check_apart(by_stmt, 3, "a [f()]", "b", "a [g()]");
    struct run_case by_label[] = {made("a", "f()", NULL), made("a", "g()", "y")};
    check_apart(by_label, 2, "a", "a [y]");
}

static void the_common_beginning_of_long_texts_is_left_out(void **state)
{
    (void)state;
    struct run_case items[] = {made("a", "first(1); second(2); third(3); fourth(4)", NULL),
                               made("a", "first(1); second(2); third(3); fourth(5)", NULL)};
    check_apart(items, 2, "a [\u2026fourth(4)]", "a [\u2026fourth(5)]");
}

static void equal_cases_are_numbered(void **state)
{
    (void)state;
    struct run_case items[] = {made("a", "f()", NULL), made("a", "f()", NULL),
                               made("a", "g()", NULL), made("a", "f()", NULL)};
    check_apart(items, 4, "a [f()]", "a [f()] #2", "a [g()]", "a [f()] #3");
}

static void the_same_case_of_two_programs_keeps_its_name(void **state)
{
    (void)state;
    struct run_case items[] = {made("a", NULL, NULL), made("a", NULL, NULL)};
    items[1].task.env = (char *)"there";
    check_apart(items, 2, "a", "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_the_first_line),
        cmocka_unit_test(a_long_name_is_cut_in_the_middle),
        cmocka_unit_test(a_name_of_characters_without_width_is_cut),
        cmocka_unit_test(different_names_stay_as_they_are),
        cmocka_unit_test(equal_names_show_the_first_difference),
        cmocka_unit_test(the_common_beginning_of_long_texts_is_left_out),
        cmocka_unit_test(equal_cases_are_numbered),
        cmocka_unit_test(the_same_case_of_two_programs_keeps_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
