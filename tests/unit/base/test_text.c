#include "base/text.h"
#include "unit.h"

static void a_zeroed_text_is_empty(void **state)
{
    (void)state;
    struct text text = {0};
    assert_string_equal(text_get(&text), "");
    text_clear(&text);
    text_done(&text);
    AUTO(memory) char *taken = text_take(&text);
    assert_string_equal(taken, "");
}

static void added_text_is_appended(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_add(&text, "one");
    text_add_char(&text, ' ');
    text_add_n(&text, "two three", 3);
    text_add_repeated(&text, "-+", 2);
    text_format(&text, " %d%%", 4);
    assert_string_equal(text_get(&text), "one two-+-+ 4%");
    assert_int_equal(text.size, strlen("one two-+-+ 4%"));
}

static void a_text_grows_as_needed(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    for (int i = 0; i < 100000; i++)
        text_format(&text, "%d,", i % 10);
    assert_int_equal(text.size, 200000);
    assert_int_equal(strlen(text.data), 200000);
    assert_memory_equal(text.data + 199996, "8,9,", 5);
}

static void a_text_may_contain_a_nul(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_add_n(&text, "a\0b", 3);
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.data, "a\0b", 4);
}

static void formatting_nothing_changes_nothing(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_format(&text, "%s", "");
    assert_string_equal(text_get(&text), "");
    text_add(&text, "x");
    text_format(&text, "%s", "");
    assert_string_equal(text_get(&text), "x");
}

static void clearing_empties_a_text_but_keeps_its_memory(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_add(&text, "gone");
    size_t room = text.room;
    text_clear(&text);
    assert_string_equal(text_get(&text), "");
    assert_int_equal(text.size, 0);
    assert_int_equal(text.room, room);
}

static void taking_leaves_an_empty_text(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "mine");
    AUTO(memory) char *taken = text_take(&text);
    assert_string_equal(taken, "mine");
    assert_null(text.data);
    assert_int_equal(text.size + text.room, 0);
}

static void null_equals_only_null(void **state)
{
    (void)state;
    assert_true(text_equal(NULL, NULL));
    assert_false(text_equal(NULL, ""));
    assert_false(text_equal("", NULL));
    assert_true(text_equal("a", (char[]){"a"}));
    assert_false(text_equal("a", "b"));
}

static void a_text_starts_with_its_prefixes(void **state)
{
    (void)state;
    assert_true(text_starts("--json", "--"));
    assert_true(text_starts("--json", ""));
    assert_true(text_starts("--", "--"));
    assert_false(text_starts("-", "--"));
    assert_false(text_starts("x--", "--"));
}

static void the_word_nearest_a_misspelling_is_found(void **state)
{
    (void)state;
    static const char *const words[] = {"stmt", "setup", "label", "sub_label", "num_threads"};
    static const char *const cases[][2] = {
        {"stmnt", "stmt"},   // one letter too many
        {"stp", "stmt"},     // the first of two equally near: stmt, setup
        {"lable", "label"},  // two letters swapped
        {"Label", "label"},  // one letter replaced
        {"num_thread", "num_threads"},
        {"sublabel", "sub_label"},
        {"stmt", "stmt"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(text_nearest(cases[i][0], words, LENGTH(words)), cases[i][1]);
    static const char *const no[] = {"no"};
    assert_string_equal(text_nearest("on", no, 1), "no");  // a swap counts as one mistake
}

static void a_word_unlike_any_other_has_no_match(void **state)
{
    (void)state;
    static const char *const words[] = {"stmt", "setup", "a"};
    assert_null(text_nearest("environment", words, LENGTH(words)));
    assert_null(text_nearest("x", words, LENGTH(words)));  // all of "a" would change
    assert_null(text_nearest("", words, LENGTH(words)));
    assert_null(text_nearest("stmt", words, 0));
}

static void words_that_are_too_long_are_not_compared(void **state)
{
    (void)state;
    char word[200] = {0};
    memset(word, 'a', sizeof word - 1);
    const char *words[] = {word};
    assert_null(text_nearest(word, words, 1));  // too long to consider
    assert_null(text_nearest("aaa", words, 1));
    word[40] = '\0';
    assert_ptr_equal(text_nearest(word, words, 1), word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zeroed_text_is_empty),
        cmocka_unit_test(added_text_is_appended),
        cmocka_unit_test(a_text_grows_as_needed),
        cmocka_unit_test(a_text_may_contain_a_nul),
        cmocka_unit_test(formatting_nothing_changes_nothing),
        cmocka_unit_test(clearing_empties_a_text_but_keeps_its_memory),
        cmocka_unit_test(taking_leaves_an_empty_text),
        cmocka_unit_test(null_equals_only_null),
        cmocka_unit_test(a_text_starts_with_its_prefixes),
        cmocka_unit_test(the_word_nearest_a_misspelling_is_found),
        cmocka_unit_test(a_word_unlike_any_other_has_no_match),
        cmocka_unit_test(words_that_are_too_long_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
