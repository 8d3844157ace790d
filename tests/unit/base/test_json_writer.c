#include "base/json_writer.h"

#include "unit.h"

static void members_and_elements_are_separated_by_commas(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    writer_key_text(&json, "kind", "measurement");
    writer_key(&json, "times");
    writer_open(&json, '[');
    writer_number(&json, 0.25);
    writer_number(&json, 3);
    writer_close(&json, ']');
    writer_key(&json, "empty");
    writer_open(&json, '{');
    writer_close(&json, '}');
    writer_key_number(&json, "half", 0.5);
    writer_key_count(&json, "count", UINT64_MAX);
    writer_key(&json, "nested");
    writer_open(&json, '[');
    for (int i = 0; i < 2; i++) {
        writer_open(&json, '[');
        writer_bool(&json, i == 0);
        writer_count(&json, 7);
        writer_close(&json, ']');
    }
    writer_close(&json, ']');
    writer_close(&json, '}');
    assert_string_equal(text_get(&out),
                        "{\"kind\":\"measurement\",\"times\":[0.25,3],\"empty\":{},\"half\":0.5,"
                        "\"count\":18446744073709551615,\"nested\":[[true,7],[false,7]]}");
}

static void assert_quoted(const char *text, const char *expected)
{
    AUTO(text) struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_text(&json, text);
    assert_string_equal(text_get(&out), expected);
    text_clear(&out);
    json = (struct json_writer){.out = &out};
    writer_key(&json, text);
    assert_memory_equal(text_get(&out), expected, strlen(expected));
    assert_string_equal(text_get(&out) + strlen(expected), ":");
}

static void text_is_escaped_onto_one_line(void **state)
{
    (void)state;
    assert_quoted("", "\"\"");
    assert_quoted("say \"hi\" \\ now", "\"say \\\"hi\\\" \\\\ now\"");
    assert_quoted("two\nlines", "\"two\\nlines\"");
    assert_quoted("\t\r\033\x01", "\"\\u0009\\u000d\\u001b\\u0001\"");
    assert_quoted("é€漢😀 /", "\"é€漢😀 /\"");
}

static void broken_utf8_becomes_the_replacement_character(void **state)
{
    (void)state;
    assert_quoted("a\xFFz", "\"a\uFFFDz\"");
    assert_quoted("\xE2\x82", "\"\uFFFD\uFFFD\"");
    assert_quoted("\xC3\"", "\"\uFFFD\\\"\"");
    assert_quoted("\xED\xA0\x80", "\"\uFFFD\uFFFD\uFFFD\"");
}

static void numbers_that_are_not_finite_become_null(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '[');
    writer_number(&json, NAN);
    writer_number(&json, INFINITY);
    writer_number(&json, -INFINITY);
    writer_number(&json, -1e-9);
    writer_close(&json, ']');
    assert_string_equal(text_get(&out), "[null,null,null,-1e-09]");
}

static void existing_json_is_merged_in(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    writer_members(&json, "{}");
    writer_members(&json, "{\"a\":1,\"b\":[2]}");
    writer_members(&json, "{}");
    writer_key(&json, "c");
    writer_raw(&json, "{\"d\":null}");
    writer_members(&json, "{\"e\":2}");
    writer_close(&json, '}');
    assert_string_equal(text_get(&out), "{\"a\":1,\"b\":[2],\"c\":{\"d\":null},\"e\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_elements_are_separated_by_commas),
        cmocka_unit_test(text_is_escaped_onto_one_line),
        cmocka_unit_test(broken_utf8_becomes_the_replacement_character),
        cmocka_unit_test(numbers_that_are_not_finite_become_null),
        cmocka_unit_test(existing_json_is_merged_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
