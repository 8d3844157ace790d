#include "bilanx/compare.h"

#include <stdlib.h>

#include "base/mem.h"
#include "records.h"

static void scope_compare(struct bilanx_compare **compare)
{
    bilanx_compare_free(*compare);
}

static void add(struct bilanx_compare *compare, const char *members, const char *source)
{
    struct bilanx_record record = record_of(members);
    bilanx_compare_add(compare, &record, source);
    assert_null(record.kind);  // everything was taken
}

static struct bilanx_error print(struct bilanx_compare *compare,
                                 const struct bilanx_compare_options *options, char **out)
{
    size_t size;
    FILE *file = open_memstream(out, &size);
    struct bilanx_error error = bilanx_compare_print(compare, options, file);
    fclose(file);
    return error;
}

static char *printed(struct bilanx_compare *compare, struct bilanx_compare_options options)
{
    char *out = NULL;
    assert_ok(print(compare, &options, &out));
    return out;
}

// Without the line below that explains uncertainties.
#define assert_printed(compare, expected, ...)                                                \
    do {                                                                                      \
        AUTO(memory) char *printed_ = printed(                                                \
            compare, (struct bilanx_compare_options){.digits_explained = true, __VA_ARGS__}); \
        assert_string_equal(printed_, expected);                                              \
    } while (0)

#define assert_refused(compare, status, part, ...)                                             \
    do {                                                                                       \
        AUTO(memory) char *printed_ = NULL;                                                    \
        assert_error(print(compare, &(struct bilanx_compare_options){__VA_ARGS__}, &printed_), \
                     status, part);                                                            \
        assert_string_equal(printed_, "");                                                     \
    } while (0)

#define NEW(name) AUTO(compare) struct bilanx_compare *name = bilanx_compare_new()

#define KIND "'kind':'measurement','number_per_run':1,"
// A bit over a microsecond, 1.234(5); twice that; three times. No method: the median counts.
#define ONE KIND "'raw_times':[1.229e-6,1.232e-6,1.234e-6,1.234e-6,1.236e-6,1.239e-6],"
#define TWO KIND "'raw_times':[2.458e-6,2.464e-6,2.468e-6,2.468e-6,2.472e-6,2.478e-6],"
#define THREE KIND "'raw_times':[3.687e-6,3.696e-6,3.702e-6,3.702e-6,3.708e-6,3.717e-6],"
#define TASK(members) "'task':{" members "}"

// A table with two rows and two columns.
static struct bilanx_compare *two_by_two(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    add(compare, ONE TASK("'label':'copy','sub_label':'small','description':'old'"), NULL);
    add(compare, TWO TASK("'label':'copy','sub_label':'small','description':'new'"), NULL);
    add(compare, TWO TASK("'label':'copy','sub_label':'large','description':'old'"), NULL);
    add(compare, THREE TASK("'label':'copy','sub_label':'large','description':'new'"), NULL);
    return compare;
}

#define KEY "\n* best of its column, or too close to call\n"

static void a_cell_shows_its_uncertainty_and_the_best_is_marked(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy\n"
                   "                old            new\n"
                   "small   1.234(5) us*  2.468(10) us*\n"
                   "large  2.468(10) us   3.702(15) us\n" KEY,
                   .width = 0);
}

static void each_label_has_a_table_in_order_of_appearance(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'label':'z','sub_label':'row'"), NULL);
    add(compare, ONE TASK("'sub_label':'row'"), NULL);
    add(compare, ONE TASK("'label':'a','sub_label':'row'"), NULL);
    add(compare, TWO TASK("'label':'z','sub_label':'other'"), NULL);
    add(compare, TWO TASK("'label':'','sub_label':'other'"), NULL);  // empty counts as absent
    assert_printed(compare,
                   "z\n"
                   "row     1.234(5) us*\n"
                   "other  2.468(10) us\n"
                   "\n"
                   "row     1.234(5) us*\n"
                   "other  2.468(10) us\n"
                   "\n"
                   "a\n"
                   "row  1.234(5) us\n" KEY,
                   .width = 0);
}

static void rows_are_grouped_by_threads_and_env_and_named_by_sub_label_or_statement(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f()','num_threads':4"), NULL);
    add(compare, ONE TASK("'stmt':'f()','env':'b'"), NULL);
    add(compare, ONE TASK("'stmt':'z()','num_threads':1,'env':'a'"), NULL);
    add(compare, ONE TASK("'stmt':'f()','sub_label':'named','env':'a'"), NULL);
    add(compare, ONE TASK("'stmt':'f()'"), NULL);
    assert_printed(compare,
                   "threads\n"
                   "      1     f()    1.234(5) us*\n"
                   "         b  f()    1.234(5) us*\n"
                   "         a  z()    1.234(5) us*\n"
                   "            named  1.234(5) us*\n"
                   "      4     f()    1.234(5) us\n" KEY,
                   .width = 0);
}

// A commit of 40 equal digits.
#define COMMIT(digit, members) ",'git':{'commit':'" FORTY(digit) "'," members "}"
#define FORTY(d) d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d d

static void commits_are_not_replicates_and_come_in_the_order_of_history(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, TWO TASK("'stmt':'f'") COMMIT("b", "'depth':12,'dirty':false"), NULL);
    add(compare, ONE TASK("'stmt':'f'") COMMIT("a", "'depth':9,'describe':'v1.0'"), NULL);
    add(compare, THREE TASK("'stmt':'f'") COMMIT("b", "'depth':12,'dirty':true"), NULL);
    add(compare, TWO TASK("'stmt':'f'") COMMIT("b", "'depth':12,'dirty':false"), NULL);
    assert_printed(compare,
                   "v1.0              f   1.234(5) us*\n"
                   "bbbbbbbbbb        f   2.468(4) us\n"
                   "bbbbbbbbbb-dirty  f  3.702(15) us\n" KEY,
                   .width = 0);
}

static void commits_in_different_files_are_columns_as_before(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'") COMMIT("a", "'depth':9"), "old.jsonl");
    add(compare, TWO TASK("'stmt':'f'") COMMIT("b", "'depth':12"), "new.jsonl");
    AUTO(memory) char *out = printed(compare, (struct bilanx_compare_options){.ratio = "old"});
    assert_non_null(strstr(out, "f    1  2.000(11)\n"));
}

