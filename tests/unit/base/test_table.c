#include "base/table.h"

#include "unit.h"

static const struct table_look as_text = {.format = BILANX_TABLE};
static const struct table_look as_color = {.color = true};
static const struct table_look as_markdown = {.format = BILANX_MARKDOWN};
static const struct table_look as_csv = {.format = BILANX_CSV};
static const struct table_look as_csv_safe = {.format = BILANX_CSV, .csv_safe = true};

static void assert_printed(struct table *table, struct table_look look, const char *expected)
{
    AUTO(text) struct text out = {0};
    table_print(table, look, &out);
    assert_string_equal(text_get(&out), expected);
}

// Two columns, two rows; the second row is incomplete.
static struct table small_table(void)
{
    struct table table = {0};
    table_column(&table, "case", TABLE_LEFT);
    table_column(&table, "time", TABLE_RIGHT);
    table_row(&table);
    table_cell(&table, TABLE_PLAIN, "%s", "copy");
    table_cell(&table, TABLE_GOOD, "%.1f us", 12.5);
    table_row(&table);
    table_cell(&table, TABLE_PLAIN, "%s", "a longer one");
    return table;
}

static void columns_are_aligned(void **state)
{
    (void)state;
    AUTO(table) struct table table = small_table();
    assert_printed(&table, as_text,
                   "case             time\n"
                   "copy          12.5 us\n"
                   "a longer one\n");
}

static void tones_do_not_move_columns(void **state)
{
    (void)state;
    AUTO(table) struct table table = small_table();
    assert_printed(&table, as_color,
                   "\033[2mcase\033[0m             \033[2mtime\033[0m\n"
                   "copy          \033[32m12.5 us\033[0m\n"
                   "a longer one\n");
}

// A name, a figure that is always shown, and two that may be dropped.
static struct table ranked_table(const char *name)
{
    static const unsigned ranks[] = {0, 0, 1, 2};
    static const char *const titles[] = {"case", "time", "cpu", "spread"};
    struct table table = {0};
    for (size_t i = 0; i < 4; i++) {
        table_column(&table, titles[i], i ? TABLE_RIGHT : TABLE_LEFT);
        table_rank(&table, ranks[i]);
    }
    table_cell(&table, TABLE_PLAIN, "%s", name);
    for (size_t i = 1; i < 4; i++)
        table_cell(&table, TABLE_PLAIN, "%s", "12.5 us");
    return table;
}

static void columns_that_do_not_fit_are_dropped_by_rank(void **state)
{
    (void)state;
    const char *name = "twenty-four characters!!";
    AUTO(table) struct table table = ranked_table(name);
    assert_printed(&table, (struct table_look){.width = 51},
                   "case                         time      cpu   spread\n"
                   "twenty-four characters!!  12.5 us  12.5 us  12.5 us\n");
    AUTO(table) struct table narrow = ranked_table(name);
    assert_printed(&narrow, (struct table_look){.width = 50},
                   "case                         time      cpu\n"
                   "twenty-four characters!!  12.5 us  12.5 us\n");
    AUTO(table) struct table narrowest = ranked_table(name);
    assert_printed(&narrowest, (struct table_look){.width = 33},
                   "case                         time\n"
                   "twenty-four characters!!  12.5 us\n");
}

static void a_column_of_rank_one_is_worth_a_shorter_name(void **state)
{
    (void)state;
    const char *name = "a name of sixty characters, which is more than there is room";
    AUTO(table) struct table table = ranked_table(name);
    assert_printed(&table, (struct table_look){.width = 41},
                   "case                        time      cpu\n"
                   "a name of s\u2026ere is room  12.5 us  12.5 us\n");
}

static void text_that_still_does_not_fit_is_shortened_in_the_middle(void **state)
{
    (void)state;
    AUTO(table) struct table table = ranked_table("twenty-four characters!!");
    assert_printed(&table, (struct table_look){.width = 20},
                   "case            time\n"
                   "twent\u2026ers!!  12.5 us\n");
    AUTO(table) struct table long_name =
        ranked_table("a name of sixty characters, which is more than there is room");
    assert_printed(&long_name, (struct table_look){.width = 60},
                   "case                                  time      cpu   spread\n"
                   "a name of sixty \u2026an there is room  12.5 us  12.5 us  12.5 us\n");
}

