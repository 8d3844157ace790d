#include "core/show/show.h"

#include "shown.h"

static const struct table_look as_text = {.format = BILANX_TABLE};
static const struct table_look as_markdown = {.format = BILANX_MARKDOWN};
static const struct table_look as_csv = {.format = BILANX_CSV};

static void assert_table(const struct stage *stage, struct table_look look, const char *expected)
{
    AUTO(text) struct text out = {0};
    show_table(&stage->shown, look, &out);
    for (char *at = out.data; (at = strstr(at, "\r\n"));)  // convert CSV line endings
        memmove(at, at + 1, strlen(at));
    assert_string_equal(text_get(&out), expected);
}

static void assert_notes(const struct stage *stage, bool color, const char *expected)
{
    AUTO(text) struct text out = {0};
    show_notes(&stage->shown, color, &out);
    assert_string_equal(text_get(&out), expected);
}

static void assert_result(struct bilanx_record record, const char *expected)
{
    AUTO(text) struct text out = {0};
    show_result(&record, &out);
    assert_string_equal(text_get(&out), expected);
    bilanx_record_done(&record);
}

#define BLOCKS "[1e-6,1e-6,1e-6,1e-6,1e-6,1e-6]"
#define CRASH "'kind':'failure','error':{'code':'crashed','phase':'stmt','text':'signal 11'}"

static void a_table_shows_only_filled_columns(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "first", 1, MEASURED(BLOCKS, ",'raw_cpu_times':[2e-6]"));
    stage_add(&stage, "second/64", 1, MEASURED("[2e-9]", ""));
    assert_table(&stage, as_text,
                 "benchmark      time      \u00b1       cpu\n"
                 "first      1.000 us  0.00%  2.000 us\n"
                 "second/64  2.000 ns\n");
    assert_table(
        &stage, as_csv,
        "benchmark,time,\u00b1,cpu\nfirst,1.000 us,0.00%,2.000 us\nsecond/64,2.000 ns,,\n");
}

static void rows_follow_the_order_of_definition(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    struct run_case *first = stage_add(&stage, "a", 1, MEASURED("[1e-6]", ""));
    stage_add(&stage, "b", 1, MEASURED("[2e-6]", ""));
    struct bilanx_record once = stage.shown.records[0], again = MEASURED("[3e-6]", "");
    stage.shown.cases[0] = stage.shown.cases[1];  // in order of completion: b, a, a
    stage.shown.records[0] = stage.shown.records[1];
    stage.shown.cases[1] = first;
    stage.shown.records[1] = once;
    shown_add(&stage.shown, first, &again);
    shown_sort(&stage.shown);
    assert_table(&stage, as_csv, "benchmark,time\na,1.000 us\na,3.000 us\nb,2.000 us\n");
    bilanx_record_done(&stage.shown.records[1]);
    stage.shown.records[1] = stage.shown.records[2];
    stage.shown.count--;
}

static void rates_are_per_second(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1, MEASURED("[1e-6]", ",'rates':{'bytes':4096,'items':8}"));
    assert_table(&stage, as_csv, "benchmark,time,bytes/s,items/s\nx,1.000 us,4.10 GB/s,8.00 M/s\n");
}

static void epochs_show_both_spreads(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1,
              MEASURED("[1,1]", ",'method':'rigorous','epochs':[{'time':1,'p25':1,'p75':1.1},"
                                "{'time':1,'p25':1,'p75':1.1}]"));
    assert_table(&stage, as_csv,
                 "benchmark,time,\u00b1,within,between\nx,1.000 s,0.00%,10%,0.00%\n");
}

static void latencies_show_percentiles_and_no_mean(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1,
              MEASURED("[1]", ",'latency':{'p50':1e-9,'p90':2e-9,'p99':3e-9,'p999':4e-9,'max':5,"
                              "'clock_cost':2e-8,'samples':9}"));
    assert_table(&stage, as_csv,
                 "benchmark,p50,p90,p99,p99.9,max,clock\n"
                 "x,1.000 ns,2.000 ns,3.000 ns,4.000 ns,5.000 s,20.00 ns\n");
}