static void columns_have_the_same_order_in_all_tables(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'label':'1','stmt':'f','description':'a'"), NULL);
    add(compare, ONE TASK("'label':'1','stmt':'f','description':'b'"), NULL);
    add(compare, ONE TASK("'label':'2','stmt':'f','description':'c'"), NULL);
    add(compare, ONE TASK("'label':'2','stmt':'f','description':'b'"), NULL);
    add(compare, ONE TASK("'label':'2','stmt':'f','description':'a'"), NULL);
    assert_printed(
        compare,
        "label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core\r\n"
        "1,1,,f,a,median,1.234e-06,,,s,,,\r\n"
        "1,1,,f,b,median,1.234e-06,,,s,,,\r\n"
        "2,1,,f,a,median,1.234e-06,,,s,,,\r\n"
        "2,1,,f,b,median,1.234e-06,,,s,,,\r\n"
        "2,1,,f,c,median,1.234e-06,,,s,,,\r\n",
        .format = BILANX_CSV, .metric = "median");
}

static void a_missing_description_or_env_is_an_empty_heading(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'named'"), NULL);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, ONE TASK("'stmt':'f','env':'e'"), NULL);
    assert_printed(compare,
                   "            named\n"
                   "   f  1.234(5) us   1.234(5) us*\n"
                   "e  f                1.234(5) us*\n" KEY,
                   .width = 0);
    assert_printed(compare,
                   "[-----------  -----------]\n"
                   "          |  named  |     \n"
                   "1 threads: ---------------\n"
                   "       f  |   1.2   |  1.2\n"
                   "  (e)  f  |         |  1.2\n"
                   "\nTimes are in microseconds (us).\n\n",
                   .style = BILANX_COMPARE_TORCH);
}

static void times_below_a_nanosecond_stay_in_nanoseconds(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, KIND "'raw_times':[3e-10],'task':{'stmt':'f'}", NULL);
    assert_printed(compare, "f  0.3000 ns\n", .width = 0);
    AUTO(memory) char *torch =
        printed(compare, (struct bilanx_compare_options){.style = BILANX_COMPARE_TORCH});
    assert_non_null(strstr(torch, "  |  0.3\n"));
    assert_non_null(strstr(torch, "Times are in nanoseconds (ns)."));
}

static void a_failure_is_shown_as_a_word(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'a'"), NULL);
    add(compare, ONE TASK("'stmt':'h','description':'b'"), NULL);
    add(compare,
        "'kind':'failure','error':{'code':'crashed'}," TASK("'stmt':'f','description':'b'"), NULL);
    add(compare,
        "'kind':'failure','error':{'code':'timed-out'}," TASK("'stmt':'g','description':'a'"),
        NULL);
    add(compare, "'kind':'failure','error':{'text':'why'}," TASK("'stmt':'g','description':'b'"),
        NULL);
    assert_printed(compare,
                   "             a            b\n"
                   "f  1.234(5) us      crashed\n"
                   "h               1.234(5) us\n"
                   "g    timed out       failed\n",
                   .width = 0);
}

static void if_everything_failed_the_failures_are_shown(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, "'kind':'failure','error':{'code':'out-of-memory'},'task':{'stmt':'f'}", NULL);
    assert_printed(compare, "f  out of memory\n", .width = 0);
    assert_refused(compare, BILANX_E_INPUT, "no record has 'cpu'; they have failures",
                   .metric = "cpu");
}

static void replicates_are_merged_whatever_their_number_per_run(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, "'kind':'measurement','number_per_run':2,'raw_times':[4,8]," TASK("'stmt':'f'"),
        "a");
    add(compare, "'kind':'measurement','number_per_run':5,'raw_times':[15,5]," TASK("'stmt':'f'"),
        "a");
    add(compare, "'kind':'measurement','number_per_run':1,'raw_times':[6]," TASK("'stmt':'f'"),
        "a");
    assert_printed(compare, "f  3.000 s !\n\n! has warnings: unreliable-iqr\n", .width = 0);
}

static void a_failure_is_shown_only_if_there_is_nothing_else(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, "'kind':'failure','error':{'code':'crashed'},'task':{'stmt':'f'}", NULL);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, "'kind':'failure','error':{'code':'crashed'},'task':{'stmt':'f'}", NULL);
    assert_printed(compare, "f  1.234(5) us\n", .width = 0);
}

static void counts_join_the_times_of_their_task(void **state)
{
    (void)state;
#define COUNTS "'kind':'counts','counts':{'number':10,'per_iteration':7,'repeats':[70,70]},"
    NEW(compare);
    add(compare, COUNTS TASK("'stmt':'f'"), NULL);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, ONE TASK("'stmt':'g'"), NULL);
    add(compare, COUNTS TASK("'stmt':'g'"), NULL);
    assert_printed(compare, "f  1.234(5) us*\ng  1.234(5) us*\n" KEY, .width = 0);
    assert_printed(compare, "instructions\nf  7.000*\ng  7.000*\n" KEY, .metric = "instructions");
}

// A program may add records without statistics, which the reader never returns.
static struct bilanx_record bare(double time, const char *stmt)
{
    struct bilanx_record record = {
        .kind = mem_text("measurement"),
        .task = {.stmt = mem_text(stmt)},
        .timing = {.number_per_run = 1, .raw_times = mem_array(double, 1), .raw_count = 1},
    };
    record.timing.raw_times[0] = time;
    return record;
}

static void missing_statistics_are_computed(void **state)
{
    (void)state;
    NEW(compare);
    struct bilanx_record first = bare(1, "f"), second = bare(2, "g");
    bilanx_compare_add(compare, &first, NULL);
    add(compare, "'kind':'failure','error':{'code':'crashed'},'task':{'stmt':'g'}", NULL);
    bilanx_compare_add(compare, &second, NULL);
    struct bilanx_record empty = {0};
    bilanx_compare_add(compare, &empty, NULL);
    assert_printed(compare, "f  1.000 s*\ng  2.000 s\n" KEY, .width = 0);
}

static void more_can_be_added_after_printing(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, KIND "'raw_times':[1],'task':{'stmt':'f'}", NULL);
    assert_printed(compare, "f  1.000 s\n", .width = 0);
    add(compare, KIND "'raw_times':[1,1],'task':{'stmt':'f'}", NULL);
    add(compare, KIND "'raw_times':[2],'task':{'stmt':'g'}", NULL);
    assert_printed(compare, "f  1.000 s*\ng  2.000 s\n" KEY, .width = 0);
}