static void columns_are_dropped_rather_than_making_names_equal(void **state)
{
    (void)state;
    static const char *const names[] = {"aten.native_group_norm_backward.default",
                                        "aten.native_layer_norm_backward.default"};
    AUTO(table) struct table table = {0};
    table_column(&table, "operator", TABLE_LEFT);
    table_column(&table, "time", TABLE_RIGHT);
    table_column(&table, "by calls", TABLE_RIGHT);
    table_rank(&table, 1);
    for (size_t i = 0; i < 2; i++) {
        table_cell(&table, TABLE_PLAIN, "%s", names[i]);
        table_cell(&table, TABLE_PLAIN, "%s", "12.5 us");
        table_cell(&table, TABLE_PLAIN, "%s", "1.00x");
    }
    assert_printed(&table, (struct table_look){.width = 43},
                   "operator                               time\n"
                   "aten.native_grou\u2026_backward.default  12.5 us\n"
                   "aten.native_laye\u2026_backward.default  12.5 us\n");
}

static void notes_are_shortened_before_names_become_equal(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "operator", TABLE_LEFT);
    table_column(&table, "", TABLE_LEFT);
    for (int i = 0; i < 2; i++) {
        table_cell(&table, TABLE_PLAIN, "aten.native_%s_norm.default", i ? "layer" : "group");
        table_cell(&table, TABLE_PLAIN, "%s", "a note, not so long.");
    }
    assert_printed(&table, (struct table_look){.width = 37},
                   "operator\n"
                   "aten.native_g\u2026_norm.default  a n\u2026ong.\n"
                   "aten.native_l\u2026_norm.default  a n\u2026ong.\n");
}

static void a_list_is_cut_between_its_words(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "note", TABLE_LIST);
    static const char *const notes[] = {"busy-machine, outliers", "outliers, busy, high-iqr",
                                        "a-single-word-that-is-too-long"};
    for (size_t i = 0; i < 3; i++)
        table_cell(&table, TABLE_PLAIN, "%s", notes[i]);
    assert_printed(&table, (struct table_look){.width = 22},
                   "note\n"
                   "busy-machine, outliers\n"
                   "outliers, busy, \u2026\n"
                   "a-single-w\u2026is-too-long\n");
}

static void a_list_is_cut_before_columns_that_matter_are_dropped(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "name", TABLE_LEFT);
    table_column(&table, "time", TABLE_RIGHT);
    table_column(&table, "items/s", TABLE_RIGHT);
    table_rank(&table, 2);
    table_column(&table, "note", TABLE_LIST);
    static const char *const cells[] = {"sort", "2 us", "47 M/s",
                                        "unoptimised-build, busy-machine, rare-epochs"};
    for (size_t i = 0; i < LENGTH(cells); i++)
        table_cell(&table, TABLE_PLAIN, "%s", cells[i]);
    assert_printed(&table, (struct table_look){.width = 42},
                   "name  time  items/s  note\n"
                   "sort  2 us   47 M/s  unoptimised-build, \u2026\n");
    assert_printed(&table, (struct table_look){.width = 36},
                   "name  time  note\n"
                   "sort  2 us  unoptimised-build, \u2026\n");
}

static void sentences_continue_on_further_lines(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "name", TABLE_LEFT);
    table_column(&table, "is", TABLE_WRAP);
    table_column(&table, "files", TABLE_WRAP);
    static const char *const cells[] = {"a", "one of many words here", ".x .y .z", "b", "short",
                                        ""};
    for (size_t i = 0; i < LENGTH(cells); i++)
        table_cell(&table, TABLE_PLAIN, "%s", cells[i]);
    assert_printed(&table, as_text,
                   "name  is                      files\n"
                   "a     one of many words here  .x .y .z\n"
                   "b     short\n");
    assert_printed(&table, (struct table_look){.width = 28},
                   "name  is            files\n"
                   "a     one of many   .x .y .z\n"
                   "      words here\n"
                   "b     short\n");
    assert_printed(&table, as_csv,
                   "name,is,files\r\na,one of many words here,.x .y .z\r\nb,short,\r\n");
}

static void wrapped_columns_share_the_space(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "a", TABLE_WRAP);
    table_column(&table, "b", TABLE_WRAP);
    table_cell(&table, TABLE_PLAIN, "five words of four char");
    table_cell(&table, TABLE_PLAIN, "here are some more words that take many lines");
    assert_printed(&table, (struct table_look){.width = 26},
                   "a             b\n"
                   "five words    here are\n"
                   "of four char  some more\n"
                   "              words that\n"
                   "              take many\n"
                   "              lines\n");
}

static void wrapped_columns_keep_their_words_whole(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "a", TABLE_WRAP);
    table_column(&table, "b", TABLE_WRAP);
    table_cell(&table, TABLE_PLAIN, "five words of four char");
    table_cell(&table, TABLE_PLAIN, "LD_PRELOAD=libx.so");
    assert_printed(&table, (struct table_look){.width = 30},
                   "a           b\n"
                   "five words  LD_PRELOAD=libx.so\n"
                   "of four\n"
                   "char\n");
    assert_printed(&table, (struct table_look){.width = 20},
                   "a         b\n"
                   "five      LD_P\u2026bx.so\n"
                   "words of\n"
                   "four\n"
                   "char\n");
}

