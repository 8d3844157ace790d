#include "sources/commands/shell_words.h"

#include "unit.h"

static void assert_words(const char *text, const char *const *expected)
{
    AUTO(list) struct list words = {0};
    assert_ok(shell_words_split(text, &words));
    size_t i = 0;
    for (; expected[i]; i++) {
        assert_true(i < words.count);
        assert_string_equal(words.items[i], expected[i]);
    }
    assert_int_equal(words.count, i);
    if (i)
        assert_null(words.items[i]);
}
#define WORDS(text, ...) assert_words(text, (const char *const[]){__VA_ARGS__, NULL})

static void blanks_separate_words(void **state)
{
    (void)state;
    WORDS("a", "a");
    WORDS("  make \t -j4\n all ", "make", "-j4", "all");
    WORDS("", NULL);
    WORDS(" \n", NULL);
}

static void quotes_keep_words_together(void **state)
{
    (void)state;
    WORDS("echo 'a b'", "echo", "a b");
    WORDS("echo \"a b\"", "echo", "a b");
    WORDS("a'b c'd\"e f\"", "ab cde f");
    WORDS("'' \"\" x", "", "", "x");
    WORDS("'\"' \"'\"", "\"", "'");
}

static void backslashes_escape_the_next_character(void **state)
{
    (void)state;
    WORDS("a\\ b \\' \\\" \\\\ \\x", "a b", "'", "\"", "\\", "x");
    WORDS("'a\\nb'", "a\\nb");
    WORDS("\"a\\\"b\\\\c\\$d\\`e\\nf\"", "a\"b\\c$d`e\\nf");
    WORDS("a\\\nb \"c\\\nd\"", "ab", "cd");
}

static void quoted_metacharacters_are_data(void **state)
{
    (void)state;
    WORDS("'|&;<>$`' \"|&;<>\" \\| \\$HOME", "|&;<>$`", "|&;<>", "|", "$HOME");
    WORDS("* ? ~ # ! ( ) [a] {n} \xc3\xa9", "*", "?", "~", "#", "!", "(", ")", "[a]", "{n}",
          "\xc3\xa9");
}

static void commands_that_need_a_shell_are_rejected(void **state)
{
    (void)state;
    const char *const texts[] = {"a | b", "a && b", "a; b", "a <b", "a >b", "echo $HOME", "`a`"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        AUTO(list) struct list words = {0};
        assert_error(shell_words_split(texts[i], &words), BILANX_E_USAGE, "add --shell");
        assert_int_equal(words.count, 0);
    }
}

static void unclosed_quotes_are_rejected(void **state)
{
    (void)state;
    AUTO(list) struct list words = {0};
    assert_error(shell_words_split("echo 'a b", &words), BILANX_E_USAGE,
                 "unclosed single quote in 'echo 'a b'");
    assert_error(shell_words_split("echo \"a\\\"", &words), BILANX_E_USAGE,
                 "unclosed double quote");
    assert_error(shell_words_split("echo a\\", &words), BILANX_E_USAGE, "a backslash ends");
    assert_int_equal(words.count, 0);
}

static void a_quoted_word_survives_a_round_trip(void **state)
{
    (void)state;
    const char *const words[] = {
        "plain-1.0_@%+=:,/x", "",   "a b",      "it's", "$HOME", "|&;<>`\"\\",
        "*?[]{}~#!()",        "\n", "\xc3\xa9", "''"};
    for (size_t i = 0; i < LENGTH(words); i++) {
        AUTO(text) struct text quoted = {0};
        text_add_quoted(&quoted, words[i]);
        WORDS(text_get(&quoted), words[i]);
    }
    AUTO(text) struct text plain = {0};
    text_add_quoted(&plain, "./a-b_1.c");
    text_add_quoted(&plain, "\xc3\xa9");
    assert_string_equal(text_get(&plain), "./a-b_1.c\xc3\xa9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(quotes_keep_words_together),
        cmocka_unit_test(backslashes_escape_the_next_character),
        cmocka_unit_test(quoted_metacharacters_are_data),
        cmocka_unit_test(commands_that_need_a_shell_are_rejected),
        cmocka_unit_test(unclosed_quotes_are_rejected),
        cmocka_unit_test(a_quoted_word_survives_a_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