static void having_nothing_to_show_is_an_error(void **state)
{
    (void)state;
    NEW(compare);
    assert_refused(compare, BILANX_E_INPUT, "nothing to show", .width = 0);
    add(compare, "'kind':'doctor'", NULL);
    assert_refused(compare, BILANX_E_INPUT, "nothing to show", .width = 0);
    bilanx_compare_free(NULL);
}

static void tasks_that_differ_in_setup_flags_or_parameters_have_separate_rows(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','setup':'x=1'"), NULL);
    add(compare, TWO TASK("'stmt':'f','setup':'x=2'"), NULL);
    add(compare, ONE TASK("'label':'b','stmt':'f','compile':{'cc':'gcc','flags':'-O2'}"), NULL);
    add(compare, TWO TASK("'label':'b','stmt':'f','compile':{'cc':'gcc','flags':'-O3'}"), NULL);
    add(compare, ONE TASK("'label':'c','stmt':'f','parameters':{'n':1,'m':2}"), NULL);
    add(compare, TWO TASK("'label':'c','stmt':'f','parameters':{'n':2,'m':2}"), NULL);
    add(compare, THREE TASK("'label':'c','stmt':'f','parameters':{'n':'two','m':3}"), NULL);
    add(compare, ONE "'side':'A'," TASK("'label':'d','stmt':'f'"), NULL);
    add(compare, TWO "'side':'B'," TASK("'label':'d','stmt':'f'"), NULL);
    assert_printed(compare,
                   "f [setup: x=1]   1.234(5) us*\n"
                   "f [setup: x=2]  2.468(10) us\n"
                   "\nb\n"
                   "f [-O2]   1.234(5) us*\n"
                   "f [-O3]  2.468(10) us\n"
                   "\nc\n"  // different amounts of work: none is best
                   "f [n=1, m=2]     1.234(5) us\n"
                   "f [n=2, m=2]    2.468(10) us\n"
                   "f [n=two, m=3]  3.702(15) us\n"
                   "\nd\n"
                   "f [A]   1.234(5) us*\n"
                   "f [B]  2.468(10) us\n" KEY,
                   .width = 0);
}

static void only_tasks_in_the_same_cell_are_distinguished(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'a','setup':'x=1'"), NULL);
    add(compare, TWO TASK("'stmt':'f','description':'b','setup':'x=2'"), NULL);
    assert_printed(compare,
                   "             a             b\n"
                   "f  1.234(5) us  2.468(10) us\n",
                   .width = 0);
}

static void tasks_that_look_alike_are_numbered(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, TWO TASK("'stmt':'f','setup':''"), NULL);
    add(compare, THREE TASK("'stmt':'f','setup':'none'"), NULL);
    // Equal in the part that is shown.
#define LONG "0123456789012345678901234567890123456789"
    add(compare, ONE TASK("'label':'l','stmt':'f','setup':'" LONG "a'"), NULL);
    add(compare, TWO TASK("'label':'l','stmt':'f','setup':'" LONG "b'"), NULL);
    assert_printed(compare,
                   "f                    1.234(5) us*\n"
                   "f [setup: none]     2.468(10) us\n"
                   "f [setup: none] #2  3.702(15) us\n"
                   "\nl\n"
                   "f [setup: " LONG "…]      1.234(5) us*\n"
                   "f [setup: " LONG "…] #2  2.468(10) us\n" KEY,
                   .width = 0);
}

static void a_task_in_several_files_gets_a_column_per_file(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'"), "out/before.jsonl");
    add(compare, TWO TASK("'stmt':'f'"), "out/after.v2.json.gz");
    assert_printed(compare,
                   "        before      after.v2\n"
                   "f  1.234(5) us  2.468(10) us\n",
                   .width = 0);
    add(compare, ONE TASK("'stmt':'f'"), "-");
    add(compare, ONE TASK("'stmt':'f','description':'d'"), "-");
    assert_printed(compare,
                   "        before      after.v2        stdin     d, stdin\n"
                   "f  1.234(5) us  2.468(10) us  1.234(5) us  1.234(5) us\n",
                   .width = 0);
}

static void files_with_the_same_name_are_shown_with_their_path(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'"), "a/x.jsonl");
    add(compare, TWO TASK("'stmt':'f'"), "b/x.jsonl");
    assert_printed(compare,
                   "     a/x.jsonl     b/x.jsonl\n"
                   "f  1.234(5) us  2.468(10) us\n",
                   .width = 0);
}

static void files_with_nothing_in_common_form_one_table(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'a'"), "1");
    add(compare, TWO TASK("'stmt':'f','description':'b'"), "2");
    assert_printed(compare,
                   "             a             b\n"
                   "f  1.234(5) us  2.468(10) us\n",
                   .width = 0);
}

static void a_ratio_to_a_column_has_an_interval(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    // The errors of both, .4 % each, add up in squares.
    assert_printed(compare,
                   "copy: time / old\n"
                   "       old        new\n"
                   "small    1  2.000(11)\n"
                   "large    1   1.500(9)\n",
                   .ratio = "old");
}

// Value, low and high: how the interval of a ratio is formed.
static void the_interval_of_a_ratio_combines_both_errors(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    AUTO(memory) char *csv = printed(
        compare, (struct bilanx_compare_options){.format = BILANX_CSV, .ratio = "column:old"});
    const char *line = strstr(csv, "small,new,time,");
    double value, low, high;
    assert_int_equal(sscanf(line, "small,new,time,%lf,%lf,%lf,,", &value, &low, &high), 3);
    assert_near(value, 2, 1e-12);
    double down = hypot(log(2.468 / 2.458), log(1.239 / 1.234));
    double up = hypot(log(2.478 / 2.468), log(1.234 / 1.229));
    assert_near(low, 2 / exp(down), 1e-12);
    assert_near(high, 2 * exp(up), 1e-12);
}

static struct bilanx_compare *of_many_kinds(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    add(compare, ONE TASK("'stmt':'f','env':'gcc'"), "a.jsonl");
    add(compare, TWO TASK("'stmt':'f','env':'clang'"), "a.jsonl");
    add(compare, THREE TASK("'stmt':'g','env':'gcc'"), "a.jsonl");
    add(compare, ONE "'side':'A'," TASK("'stmt':'s','env':'gcc'"), "a.jsonl");
    add(compare, TWO "'side':'B'," TASK("'stmt':'s','env':'gcc'"), "a.jsonl");
    return compare;
}