static struct table wide_table(void)
{
    struct table table = {0};
    static const char *const titles[] = {"n", "first", "never", "second", "third", "never"};
    for (size_t i = 0; i < LENGTH(titles); i++)
        table_column(&table, titles[i], TABLE_RIGHT);
    static const char *const cells[] = {"0", "12345678", "", "a", "123456789012345", ""};
    for (size_t i = 0; i < LENGTH(cells); i++)
        table_cell(&table, TABLE_PLAIN, "%s", cells[i]);
    table_keep_all(&table);
    return table;
}

static void a_table_that_keeps_all_columns_is_printed_in_parts(void **state)
{
    (void)state;
    AUTO(table) struct table table = wide_table();
    assert_int_equal(table_width(&table), 36);
    static const char whole[] = "n     first  second            third\n"
                                "0  12345678       a  123456789012345\n";
    assert_printed(&table, as_text, whole);
    assert_printed(&table, (struct table_look){.width = 36}, whole);
    assert_printed(&table, (struct table_look){.width = 35},
                   "n     first  second\n0  12345678       a\n\n"
                   "n            third\n0  123456789012345\n");
    assert_printed(&table, (struct table_look){.width = 5},  // a column may be too wide
                   "n     first\n0  12345678\n\nn  second\n0       a\n\n"
                   "n            third\n0  123456789012345\n");
    assert_printed(&table, as_csv, "n,first,second,third\r\n0,12345678,a,123456789012345\r\n");
}

static void an_incomplete_row_is_filled_in_every_format(void **state)
{
    (void)state;
    AUTO(table) struct table table = small_table();
    assert_printed(&table, as_markdown,
                   "| case | time |\n|---|---:|\n| copy | 12.5 us |\n| a longer one |  |\n");
    assert_printed(&table, as_csv, "case,time\r\ncopy,12.5 us\r\na longer one,\r\n");
    table_row(&table);
    table_cell(&table, TABLE_PLAIN, "third");
    assert_printed(&table, as_csv, "case,time\r\ncopy,12.5 us\r\na longer one,\r\nthird,\r\n");
}

static void an_empty_column_is_not_shown(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "a", TABLE_LEFT);
    table_column(&table, "nothing", TABLE_LEFT);
    table_column(&table, "b", TABLE_LEFT);
    for (int row = 0; row < 2; row++) {
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%d", row);
        table_cell(&table, TABLE_PLAIN, "%s", "");
        table_cell(&table, TABLE_PLAIN, "%s", row ? "x" : "");
    }
    assert_printed(&table, as_text, "a  b\n0\n1  x\n");
    assert_printed(&table, as_markdown, "| a | b |\n|---|---|\n| 0 |  |\n| 1 | x |\n");
    assert_printed(&table, as_csv, "a,b\r\n0,\r\n1,x\r\n");
}

static void wide_characters_are_aligned_too(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "µs", TABLE_RIGHT);
    table_column(&table, "|", TABLE_LEFT);
    static const char *const cells[] = {"漢字", "é", "plain"};
    for (size_t i = 0; i < LENGTH(cells); i++) {
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%s", cells[i]);
        table_cell(&table, TABLE_PLAIN, "|");
    }
    assert_printed(&table, as_text, "   µs  |\n 漢字  |\n    é  |\nplain  |\n");
}

// One cell below one title, both with this text.
static void assert_both_printed(const char *text, struct table_look look, const char *expected)
{
    AUTO(table) struct table table = {0};
    table_column(&table, text, TABLE_LEFT);
    table_row(&table);
    table_cell(&table, TABLE_PLAIN, "%s", text);
    assert_printed(&table, look, expected);
}

static void cells_and_titles_cannot_control_the_terminal(void **state)
{
    (void)state;
    assert_both_printed("\033[2Jx\ny", as_text, "\\x1b[2Jx\\ny\n\\x1b[2Jx\\ny\n");
    assert_both_printed("a\r\nb", as_csv, "a\\x0d\\nb\r\na\\x0d\\nb\r\n");
}

static void cells_and_titles_cannot_break_the_format(void **state)
{
    (void)state;
    assert_both_printed("a|b <i> `c` \\", as_markdown,
                        "| a\\|b \\<i\\> \\`c\\` \\\\ |\n|---|\n| a\\|b \\<i\\> \\`c\\` \\\\ |\n");
    assert_both_printed("say \"a, b\"", as_csv, "\"say \"\"a, b\"\"\"\r\n\"say \"\"a, b\"\"\"\r\n");
    assert_both_printed("100%d%n", as_text, "100%d%n\n100%d%n\n");
}

