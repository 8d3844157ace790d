#include "results/bundle/entry_names.h"

#include "base/mem.h"
#include "unit.h"

static void assert_name(const char *name, const char *expected)
{
    AUTO(memory) char *actual = entry_name(name);
    assert_string_equal(actual, expected);
}

static void a_name_stays_readable(void **state)
{
    (void)state;
    assert_name("parse", "parse");
    assert_name("sum(a, 1000)", "sum-a-1000");
    assert_name("copy/64 kB", "copy-64-kB");
    assert_name("v1.2_x=3+4", "v1.2_x=3+4");
    assert_name("größe 大小", "größe-大小");
    assert_name("\"quoted\" 'twice'", "quoted-twice");
}

static void nothing_leaves_the_folder_or_means_something_to_a_shell(void **state)
{
    (void)state;
    assert_name("../../etc/passwd", "etc-passwd");
    assert_name("..", "case");
    assert_name("", "case");
    assert_name("a/../b", "a-b");
    assert_name("a..b", "a.b");
    assert_name("C:\\x\\y", "C-x-y");
    assert_name("-rf *", "rf");
    assert_name("$(id) `id` | & ; < > # % ?", "id-id");
    assert_name(".hidden.", "hidden");
    assert_name("<script>alert(1)</script>", "script-alert-1-script");
}

static void invisible_characters_are_left_out(void **state)
{
    (void)state;
    assert_name("a\tb\nc\033[31md\177", "a-b-c-31md");
    assert_name("a\xE2\x80\xAE"
                "b",
                "a-b");  // reverses the following text
    assert_name("a\xE2\x80\x8B"
                "b",
                "a-b");                    // has no width
    assert_name("a\xFF\xC0\x80z", "a-z");  // not UTF-8
}

static void a_long_name_is_cut_between_characters(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'x', sizeof name);
    name[300] = '\0';
    AUTO(memory) char *cut = entry_name(name);
    assert_int_equal(strlen(cut), ENTRY_NAME_LONGEST);
    for (size_t i = 0; i < 300; i += 3)
        memcpy(name + i, "大", 3);
    AUTO(memory) char *wide = entry_name(name);
    assert_int_equal(strlen(wide), ENTRY_NAME_LONGEST / 3 * 3);
}

static void assert_added(struct entry_names *names, const char *name, const char *expected)
{
    AUTO(memory) char *actual = entry_names_add(names, name);
    assert_string_equal(actual, expected);
}

static void names_differ_even_without_regard_to_case(void **state)
{
    (void)state;
    struct entry_names names = {0};
    assert_added(&names, "a-b", "a-b");
    assert_added(&names, "a-b", "a-b-2");
    assert_added(&names, "A-B", "A-B-3");
    assert_added(&names, "a-b-2", "a-b-2-2");
    assert_added(&names, "c", "c");
    entry_names_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_stays_readable),
        cmocka_unit_test(nothing_leaves_the_folder_or_means_something_to_a_shell),
        cmocka_unit_test(invisible_characters_are_left_out),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
        cmocka_unit_test(names_differ_even_without_regard_to_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