static void a_ratio_may_be_to_an_env_a_row_or_a_side(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = of_many_kinds();
    assert_printed(compare,
                   "time / gcc\n"
                   "gcc    f              1\n"
                   "       g              1\n"
                   "       s [A]          1\n"
                   "       s [B]          1\n"
                   "clang  f      2.000(11)\n",
                   .ratio = "gcc");
    assert_printed(compare,
                   "time / f\n"
                   "gcc    f              1\n"
                   "       g      3.000(17)\n"
                   "       s [A]   1.000(6)\n"
                   "       s [B]  2.000(11)\n"
                   "clang  f              1\n",
                   .ratio = "f");
    assert_printed(compare,
                   "time / side:A\n"
                   "gcc    f              -\n"
                   "       g              -\n"
                   "       s [A]          1\n"
                   "       s [B]  2.000(11)\n"
                   "clang  f              -\n",
                   .ratio = "side:A");
}

static void a_ratio_may_be_to_a_file_given_by_path_or_name(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'d'"), "out/before.jsonl");
    add(compare, TWO TASK("'stmt':'f','description':'d'"), "out/after.jsonl");
    static const char *const bases[] = {"before", "out/before.jsonl", "file:before", "d, before"};
    for (size_t i = 0; i < LENGTH(bases); i++) {
        AUTO(memory) char *out =
            printed(compare, (struct bilanx_compare_options){.ratio = bases[i]});
        assert_non_null(strstr(out, "\n   d, before   d, after\nf          1  2.000(11)\n"));
    }
}

static void a_side_is_compared_with_the_same_side_of_another_file(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE "'side':'A'," TASK("'stmt':'f'"), "before");
    add(compare, TWO "'side':'B'," TASK("'stmt':'f'"), "before");
    add(compare, TWO "'side':'A'," TASK("'stmt':'f'"), "after");
    add(compare, THREE "'side':'B'," TASK("'stmt':'f'"), "after");
    assert_printed(compare,
                   "time / file:before\n"
                   "       before      after\n"
                   "f [A]       1  2.000(11)\n"
                   "f [B]       1   1.500(9)\n",
                   .ratio = "file:before");
}

static void an_unknown_base_is_an_error_that_lists_the_known_ones(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = of_many_kinds();
    assert_refused(compare, BILANX_E_INPUT,
                   "no column, env, row, side or file is named 'icc'; known names: 'gcc', 'clang', "
                   "'f', 'g', 's [A]'",
                   .ratio = "icc");
    assert_refused(compare, BILANX_E_INPUT, "is named 'env:f'", .ratio = "env:f");
    assert_refused(compare, BILANX_E_INPUT, "is named 'e'", .ratio = "e");
}

static void a_cell_without_a_base_is_a_dash(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f','description':'a'"), NULL);
    add(compare, TWO TASK("'stmt':'f','description':'b'"), NULL);
    add(compare, TWO TASK("'stmt':'g','description':'b'"), NULL);
    add(compare,
        "'kind':'failure','error':{'code':'crashed'}," TASK("'stmt':'h','description':'a'"), NULL);
    add(compare, TWO TASK("'stmt':'h','description':'b'"), NULL);
    add(compare, KIND "'raw_times':[0]," TASK("'stmt':'zero','description':'a'"), NULL);
    add(compare, ONE TASK("'stmt':'zero','description':'b'"), NULL);
    assert_printed(compare,
                   "time / a\n"
                   "            a          b\n"
                   "f           1  2.000(11)\n"
                   "g                      -\n"
                   "h     crashed          -\n"
                   "zero        1          -\n",
                   .ratio = "a");
}

static void rows_and_columns_can_be_transposed(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy\n"
                   "            small          large\n"
                   "old   1.234(5) us*  2.468(10) us*\n"
                   "new  2.468(10) us   3.702(15) us\n" KEY,
                   .transpose = true);
    add(compare, ONE TASK("'label':'t','stmt':'f','num_threads':2,'env':'e'"), NULL);
    AUTO(memory) char *csv =
        printed(compare, (struct bilanx_compare_options){
                             .transpose = true, .metric = "median", .format = BILANX_CSV});
    assert_non_null(strstr(csv, "copy,,,old,\"small, 1 thread\",median,1.234e-06,,,s,,,\r\n"));
    assert_non_null(strstr(csv, "t,,,,\"f, e, 2 threads\",median,1.234e-06,,,s,,,\r\n"));
    AUTO(memory) char *torch = printed(
        compare, (struct bilanx_compare_options){.transpose = true, .style = BILANX_COMPARE_TORCH});
    assert_null(strstr(torch, "threads:"));
}

static void the_uncertainty_of_digits_is_explained_once_below(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    static const char LINE[] = "1.23(4): the last digits are uncertain by 4, at 95 %\n";
    AUTO(memory) char *text = printed(compare, (struct bilanx_compare_options){0});
    assert_non_null(strstr(text, "\n\n* best of its column, or too close to call\n1.23(4): "));
    assert_string_equal(text + strlen(text) - strlen(LINE), LINE);
    AUTO(memory) char *markdown =
        printed(compare, (struct bilanx_compare_options){.format = BILANX_MARKDOWN});
    assert_non_null(strstr(markdown, "too close to call  \n1.23(4): "));
    NEW(exact);
    add(exact, KIND "'raw_times':[1e-6]," TASK("'label':'t'"), NULL);
    AUTO(memory) char *alone = printed(exact, (struct bilanx_compare_options){0});
    assert_null(strstr(alone, "1.23(4)"));
}

static void counts_are_not_doubted_because_the_machine_is_busy(void **state)
{
    (void)state;
    NEW(compare);
    add(compare,
        ONE "'counts':{'number':1,'instructions':12,'per_iteration':12,'repeats':[12]},"
            "'warnings':[{'code':'busy-machine','text':'it is'}]," TASK("'stmt':'f'"),
        NULL);
    assert_printed(compare, "f  1.234(5) us !\n\n! has warnings: busy-machine\n", .metric = "time");
    assert_printed(compare, "instructions\nf  12.00\n", .metric = "instructions");
}