static void safe_csv_contains_no_formulas(void **state)
{
    (void)state;
    assert_both_printed("=1+1", as_csv, "=1+1\r\n=1+1\r\n");
    assert_both_printed("=1+1", as_csv_safe, "'=1+1\r\n'=1+1\r\n");
    assert_both_printed("@sum(a1,a2)", as_csv_safe, "\"'@sum(a1,a2)\"\r\n\"'@sum(a1,a2)\"\r\n");
    assert_both_printed("-x", as_csv_safe, "'-x\r\n'-x\r\n");
    assert_both_printed("+cmd|' /C calc'!A0", as_csv_safe,
                        "'+cmd|' /C calc'!A0\r\n'+cmd|' /C calc'!A0\r\n");
    assert_both_printed("-1.5e-9", as_csv_safe, "-1.5e-9\r\n-1.5e-9\r\n");  // a number
    assert_both_printed("a=b", as_csv_safe, "a=b\r\na=b\r\n");
}

static void special_characters_are_escaped_in_markdown(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    table_add_markdown(&out, "a_b*c [d](e) ~~f~~ $g$ &amp; C #");
    assert_string_equal(text_get(&out), "a\\_b\\*c \\[d\\](e) \\~\\~f\\~\\~ \\$g\\$ \\&amp; C \\#");
}

static void markdown_text_mentions_no_user_and_becomes_no_link(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    table_add_markdown(&out, "@everyone, fix #12 (https://x.test, WWW.x.test, a@b.c)");
    assert_string_equal(text_get(&out), "@&#8203;everyone, fix \\#&#8203;12 "
                                        "(https:&#8203;//x.test, WWW&#8203;.x.test, a@&#8203;b.c)");
    text_clear(&out);
    table_add_markdown(&out, "@ # raw.c w.c a:b //");
    assert_string_equal(text_get(&out), "@ \\# raw.c w.c a:b //");
}

static void an_empty_column_can_be_kept(void **state)
{
    (void)state;
    AUTO(table) struct table empty = {0};
    table_column(&empty, "a", TABLE_LEFT);
    table_column(&empty, "b", TABLE_LEFT);
    empty.columns[0].used = empty.columns[1].used = true;
    assert_printed(&empty, as_csv, "a,b\r\n");
}

static void a_table_without_titles_has_no_heading(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "", TABLE_LEFT);
    table_column(&table, "never", TABLE_LEFT);
    table_row(&table);
    table_cell(&table, TABLE_PLAIN, "x");
    assert_printed(&table, as_text, "x\n");
}

static void a_tone_is_added_only_in_colour(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    tone_add(&out, true, TABLE_BAD, "bad");
    tone_add(&out, true, TABLE_PLAIN, " plain");
    tone_add(&out, false, TABLE_BAD, " bland");
    assert_string_equal(text_get(&out), "\033[31mbad\033[0m plain bland");
}

static void a_table_without_rows_prints_nothing(void **state)
{
    (void)state;
    AUTO(table) struct table table = {0};
    table_column(&table, "a", TABLE_LEFT);
    assert_printed(&table, as_text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(tones_do_not_move_columns),
        cmocka_unit_test(columns_that_do_not_fit_are_dropped_by_rank),
        cmocka_unit_test(a_column_of_rank_one_is_worth_a_shorter_name),
        cmocka_unit_test(text_that_still_does_not_fit_is_shortened_in_the_middle),
        cmocka_unit_test(columns_are_dropped_rather_than_making_names_equal),
        cmocka_unit_test(notes_are_shortened_before_names_become_equal),
        cmocka_unit_test(a_list_is_cut_between_its_words),
        cmocka_unit_test(a_list_is_cut_before_columns_that_matter_are_dropped),
        cmocka_unit_test(sentences_continue_on_further_lines),
        cmocka_unit_test(wrapped_columns_share_the_space),
        cmocka_unit_test(wrapped_columns_keep_their_words_whole),
        cmocka_unit_test(a_table_that_keeps_all_columns_is_printed_in_parts),
        cmocka_unit_test(an_incomplete_row_is_filled_in_every_format),
        cmocka_unit_test(an_empty_column_is_not_shown),
        cmocka_unit_test(wide_characters_are_aligned_too),
        cmocka_unit_test(cells_and_titles_cannot_control_the_terminal),
        cmocka_unit_test(cells_and_titles_cannot_break_the_format),
        cmocka_unit_test(safe_csv_contains_no_formulas),
        cmocka_unit_test(special_characters_are_escaped_in_markdown),
        cmocka_unit_test(markdown_text_mentions_no_user_and_becomes_no_link),
        cmocka_unit_test(an_empty_column_can_be_kept),
        cmocka_unit_test(a_table_without_titles_has_no_heading),
        cmocka_unit_test(a_tone_is_added_only_in_colour),
        cmocka_unit_test(a_table_without_rows_prints_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
