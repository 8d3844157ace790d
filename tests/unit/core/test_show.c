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

static void programs_get_plain_numbers(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "timed", 1,
              MEASURED("[1,2,3,4,5,6]",
                       ",'raw_cpu_times':[2],'rates':{'bytes':7,'items':14},'core':'free',"
                       "'neighbour':{'free':0.75,'time':8},'counters':{'n':1},'task':{'env':'new'},"
                       "'warnings':[{'code':'odd','text':'o'},{'code':'bad','text':'b'}]"));
    stage_add(&stage, "counted", 1,
              record_of("'kind':'counts','counts':{'number':10,'instructions':50,'per_iteration':5,"
                        "'repeats':[50],'allocations':{'count':1,'bytes':2,'peak':3}}"));
    stage_add(&stage, "late", 1,
              MEASURED("[1]", ",'latency':{'p50':1,'p90':2,'p99':3,'p999':4,'max':5}"));
    stage_add(&stage, "bad", 1, record_of(CRASH));
    AUTO(text) struct text out = {0};
    show_csv(&stage.shown, false, &out);
    for (char *at = out.data; (at = strstr(at, "\r\n"));)
        memmove(at, at + 1, strlen(at));
    assert_string_equal(
        text_get(&out),
        "benchmark,env,time_s,time_low_s,time_high_s,marginal_s,cpu_s,median_s,min_s,stddev_s,p50_"
        "s,"
        "p90_s,p99_s,p99.9_s,max_s,bytes_per_s,items_per_s,instructions,allocations,"
        "allocated_bytes,peak_bytes,within,between,layout,epochs,core_free,other_core_s,core,"
        "counters,warnings,failure\n"
        "timed,new,3.5,1,6,,2,3.5,1,1.8708286933869707,,,,,,2,4,,,,,,,,0,0.75,8,free,"
        "\"{\"\"n\"\":1}\",wide-interval odd bad,\n"
        "counted,,,,,,,,,,,,,,,,,5,1,2,3,,,,,,,,,,\n"
        "late,,1,,,,,1,1,0,1,2,3,4,5,,,,,,,,,,0,,,,,,\n"
        "bad,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,crashed\n");
}

#define FUNCTION(name, object, self, inclusive) \
    "{'function':'" name "','object':'" object "','self':" self ",'inclusive':" inclusive "}"

static void assert_functions_shown(const struct stage *stage, bool inclusive, const char *expected)
{
    AUTO(text) struct text out = {0};
    show_functions(&stage->shown, inclusive, as_text, &out);
    assert_string_equal(text_get(&out), expected);
}

static void functions_are_shown_with_their_share_of_the_instructions(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(
        &stage, "sort\033", 1,
        record_of(
            "'kind':'counts','counts':{'number':10,'instructions':1000,'functions':"
            "[" FUNCTION("qsort", "/lib/libc.so", "600", "990") "," FUNCTION("compare", "/x/0123456789abcdef0123456789abcdef", "200", "200") "," FUNCTION(
                "compare", "/x/0123456789abcdef0123456789abcdef", "100",
                "100") "," FUNCTION("loop_next", "/x/worker", "60",
                                    "1000") "," FUNCTION("any",
                                                         "/x/"
                                                         "bilanx-worker",
                                                         "33",
                                                         "1000") "," FUNCTION("small",
                                                                              "/lib/libc.so", "4",
                                                                              "4") "," FUNCTION("sm"
                                                                                                "al"
                                                                                                "le"
                                                                                                "r",
                                                                                                "/l"
                                                                                                "ib"
                                                                                                "/l"
                                                                                                "ib"
                                                                                                "c."
                                                                                                "s"
                                                                                                "o",
                                                                                                "3",
                                                                                                "3") "]}"));
    stage_add(&stage, "timed", 1, MEASURED("[1]", ""));
    assert_functions_shown(&stage, false,
                           "\nsort\\x1b\n"
                           "instructions  share  function  object\n"
                           "          60    60%  qsort     libc.so\n"
                           "          30    30%  compare\n"
                           "         9.3   9.3%  (bilanx)\n"
                           "         0.7   0.7%  (2 more)\n");
    assert_functions_shown(&stage, true,
                           "\nsort\\x1b\n"
                           "instructions  share  function, including callees  object\n"
                           "          99    99%  qsort                        libc.so\n"
                           "          30    30%  compare\n"
                           "         9.3   9.3%  (bilanx)\n");
}