static void several_stars_in_a_row_are_explained(void **state)
{
    (void)state;
    NEW(compare);
#define CELL(column, env) \
    TASK("'label':'t','sub_label':'r','description':'" column "','env':'" env "'")
    add(compare, TWO CELL("sort", "gcc"), NULL);
    add(compare, ONE CELL("sort", "clang"), NULL);
    add(compare, TWO CELL("copy", "gcc"), NULL);
    add(compare, ONE CELL("copy", "clang"), NULL);
    assert_printed(compare,
                   "t\n"
                   "      sort, gcc   sort, clang      copy, gcc   copy, clang\n"
                   "r  2.468(10) us   1.234(5) us*  2.468(10) us   1.234(5) us*\n"
                   "\n* best of its row for each name (sort, copy), or too close to "
                   "call\n",
                   .envs = true);
}

static void a_transposed_table_may_mark_the_best_of_each_row(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy\n"
                   "            small          large\n"
                   "old   1.234(5) us*  2.468(10) us\n"
                   "new  2.468(10) us*  3.702(15) us\n"
                   "\n* best of its row, or too close to call\n",
                   .transpose = true, .best_of_row = true);
    char *out = NULL;
    assert_int_equal(
        print(compare, &(struct bilanx_compare_options){.best_of_row = true}, &out).status,
        BILANX_E_USAGE);
    free(out);
}

static void a_ratio_is_the_same_in_a_transposed_table(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy: time / old\n"
                   "         small     large\n"
                   "old          1         1\n"
                   "new  2.000(11)  1.500(9)\n",
                   .transpose = true, .ratio = "old");
}

static struct bilanx_compare *to_sort(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    add(compare, TWO TASK("'stmt':'n=100','description':'a'"), NULL);
    add(compare, ONE TASK("'stmt':'n=20','description':'a'"), NULL);
    add(compare, THREE TASK("'stmt':'n=3','description':'b'"), NULL);
    add(compare, ONE TASK("'stmt':'n=3','description':'a'"), NULL);
    add(compare, TWO TASK("'stmt':'n=100','description':'b'"), NULL);
    add(compare, ONE TASK("'stmt':'n=1','num_threads':2"), NULL);
    return compare;
}

// The order of the rows.
static void assert_order(struct bilanx_compare *compare, const char *sort, const char *ratio,
                         const char *expected)
{
    AUTO(memory) char *out =
        printed(compare, (struct bilanx_compare_options){.sort = sort, .ratio = ratio});
    AUTO(text) struct text names = {0};
    for (const char *at = out; (at = strstr(at, "n=")); at += 2)
        text_add_n(&names, at, strcspn(at, " \n") + 1);
    assert_string_equal(text_get(&names), expected);
}

static void rows_are_sorted_within_each_number_of_threads(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = to_sort();
    assert_order(compare, NULL, NULL, "n=100 n=20 n=3 n=1 ");
    assert_order(compare, "defined", NULL, "n=100 n=20 n=3 n=1 ");
    assert_order(compare, "name", NULL, "n=3 n=20 n=100 n=1 ");
    assert_order(compare, "value", NULL, "n=20 n=3 n=100 n=1 ");
    assert_order(compare, "a", NULL, "n=20 n=3 n=100 n=1 ");
    assert_order(compare, "b", NULL, "n=100 n=3 n=20 n=1 ");  // without a value: last
    assert_order(compare, "b", "column:a", "n=100 n=3 n=20 n=1 ");
    assert_order(compare, "a", "column:b", "n=3 n=100 n=20 n=1 ");  // by the value shown
    assert_refused(compare, BILANX_E_USAGE,
                   "cannot sort by 'c': choose from defined, name, value, 'a', 'b'", .sort = "c");
}

static void a_summary_covers_only_rows_present_in_every_column(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy\n"
                   "                         old            new\n"
                   "small            1.234(5) us*  2.468(10) us*\n"
                   "large           2.468(10) us   3.702(15) us\n"
                   "geometric mean      1.745 us       3.023 us\n" KEY,
                   .summary = true);
    add(compare, ONE TASK("'label':'copy','sub_label':'third','description':'old'"), NULL);
    AUTO(memory) char *json =
        printed(compare, (struct bilanx_compare_options){.summary = true, .format = BILANX_JSON});
    assert_non_null(strstr(json, "\"mean_rows\":2,\"geometric_means\":[1.74"));
    AUTO(memory) char *table = printed(compare, (struct bilanx_compare_options){.summary = true});
    assert_non_null(strstr(table, "geometric mean (2 of 3 rows)      1.745 us "));
    assert_refused(compare, BILANX_E_USAGE, "cannot show a summary", .summary = true,
                   .format = BILANX_CSV);
}

#define EVERYTHING                                                                             \
    "'kind':'measurement','number_per_run':2,'raw_times':[2,4,6],'raw_cpu_times':[1,1,4],"     \
    "'rates':{'bytes':3e9,'items':6},'max_rss':4096,'counters':{'hits':12,'miss rate':0.25},"  \
    "'counts':{'number':10,'instructions':1000,'per_iteration':100,'repeats':[990,1000,1010]," \
    "'allocations':{'count':3,'bytes':48}}," TASK("'stmt':'f'")

static void any_metric_can_be_shown(void **state)
{
    (void)state;
    static const struct {
        const char *name, *expected;
    } metrics[] = {
        {"cpu", "500.0 ms"},
        {"instructions", "100.0(10)"},
        {"bytes-per-second", "1.500 GB/s"},
        {"median", "2.000 s"},
        {"mean", "2.000 s"},
        {"items-per-second", "3.000 /s"},
        {"min", "1.000 s"},
        {"stddev", "1.000 s"},
        {"allocations", "3.000"},
        {"max-rss", "4.096 kB"},
        {"hits", "12.00"},
        {"miss rate", "0.2500"},
    };
    NEW(compare);
    add(compare, EVERYTHING, NULL);
    for (size_t i = 0; i < LENGTH(metrics); i++) {
        AUTO(memory) char *out =
            printed(compare, (struct bilanx_compare_options){.metric = metrics[i].name});
        AUTO(memory) char *expected = mem_format("%s\nf  %s", metrics[i].name, metrics[i].expected);
        out[strlen(expected)] = '\0';  // cut off marks and their legend
        assert_string_equal(out, expected);
    }
}

static void a_rate_has_an_interval_and_a_higher_one_is_better(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE "'rates':{'bytes':1234}," TASK("'stmt':'f'"), NULL);
    add(compare, TWO "'rates':{'bytes':1234}," TASK("'stmt':'g'"), NULL);
    assert_printed(compare,
                   "bytes-per-second\n"
                   "f  1.000(4) GB/s*\n"
                   "g    500(2) MB/s\n" KEY,
                   .metric = "bytes-per-second");
}

