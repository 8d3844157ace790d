#include <locale.h>

#include "base/text.h"
#include "unit.h"

static size_t decode(const char *bytes, uint32_t *code)
{
    return text_character((const unsigned char *)bytes, code);
}

static void a_character_is_decoded_with_its_size(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t code;
    } cases[] = {
        {"A", 1, 'A'},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t code = 0;
        assert_int_equal(decode(cases[i].bytes, &code), cases[i].size);
        assert_int_equal(code, cases[i].code);
        assert_int_equal(decode(cases[i].bytes, NULL), cases[i].size);
    }
}

static void invalid_utf8_is_rejected(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\x80",              // a continuation without a start
        "\xC3",              // torn
        "\xE2\x82",          // torn
        "\xF0\x9F\x98",      // torn
        "\xC3(",             // not a continuation
        "\xC0\x80",          // overlong
        "\xE0\x9F\xBF",      // overlong
        "\xF0\x8F\xBF\xBF",  // overlong
        "\xED\xA0\x80",      // a surrogate
        "\xED\xBF\xBF",      // a surrogate
        "\xF4\x90\x80\x80",  // beyond Unicode
        "\xF8\x88\x80\x80\x80",
        "\xFF",
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t code = 42;
        assert_int_equal(decode(cases[i], &code), 0);
        assert_int_equal(code, 42);
    }
}

static void assert_shown(const char *added, const char *expected)
{
    AUTO(text) struct text text = {0};
    text_add_harmless(&text, added);
    assert_string_equal(text_get(&text), expected);
}

static void terminal_control_characters_are_escaped(void **state)
{
    (void)state;
    assert_shown("\033[2J", "\\x1b[2J");
    assert_shown("a\rb\bc\x7F", "a\\x0db\\x08c\\x7f");
    assert_shown("two\nlines\tand a tab", "two\\nlines\\tand a tab");
    assert_shown("\xC2\x9B"
                 "31m",
                 "\\u009b31m");  // CSI as one C1 character
}

static void bidirectional_and_invisible_characters_are_escaped(void **state)
{
    (void)state;
    assert_shown("\u202Egnp", "\\u202egnp");
    assert_shown("\u2066\u2069\u200E\u200F\u061C", "\\u2066\\u2069\\u200e\\u200f\\u061c");
    assert_shown("a\u200Bb\u2060\uFEFF", "a\\u200bb\\u2060\\ufeff");  // invisible blanks
    assert_shown("\u2028\u2029", "\\u2028\\u2029");
}

static void invalid_bytes_are_escaped_one_by_one(void **state)
{
    (void)state;
    assert_shown("a\xFF\xC3z", "a\\xff\\xc3z");
    assert_shown("\xE2\x82", "\\xe2\\x82");
}

static void other_text_is_left_as_it_is(void **state)
{
    (void)state;
    assert_shown("", "");
    assert_shown("memcpy(a, b, n); // ~é€漢😀\\", "memcpy(a, b, n); // ~é€漢😀\\");
}

static void width_is_counted_in_terminal_columns(void **state)
{
    (void)state;
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("plain"), 5);
    assert_int_equal(text_width("é€µ"), 3);
    assert_int_equal(text_width("漢字"), 4);
    assert_int_equal(text_width("e\u0301"), 1);  // a combining accent
    assert_int_equal(text_width("😀"), 2);
    assert_int_equal(text_width("a\xFF"
                                "b"),
                     3);
}

static void width_needs_no_locale_and_changes_none(void **state)
{
    (void)state;
    assert_string_equal(setlocale(LC_CTYPE, NULL), "C");
    assert_int_equal(text_width("漢"), 2);
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    assert_string_equal(setlocale(LC_CTYPE, NULL), "C");
}

static void assert_shortened(const char *text, size_t width, const char *expected)
{
    AUTO(text) struct text out = {0};
    text_add_shortened(&out, text, width);
    assert_string_equal(text_get(&out), expected);
    assert_true(text_width(text_get(&out)) <= width);
}

static void text_that_is_too_long_loses_its_middle(void **state)
{
    (void)state;
    assert_shortened("abcdef", 6, "abcdef");
    assert_shortened("abcdefg", 6, "ab…efg");
    assert_shortened("abcdefg", 5, "ab…fg");
    assert_shortened("abcdefg", 2, "…g");
    assert_shortened("abcdefg", 1, "…");
    assert_shortened("abcdefg", 0, "");
    assert_shortened("", 0, "");
    assert_shortened("漢字漢字", 8, "漢字漢字");
    assert_shortened("漢字漢字", 7, "漢…字");  // half a character does not fit
    assert_shortened("漢字漢字", 4, "…字");
    assert_shortened("ae\u0301be\u0301ce\u0301d", 7, "ae\u0301be\u0301ce\u0301d");
    assert_shortened("ae\u0301be\u0301ce\u0301d", 5, "ae\u0301…e\u0301d");
    assert_shortened("\xFF\xFF\xFF\xFF", 3, "\xFF…\xFF");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_character_is_decoded_with_its_size),
        cmocka_unit_test(invalid_utf8_is_rejected),
        cmocka_unit_test(terminal_control_characters_are_escaped),
        cmocka_unit_test(bidirectional_and_invisible_characters_are_escaped),
        cmocka_unit_test(invalid_bytes_are_escaped_one_by_one),
        cmocka_unit_test(other_text_is_left_as_it_is),
        cmocka_unit_test(width_is_counted_in_terminal_columns),
        cmocka_unit_test(width_needs_no_locale_and_changes_none),
        cmocka_unit_test(text_that_is_too_long_loses_its_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