static void counters_warnings_and_environments_have_columns(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1,
              MEASURED("[1]", ",'counters':{'misses':1.5,'hits':2},'task':{'env':'old'},"
                              "'warnings':[{'code':'odd','text':'o'},{'code':'bad','text':'b'}]"));
    assert_table(&stage, as_markdown,
                 "| benchmark | env | time | counters | note |\n"
                 "|---|---|---:|---|---|\n"
                 "| x | old | 1.000 s | misses 1.5  hits 2 | odd, bad |\n");
}

static void notes_about_the_code_come_first(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1,
              MEASURED("[2e-9]", ",'warnings':[{'code':'busy-machine','text':'why'},"
                                 "{'code':'below-resolution','text':'why'},"
                                 "{'code':'costly-setup','text':'why'}]"));
    assert_table(&stage, as_markdown,
                 "| benchmark | time | note |\n|---|---:|---|\n"
                 "| x | 2.000 ns | below-resolution, busy-machine, costly-setup |\n");
}

static void a_failure_is_a_word_in_the_table_and_a_note_below(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "bad", 1,
              record_of("'kind':'failure','error':{'code':'crashed','phase':'stmt','text':'signal "
                        "11','output':'one\\n\\u001btwo'}"));
    stage_add(&stage, "away", 1,
              record_of("'kind':'failure','error':{'code':'skipped','phase':'setup','text':'no "
                        "gpu'}"));
    assert_table(&stage, as_csv, "benchmark,time\nbad,crashed\naway,skipped\n");
    assert_notes(&stage, false,
                 "bad: crashed in stmt: signal 11\n    one\n    \\x1btwo\n"
                 "away: skipped: no gpu\n");
}

static void a_warning_is_explained_once(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    for (int i = 0; i < 2; i++)
        stage_add(&stage, i ? "second" : "first", 1,
                  MEASURED("[1]", ",'warnings':[{'code':'odd','text':'why \\u001b'}]"));
    assert_notes(&stage, false, "odd (first and 1 more): why \\x1b\n");
}

static void notes_wrap_between_words(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1,
              MEASURED("[1]", ",'warnings':[{'code':'odd','text':'the time is known to 19 %'}]"));
    setenv("COLUMNS", "24", 1);
    assert_notes(&stage, false, "odd (x): the time is\n  known to 19 %\n");
    setenv("COLUMNS", "12", 1);  // a percentage is never torn apart
    assert_notes(&stage, false, "odd (x): the\n  time is\n  known to\n  19 %\n");
    unsetenv("COLUMNS");
}

static void names_cannot_control_the_terminal(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "\033[2J\n%s\u00e4", 1, MEASURED("[1]", ",'counters':{'\\u001bc':1}"));
    stage_add(&stage, "\r", 1, record_of(CRASH));
    AUTO(text) struct text out = {0};
    show_table(&stage.shown, as_text, &out);
    show_notes(&stage.shown, false, &out);
    assert_null(strchr(text_get(&out), '\033'));
    assert_null(strchr(text_get(&out), '\r'));
    assert_non_null(strstr(text_get(&out), "\\x1b[2J\\n%s\u00e4"));
}

static void colour_marks_failures(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "bad", 1, record_of(CRASH));
    assert_notes(&stage, true, "\033[31mbad\033[0m: crashed in stmt: signal 11\n");
}

static void a_result_is_one_line(void **state)
{
    (void)state;
    assert_result(MEASURED("[1e-9]", ""), "1.000 ns");
    assert_result(MEASURED(BLOCKS, ""), "1.000 us \u00b1 0.00%");
    assert_result(record_of(CRASH), "crashed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_shows_only_filled_columns),
        cmocka_unit_test(rows_follow_the_order_of_definition),
        cmocka_unit_test(rates_are_per_second),
        cmocka_unit_test(epochs_show_both_spreads),
        cmocka_unit_test(latencies_show_percentiles_and_no_mean),
        cmocka_unit_test(counters_warnings_and_environments_have_columns),
        cmocka_unit_test(notes_about_the_code_come_first),
        cmocka_unit_test(a_failure_is_a_word_in_the_table_and_a_note_below),
        cmocka_unit_test(a_warning_is_explained_once),
        cmocka_unit_test(notes_wrap_between_words),
        cmocka_unit_test(names_cannot_control_the_terminal),
        cmocka_unit_test(colour_marks_failures),
        cmocka_unit_test(a_result_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