static void no_value_of_a_counter_is_marked_as_best(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE "'counters':{'hits':1}," TASK("'stmt':'f'"), NULL);
    add(compare, ONE "'counters':{'hits':-2.5}," TASK("'stmt':'g'"), NULL);
    add(compare, ONE TASK("'stmt':'h'"), NULL);
    assert_printed(compare,
                   "hits\n"
                   "f   1.000  ████████████████\n"
                   "g  -2.500\n"
                   "h       -\n",
                   .metric = "hits", .width = 80);
}

static void an_unknown_metric_is_an_error_that_lists_the_known_ones(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, EVERYTHING, NULL);
    assert_refused(compare, BILANX_E_INPUT,
                   "no record has 'hit' (did you mean 'hits'?); they have time, cpu, "
                   "instructions, bytes-per-second, items-per-second, median, mean, min, stddev, "
                   "allocations, max-rss, hits, miss rate",
                   .metric = "hit");
    assert_refused(compare, BILANX_E_INPUT, "no record has 'nothing like it'; they have",
                   .metric = "nothing like it", .ratio = "f");
}

static void the_best_is_chosen_among_rows_with_the_same_threads(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, TWO TASK("'stmt':'g'"), NULL);
    add(compare, TWO TASK("'stmt':'f','num_threads':2"), NULL);
    add(compare,
        KIND "'raw_times':[2.472e-6,2.473e-6,2.476e-6,2.476e-6,2.478e-6,2.479e-6]," TASK(
            "'stmt':'g','num_threads':2"),
        NULL);  // not distinguishable from it
    add(compare, THREE TASK("'stmt':'h','num_threads':2"), NULL);
    add(compare, ONE TASK("'stmt':'f','num_threads':3"), NULL);  // a single value is not marked
    assert_printed(compare,
                   "threads\n"
                   "      1  f   1.234(5) us*\n"
                   "         g  2.468(10) us\n"
                   "      2  f  2.468(10) us*\n"
                   "         g   2.476(4) us*\n"
                   "         h  3.702(15) us\n"
                   "      3  f   1.234(5) us\n" KEY,
                   .width = 0);
}

static void a_cell_with_warnings_is_marked(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE "'warnings':[{'code':'x','text':'y'}]," TASK("'stmt':'f'"), NULL);
    add(compare, TWO TASK("'stmt':'g'"), NULL);
    assert_printed(compare,
                   "f   1.234(5) us*!\n"
                   "g  2.468(10) us\n" KEY "! has warnings: x\n",
                   .width = 0);
    AUTO(memory) char *json =
        printed(compare, (struct bilanx_compare_options){.format = BILANX_JSON});
    assert_non_null(strstr(json, "\"doubt\":true"));
}

static void colours_are_used_only_on_request(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    AUTO(memory) char *plain = printed(compare, (struct bilanx_compare_options){0});
    assert_null(strchr(plain, '\033'));
    AUTO(memory) char *colored = printed(compare, (struct bilanx_compare_options){.color = true});
    assert_non_null(strstr(colored, "\033[1mcopy\033[0m\n"));
    assert_non_null(strstr(colored, "\033[32m1.234(5) us*\033[0m"));
    AUTO(memory) char *ratio =
        printed(compare, (struct bilanx_compare_options){.color = true, .ratio = "new"});
    assert_non_null(strstr(ratio, "\033[32m0.500(3)"));  // less time is better
    AUTO(memory) char *other =
        printed(compare, (struct bilanx_compare_options){.color = true, .ratio = "old"});
    assert_non_null(strstr(other, "\033[31m2.000(11)"));
}

// Every line fits, except in a table of one column.
static void assert_fits(struct bilanx_compare *compare, size_t width)
{
    AUTO(memory) char *out =
        printed(compare, (struct bilanx_compare_options){.width = width, .summary = true});
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
        if (text_width(line) > width)
            fail_msg("%zu columns, not %zu: '%s'", text_width(line), width, line);
}

static void a_table_that_is_too_wide_is_split_into_blocks(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "copy\n"
                   "                old\n"
                   "small   1.234(5) us*\n"
                   "large  2.468(10) us\n"
                   "\n"
                   "                new\n"
                   "small  2.468(10) us*\n"
                   "large  3.702(15) us\n"
                   "\n"
                   "* best of its column, or too close\n"
                   "  to call\n",
                   .width = 34);
    for (size_t i = 0; i < 20; i++) {
        AUTO(memory) char *members =
            mem_format(TWO TASK("'label':'copy','sub_label':'%s','description':'column %zu'"),
                       i % 2 ? "漢字の行" : "e\u0301e\u0301", i * i * i * i);
        add(compare, members, NULL);
    }
    for (size_t width = 50; width < 300; width++)
        assert_fits(compare, width);
}

static void bars_fill_the_remaining_width(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'f'"), NULL);
    add(compare, TWO TASK("'stmt':'g'"), NULL);
    add(compare, KIND "'raw_times':[1e-9]," TASK("'stmt':'h'"), NULL);
    assert_printed(compare,
                   "f   1.234(5) us   ████████\n"
                   "g  2.468(10) us   ████████████████\n"
                   "h      1.000 ns*  ▏\n" KEY,
                   .width = 80);
    assert_printed(compare,
                   "f   1.234(5) us   ██▌\n"
                   "g  2.468(10) us   █████\n"
                   "h      1.000 ns*  ▏\n"
                   "\n"
                   "* best of its column,\n"
                   "  or too close to call\n",
                   .width = 23);
    assert_printed(compare,
                   "f   1.234(5) us\n"
                   "g  2.468(10) us\n"
                   "h      1.000 ns*\n"
                   "\n"
                   "* best of its column,\n"
                   "  or too close to call\n",
                   .width = 22);
}

static void names_that_are_too_long_lose_their_middle(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'a statement that is longer than the terminal is wide [1]'"),
        NULL);
    add(compare, TWO TASK("'stmt':'a statement that is longer than the terminal is wide [2]'"),
        NULL);
    assert_printed(compare,
                   "a statement th…al is wide [1]   1.234(5) us*\n"
                   "a statement th…al is wide [2]  2.468(10) us\n" KEY,
                   .width = 44);
    // Not if rows would become indistinguishable.
    add(compare, THREE TASK("'stmt':'a statement that is shorter than the terminal is wide [2]'"),
        NULL);
    AUTO(memory) char *whole = printed(compare, (struct bilanx_compare_options){.width = 44});
    assert_non_null(strstr(whole, "longer than the terminal is wide [1]"));
}

