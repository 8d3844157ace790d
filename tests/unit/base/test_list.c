#include "base/list.h"

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

// The words of a line, each in brackets: "[a][b c]".
static char *words_of(const char *line)
{
    AUTO(list) struct list list = {0};
    struct text joined = {0};
    assert_ok(list_split(&list, line));
    for (size_t i = 0; i < list.count; i++)
        text_format(&joined, "[%s]", list.items[i]);
    if (list.count)
        assert_null(list.items[list.count]);
    return text_take(&joined);
}

static void assert_words(const char *line, const char *expected)
{
    AUTO(memory) char *words = words_of(line);
    assert_string_equal(words, expected);
}

static void blanks_separate_words(void **state)
{
    (void)state;
    assert_words("", "");
    assert_words(" \t\r\n ", "");
    assert_words("one", "[one]");
    assert_words("  a\tbc \n d\r", "[a][bc][d]");
}

static void quotes_keep_words_together(void **state)
{
    (void)state;
    assert_words("'a b' \"c d\"", "[a b][c d]");
    assert_words("-DX='\"a b\"'", "[-DX=\"a b\"]");
    assert_words("a'b'\"c\"d", "[abcd]");
    assert_words("\"it's\" 'say \"x\"'", "[it's][say \"x\"]");
}

static void empty_quotes_are_a_word(void **state)
{
    (void)state;
    assert_words("''", "[]");
    assert_words("a \"\" b", "[a][][b]");
    assert_words("''''", "[]");
}

static void a_backslash_escapes_the_next_character(void **state)
{
    (void)state;
    assert_words("a\\ b", "[a b]");
    assert_words("\\'x\\\"", "['x\"]");
    assert_words("\\\\", "[\\]");
    assert_words("\"a\\\"b\"", "[a\"b]");
    assert_words("'a\\b'", "[a\\b]");
}

static void nothing_is_expanded(void **state)
{
    (void)state;
    assert_words("$HOME `x` $(y) *.c ~ ; | & <a >b #c",
                 "[$HOME][`x`][$(y)][*.c][~][;][|][&][<a][>b][#c]");
    assert_words("größe 大小", "[größe][大小]");
}

static void an_unclosed_quote_is_an_error(void **state)
{
    (void)state;
    AUTO(list) struct list list = {0};
    assert_error(list_split(&list, "a 'b c"), BILANX_E_USAGE, "unclosed single quote in 'a 'b c'");
    assert_error(list_split(&list, "\"\\\""), BILANX_E_USAGE, "unclosed double quote");
    assert_error(list_split(&list, "end\\"), BILANX_E_USAGE, "a backslash ends 'end\\'");
    assert_error(list_split_refusing(&list, "a | b", "|"), BILANX_E_USAGE, "needs a shell");
    assert_ok(list_split_refusing(&list, "", "|"));
    assert_int_equal(list.count, 0);  // an error adds nothing
}

static void text_is_split_into_lines(void **state)
{
    (void)state;
    AUTO(list) struct list list = {0};
    list_split_lines(&list, "");
    assert_int_equal(list.count, 0);
    list_split_lines(&list, "one\n\n two \nlast");
    assert_int_equal(list.count, 4);
    assert_string_equal(list.items[0], "one");
    assert_string_equal(list.items[1], "");
    assert_string_equal(list.items[2], " two ");
    assert_string_equal(list.items[3], "last");
    list_split_lines(&list, "more\n");
    assert_int_equal(list.count, 5);
}

static void a_list_ends_in_null_like_an_argv(void **state)
{
    (void)state;
    AUTO(list) struct list list = {0}, copy = {0};
    for (int i = 0; i < 100; i++) {
        list_take(&list, mem_format("%d", i));
        assert_null(list.items[list.count]);
    }
    list_add(&copy, "first");
    list_add_all(&copy, &list);
    assert_int_equal(copy.count, 101);
    assert_string_equal(copy.items[100], "99");
    assert_ptr_not_equal(copy.items[100], list.items[99]);
    assert_null(copy.items[101]);
    list_done(&list);
    assert_null(list.items);
    list_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(quotes_keep_words_together),
        cmocka_unit_test(empty_quotes_are_a_word),
        cmocka_unit_test(a_backslash_escapes_the_next_character),
        cmocka_unit_test(nothing_is_expanded),
        cmocka_unit_test(an_unclosed_quote_is_an_error),
        cmocka_unit_test(text_is_split_into_lines),
        cmocka_unit_test(a_list_ends_in_null_like_an_argv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