// Ten functions of one record; five of each of several.
static void only_the_largest_functions_are_shown(void **state)
{
    (void)state;
    AUTO(text) struct text members = {0};
    text_add(&members, "'kind':'counts','counts':{'number':1,'instructions':78,'functions':[");
    for (int i = 12; i >= 1; i--)
        text_format(&members, "{'function':'f%02d','self':%d}%s", i, i, i > 1 ? "," : "]}");
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1, record_of(text_get(&members)));
    AUTO(text) struct text one = {0}, two = {0};
    show_functions(&stage.shown, false, as_csv, &one);
    assert_non_null(strstr(text_get(&one), "\r\n3,3.8%,f03\r\n3,3.8%,(2 more)\r\n"));
    stage_add(&stage, "y", 1, record_of(text_get(&members)));
    show_functions(&stage.shown, false, as_csv, &two);
    assert_non_null(strstr(text_get(&two), "\r\n8,10%,f08\r\n28,36%,(7 more)\r\n"));
}

static void counts_have_their_own_columns(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "same", 1,
              record_of("'kind':'counts','counts':{'number':10,'instructions':50,'per_iteration':5,"
                        "'baseline':20,'repeats':[50,50],'allocations':{'count':1,'bytes':2,"
                        "'peak':3}}"));
    stage_add(&stage, "varied", 1,
              record_of("'kind':'counts','counts':{'number':10,'instructions':50,'per_iteration':5,"
                        "'repeats':[50,51],'events':{'Dr':7,'Dw/s':2000}}"));
    stage_add(&stage, "bad", 1, record_of(CRASH));
    assert_table(&stage, as_csv,
                 "benchmark,instructions,empty loop,repeats,allocations,bytes,peak,counters\n"
                 "same,5,2,deterministic,1,2,3,\n"
                 "varied,5,,vary,,,,Dr 7  Dw 2.00 k/s\n"
                 "bad,crashed,,,,,,\n");
    assert_result(record_of("'kind':'counts','counts':{'number':10,'per_iteration':5,'repeats':[50,"
                            "50]}"),
                  "5 instructions");
    assert_result(record_of("'kind':'counts','counts':{'number':10}"), "counted");
}

static void the_user_may_choose_the_unit(void **state)
{
    (void)state;
    assert_result(MEASURED("[1e-3]", ",'unit':'us'"), "1000 us");
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "x", 1, MEASURED("[1e-3]", ",'unit':'us','remark':'hot'"));
    assert_table(&stage, as_csv, "benchmark,time,counters\nx,1000 us,hot\n");
}

static void equal_failures_are_reported_once(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "one", 1, record_of(CRASH));
    stage_add(&stage, "other", 1,
              record_of("'kind':'failure','error':{'code':'compile','phase':'compile','text':'no "
                        "header'}"));
    stage_add(&stage, "two", 1, record_of(CRASH));
    stage_add(&stage, "three", 1, record_of(CRASH));
    stage_add(&stage, "away", 1,
              record_of("'kind':'failure','error':{'code':'skipped','phase':'setup','text':'x'}"));
    AUTO(text) struct text out = {0};
    show_failures(&stage.shown, false, &out);
    assert_string_equal(text_get(&out), "one and 2 more: crashed in stmt: signal 11\n"
                                        "other: does not compile: no header\n");
}

static void a_failure_that_names_itself_is_not_named_again(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "a", 1,
              record_of("'kind':'failure','error':{'code':'exited','phase':'stmt','text':'exited "
                        "with status 1'}"));
    stage_add(&stage, "b", 1,
              record_of("'kind':'failure','error':{'code':'system','phase':'start','text':'no such "
                        "file'}"));
    stage_add(&stage, "c", 1,
              record_of("'kind':'failure','error':{'code':'system','phase':'start'}"));
    stage_add(&stage, "d", 1,
              record_of("'kind':'failure','error':{'code':'exited','phase':'setup','text':'exited "
                        "with status 1'}"));
    assert_notes(&stage, false,
                 "a: exited with status 1\nb: no such file\nc: cannot start in start:\n"
                 "d: exited in setup: exited with status 1\n");
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
        cmocka_unit_test(programs_get_plain_numbers),
        cmocka_unit_test(functions_are_shown_with_their_share_of_the_instructions),
        cmocka_unit_test(only_the_largest_functions_are_shown),
        cmocka_unit_test(counts_have_their_own_columns),
        cmocka_unit_test(the_user_may_choose_the_unit),
        cmocka_unit_test(equal_failures_are_reported_once),
        cmocka_unit_test(a_failure_that_names_itself_is_not_named_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