static void wide_characters_and_combining_marks_are_aligned(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'stmt':'漢字','description':'速度'"), NULL);
    add(compare, TWO TASK("'stmt':'e\u0301','description':'速度'"), NULL);
    add(compare, THREE TASK("'stmt':'abcd','description':'速度'"), NULL);
    assert_printed(compare,
                   "              速度\n"
                   "漢字   1.234(5) us*\n"
                   "e\u0301     2.468(10) us\n"
                   "abcd  3.702(15) us\n" KEY,
                   .width = 0);
}

#define EVIL "\\u001b[2J\\u0007\\u202e\\n"

static void add_evil(struct bilanx_compare *compare)
{
    add(compare,
        ONE "'counters':{'c" EVIL "':1}," TASK("'label':'l" EVIL "','sub_label':'r" EVIL
                                               "','description':'d" EVIL "','env':'e" EVIL "'"),
        "file\033[2J");
    add(compare,
        "'kind':'failure','error':{'code':'x" EVIL
        "'}," TASK("'label':'l" EVIL "','sub_label':'s" EVIL "'"),
        "other\033[2J");
    add(compare,
        ONE TASK("'label':'l" EVIL "','sub_label':'r" EVIL "','description':'d" EVIL
                 "','env':'e" EVIL "'"),
        "other\033[2J");
}

static void labels_cannot_control_the_terminal(void **state)
{
    (void)state;
    NEW(compare);
    add_evil(compare);
    static const struct bilanx_compare_options looks[] = {
        {0},
        {.width = 40, .summary = true},
        {.style = BILANX_COMPARE_TORCH},
        {.style = BILANX_COMPARE_TORCH, .transpose = true},
        {.format = BILANX_MARKDOWN},
        {.format = BILANX_CSV},
        {.format = BILANX_JSON},
        {.transpose = true},
        {.ratio = "file\033[2J"},
        {.metric = "c\033[2J\a\u202e\n"},
        {.metric = "c\033[2J\a\u202e\n", .format = BILANX_CSV},
    };
    for (size_t i = 0; i < LENGTH(looks); i++) {
        AUTO(memory) char *out = printed(compare, looks[i]);
        assert_null(strchr(out, '\033'));
        assert_null(strchr(out, '\a'));
        bool json = looks[i].format == BILANX_JSON;  // JSON keeps the character
        assert_true(json || !strstr(out, "\u202e"));
        assert_non_null(strstr(out, json ? "d\\u001b[2J" : "\\x1b"));
    }
}

static void labels_cannot_break_markdown_tables(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'label':'a|b #','sub_label':'x|y','description':'*d*','env':'e'"), NULL);
    add(compare, TWO TASK("'label':'a|b #','sub_label':'`z`','description':'*d*','num_threads':2"),
        NULL);
    assert_printed(compare,
                   "### a\\|b \\#\n"
                   "\n"
                   "| threads | env |  | \\*d\\* |\n"
                   "|---:|---|---|---:|\n"
                   "| 1 | e | x\\|y | 1.234(5) us |\n"
                   "| 2 |  | \\`z\\` | 2.468(10) us |\n",
                   .format = BILANX_MARKDOWN, .width = 20);
}

static void csv_is_quoted_where_needed(void **state)
{
    (void)state;
    NEW(compare);
    add(compare,
        KIND "'raw_times':[1.5],'task':{'label':'a,b','sub_label':'say \\\"x\\\"','num_threads':3}",
        NULL);
    add(compare, "'kind':'failure','error':{'code':'timed-out'},'task':{'label':'a,b'}", NULL);
    assert_printed(
        compare,
        "label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core\r\n"
        "\"a,b\",1,,,,time,,,,s,timed-out,,\r\n"
        "\"a,b\",3,,\"say \"\"x\"\"\",,time,1.5,,,s,,,\r\n",
        .format = BILANX_CSV);
}

static void csv_tells_the_state_of_the_core(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, KIND "'raw_times':[1.5],'core':'shared','task':{'label':'a'}", NULL);
    assert_printed(
        compare,
        "label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core\r\n"
        "a,1,,,,time,1.5,,,s,,,shared\r\n",
        .format = BILANX_CSV);
}

static void json_has_everything_by_name(void **state)
{
    (void)state;
    NEW(compare);
    add(compare, ONE TASK("'label':'l','stmt':'f','description':'a','env':'e'"), NULL);
    add(compare,
        "'kind':'failure','error':{'code':'crashed'}," TASK(
            "'label':'l','stmt':'g','description':'b','num_threads':2"),
        NULL);
    assert_printed(
        compare,
        "{\"metric\":\"time\",\"unit\":\"s\",\"tables\":[{\"label\":\"l\",\"columns\":[\"a\",\"b\"]"
        ","
        "\"rows\":[{\"threads\":1,\"env\":\"e\",\"row\":\"f\",\"cells\":[{\"value\":1.234e-06,"
        "\"interval\":[1.229e-06,1.239e-06]},null]},{\"threads\":2,\"env\":\"\",\"row\":\"g\","
        "\"cells\":[null,{\"failure\":\"crashed\"}]}]}]}\n",
        .format = BILANX_JSON);
    AUTO(memory) char *ratio =
        printed(compare, (struct bilanx_compare_options){.format = BILANX_JSON, .ratio = "a"});
    assert_non_null(
        strstr(ratio, "{\"metric\":\"time\",\"unit\":\"\",\"ratio\":\"a\",\"tables\":"));
    assert_non_null(strstr(ratio, "[{\"value\":1},null]"));
}

static void the_torch_style_looks_like_torch(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_printed(compare,
                   "[---------- copy ---------]\n"
                   "             |  old  |  new\n"
                   "1 threads: ----------------\n"
                   "      small  |  1.2  |  2.5\n"
                   "      large  |  2.5  |  3.7\n"
                   "\nTimes are in microseconds (us).\n\n",
                   .style = BILANX_COMPARE_TORCH);
}

static void options_that_do_not_go_together_are_rejected(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = two_by_two();
    assert_refused(compare, BILANX_E_USAGE, "need --style torch", .trim = true);
    assert_refused(compare, BILANX_E_USAGE, "need --style torch",
                   .colorize = BILANX_COMPARE_BY_ROW);
    assert_refused(compare, BILANX_E_USAGE, "need --style torch", .highlight_warnings = true);
    assert_refused(compare, BILANX_E_USAGE, "--style torch only shows tables of times",
                   .style = BILANX_COMPARE_TORCH, .metric = "cpu");
    assert_refused(compare, BILANX_E_USAGE, "--style torch only shows tables of times",
                   .style = BILANX_COMPARE_TORCH, .format = BILANX_JSON);
}

// As many tables, rows and columns as records: quadratic code would not finish.
static void many_tables_columns_and_rows_are_printed_quickly(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    NEW(compare);
    for (size_t i = 0; i < COUNT; i++) {
        struct bilanx_record record = bare(1e-6 * (double)(i + 1), "f");
        record.task.label = mem_format("%zu", i);
        record.task.description = mem_format("%zu", i);
        bilanx_compare_add(compare, &record, NULL);
        record = bare(1, "one row of many columns");
        record.task.description = mem_format("%zu", i);
        bilanx_compare_add(compare, &record, NULL);
    }
    static const struct bilanx_compare_options looks[] = {
        {.format = BILANX_JSON, .summary = true},
        {.transpose = true, .sort = "value"},
        {.style = BILANX_COMPARE_TORCH, .colorize = BILANX_COMPARE_BY_ROW},
    };
    for (size_t i = 0; i < LENGTH(looks); i++) {
        AUTO(memory) char *out = printed(compare, looks[i]);
        assert_true(strlen(out) > 10 * COUNT);
    }
}

static void a_table_too_large_to_read_is_rejected(void **state)
{
    (void)state;
    NEW(compare);
    for (size_t i = 0; i < 5000; i++) {
        struct bilanx_record record = bare(1, "");
        record.task.sub_label = mem_format("%zu", i);
        record.task.description = mem_format("%zu", i);
        bilanx_compare_add(compare, &record, NULL);
    }
    assert_refused(compare, BILANX_E_INPUT, "has 5000 rows by 5000 columns", .width = 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_shows_its_uncertainty_and_the_best_is_marked),
        cmocka_unit_test(each_label_has_a_table_in_order_of_appearance),
        cmocka_unit_test(rows_are_grouped_by_threads_and_env_and_named_by_sub_label_or_statement),
        cmocka_unit_test(commits_are_not_replicates_and_come_in_the_order_of_history),
        cmocka_unit_test(commits_in_different_files_are_columns_as_before),
        cmocka_unit_test(columns_have_the_same_order_in_all_tables),
        cmocka_unit_test(a_missing_description_or_env_is_an_empty_heading),
        cmocka_unit_test(times_below_a_nanosecond_stay_in_nanoseconds),
        cmocka_unit_test(a_failure_is_shown_as_a_word),
        cmocka_unit_test(if_everything_failed_the_failures_are_shown),
        cmocka_unit_test(replicates_are_merged_whatever_their_number_per_run),
        cmocka_unit_test(a_failure_is_shown_only_if_there_is_nothing_else),
        cmocka_unit_test(counts_join_the_times_of_their_task),
        cmocka_unit_test(missing_statistics_are_computed),
        cmocka_unit_test(more_can_be_added_after_printing),
        cmocka_unit_test(having_nothing_to_show_is_an_error),
        cmocka_unit_test(tasks_that_differ_in_setup_flags_or_parameters_have_separate_rows),
        cmocka_unit_test(only_tasks_in_the_same_cell_are_distinguished),
        cmocka_unit_test(tasks_that_look_alike_are_numbered),
        cmocka_unit_test(a_task_in_several_files_gets_a_column_per_file),
        cmocka_unit_test(files_with_the_same_name_are_shown_with_their_path),
        cmocka_unit_test(files_with_nothing_in_common_form_one_table),
        cmocka_unit_test(a_ratio_to_a_column_has_an_interval),
        cmocka_unit_test(the_interval_of_a_ratio_combines_both_errors),
        cmocka_unit_test(a_ratio_may_be_to_an_env_a_row_or_a_side),
        cmocka_unit_test(a_ratio_may_be_to_a_file_given_by_path_or_name),
        cmocka_unit_test(a_side_is_compared_with_the_same_side_of_another_file),
        cmocka_unit_test(an_unknown_base_is_an_error_that_lists_the_known_ones),
        cmocka_unit_test(a_cell_without_a_base_is_a_dash),
        cmocka_unit_test(rows_and_columns_can_be_transposed),
        cmocka_unit_test(the_uncertainty_of_digits_is_explained_once_below),
        cmocka_unit_test(counts_are_not_doubted_because_the_machine_is_busy),
        cmocka_unit_test(several_stars_in_a_row_are_explained),
        cmocka_unit_test(a_transposed_table_may_mark_the_best_of_each_row),
        cmocka_unit_test(a_ratio_is_the_same_in_a_transposed_table),
        cmocka_unit_test(rows_are_sorted_within_each_number_of_threads),
        cmocka_unit_test(a_summary_covers_only_rows_present_in_every_column),
        cmocka_unit_test(any_metric_can_be_shown),
        cmocka_unit_test(a_rate_has_an_interval_and_a_higher_one_is_better),
        cmocka_unit_test(no_value_of_a_counter_is_marked_as_best),
        cmocka_unit_test(an_unknown_metric_is_an_error_that_lists_the_known_ones),
        cmocka_unit_test(the_best_is_chosen_among_rows_with_the_same_threads),
        cmocka_unit_test(a_cell_with_warnings_is_marked),
        cmocka_unit_test(colours_are_used_only_on_request),
        cmocka_unit_test(a_table_that_is_too_wide_is_split_into_blocks),
        cmocka_unit_test(bars_fill_the_remaining_width),
        cmocka_unit_test(names_that_are_too_long_lose_their_middle),
        cmocka_unit_test(wide_characters_and_combining_marks_are_aligned),
        cmocka_unit_test(labels_cannot_control_the_terminal),
        cmocka_unit_test(labels_cannot_break_markdown_tables),
        cmocka_unit_test(csv_is_quoted_where_needed),
        cmocka_unit_test(csv_tells_the_state_of_the_core),
        cmocka_unit_test(json_has_everything_by_name),
        cmocka_unit_test(the_torch_style_looks_like_torch),
        cmocka_unit_test(options_that_do_not_go_together_are_rejected),
        cmocka_unit_test(many_tables_columns_and_rows_are_printed_quickly),
        cmocka_unit_test(a_table_too_large_to_read_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
