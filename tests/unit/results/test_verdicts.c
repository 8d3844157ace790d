// Verdicts and environments in tables.
#include "bilanx/compare.h"

#include <stdlib.h>

#include "base/mem.h"
#include "records.h"

static void scope_compare(struct bilanx_compare **compare)
{
    bilanx_compare_free(*compare);
}

static void add(struct bilanx_compare *compare, const char *members)
{
    struct bilanx_record record = record_of(members);
    bilanx_compare_add(compare, &record, NULL);
}

static char *printed(struct bilanx_compare *compare, struct bilanx_compare_options options)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    assert_ok(bilanx_compare_print(compare, &options, file));
    fclose(file);
    return out;
}

#define assert_printed(compare, expected, ...)                              \
    do {                                                                    \
        AUTO(memory) char *printed_ =                                       \
            printed(compare, (struct bilanx_compare_options){__VA_ARGS__}); \
        assert_string_equal(printed_, expected);                            \
    } while (0)

// One that is decided, one without times, and a repeated question, whose last answer counts.
static struct bilanx_compare *some_verdicts(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    add(compare, "'kind':'verdict','side':'B','verdict':'same','baseline':'A','change':0.9,"
                 "'task':{'label':'l','stmt':'f(x)','env':'e'}");
    add(compare, "'kind':'verdict','side':'B','verdict':'undecided','baseline':'A',"
                 "'task':{'stmt':'g(x)'}");
    add(compare, "'kind':'verdict','side':'B','verdict':'slower','baseline':'A','change':0.125,"
                 "'interval':[0.1,0.15],'times':[1e-6,1.125e-6],'core':'free',"
                 "'task':{'label':'l','stmt':'f(x)','env':'e'}");
    return compare;
}

static void verdicts_are_a_table_of_their_own(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = some_verdicts();
    assert_printed(
        compare,
        "case  baseline  side    before     after    change          interval  verdict\n"
        "l     A         B     1.000 us  1.125 us  +12.50 %  +10.00 .. +15.00  slower\n"
        "g(x)  A         B                                                     undecided\n",
        .width = 100);
    assert_printed(compare,
                   "| case | baseline | side | before | after | change | interval | verdict |\n"
                   "|---|---|---|---:|---:|---:|---:|---|\n"
                   "| l | A | B | 1.000 us | 1.125 us | +12.50 % | +10.00 .. +15.00 | slower |\n"
                   "| g(x) | A | B |  |  |  |  | undecided |\n",
                   .format = BILANX_MARKDOWN);
    assert_printed(
        compare,
        "label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core\r\n"
        "l,,e,l,B,change,0.125,0.1,0.15,share,,slower,free\r\n"
        ",,,g(x),B,change,,,,share,,undecided,\r\n",
        .format = BILANX_CSV);
    assert_printed(
        compare,
        "{\"metric\":\"change\",\"unit\":\"share\",\"tables\":[],\"verdicts\":[{\"case\":\"l\","
        "\"baseline\":\"A\",\"side\":\"B\",\"change\":0.125,\"interval\":[0.1,0.15],\"verdict\":"
        "\"slower\"},{\"case\":\"g(x)\",\"baseline\":\"A\",\"side\":\"B\",\"change\":null,"
        "\"interval\":[null,null],\"verdict\":\"undecided\"}]}\n",
        .format = BILANX_JSON);
    assert_printed(compare,
                   "\033[2mcase\033[0m  \033[2mbaseline\033[0m  \033[2mside\033[0m    "
                   "\033[2mbefore\033[0m     \033[2mafter\033[0m    \033[2mchange\033[0m          "
                   "\033[2minterval\033[0m  \033[2mverdict\033[0m\n"
                   "l     A         B     1.000 us  1.125 us  \033[31m+12.50 %\033[0m  +10.00 .. "
                   "+15.00  \033[31mslower\033[0m\n"
                   "g(x)  A         B                                 \033[2m\033[0m               "
                   "     \033[2mundecided\033[0m\n",
                   .color = true);
}

#define TIMES "'kind':'measurement','number_per_run':1,'raw_times':["
#define ROW(times, name, column, env)                                                 \
    TIMES times "],'task':{'label':'t','sub_label':'" name "','description':'" column \
                "','env':'" env "'}"

static struct bilanx_compare *some_environments(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    add(compare, ROW("2e-6", "small", "one", "gcc"));
    add(compare, ROW("1e-6", "small", "one", "clang"));
    add(compare, ROW("3e-6", "large", "one", "gcc"));
    add(compare, ROW("5e-6", "large", "two", "gcc"));
    add(compare, ROW("4e-6", "large", "one", "clang"));
    add(compare, "'kind':'measurement','number_per_run':1,'raw_times':[9e-6],'task':{'label':'t',"
                 "'sub_label':'large','description':'one','env':'gcc','num_threads':2}");
    return compare;
}

static void environments_can_be_columns(void **state)
{
    (void)state;
    AUTO(compare) struct bilanx_compare *compare = some_environments();
    assert_printed(
        compare,
        "t\n"
        "threads                     one                          two\n"
        "      1  gcc    small  2.000 us   ███▌\n"
        "                large  3.000 us   █████▍            5.000 us   ████████████████\n"
        "         clang  small  1.000 us*  █▊\n"
        "                large  4.000 us   ███████▏\n"
        "      2  gcc    large  9.000 us   ████████████████\n"
        "\n"
        "* best of its column, or too close to call\n",
        .width = 100);
    assert_printed(
        compare,
        "t\n"
        "threads         one, gcc                    one, clang                    two, gcc\n"
        "      1  small  2.000 us   ███▍               1.000 us*  ███▊\n"
        "         large  3.000 us*  █████              4.000 us   ███████████████  5.000 us   "
        "███████████████\n"
        "      2  large  9.000 us   ███████████████\n"
        "\n"
        "* best of its row for each name (one), or too close to call\n",
        .width = 100, .envs = true);
    assert_printed(
        compare,
        "label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core\r\n"
        "t,1,,small,\"one, gcc\",time,2e-06,,,s,,,\r\n"
        "t,1,,small,\"one, clang\",time,1e-06,,,s,,,\r\n"
        "t,1,,large,\"one, gcc\",time,3e-06,,,s,,,\r\n"
        "t,1,,large,\"one, clang\",time,4e-06,,,s,,,\r\n"
        "t,1,,large,\"two, gcc\",time,5e-06,,,s,,,\r\n"
        "t,2,,large,\"one, gcc\",time,9e-06,,,s,,,\r\n",
        .format = BILANX_CSV, .envs = true);
    assert_printed(compare,
                   "t\n"
                   "     small, gcc, 1 thread   large, gcc, 1 thread   small, clang, 1 thread   "
                   "large, clang, 1 thread\n"
                   "one              2.000 us               3.000 us*                1.000 us      "
                   "           4.000 us\n"
                   "two                                     5.000 us\n"
                   "\n"
                   "     large, gcc, 2 threads\n"
                   "one               9.000 us\n"
                   "two\n"
                   "\n"
                   "* best of its column, or too close to call\n",
                   .width = 100, .transpose = true);
}

static void rows_are_sorted_within_threads_and_environments(void **state)
{
    (void)state;
    static const char *const orders[] = {"name", "value"};
    static const char *const expected[] = {"large small large small large",
                                           "small large small large large"};
    for (size_t i = 0; i < LENGTH(orders); i++) {
        AUTO(compare) struct bilanx_compare *compare = some_environments();
        AUTO(memory) char *text = printed(
            compare, (struct bilanx_compare_options){.format = BILANX_MARKDOWN, .sort = orders[i]});
        AUTO(text) struct text rows = {0};
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            for (const char *const *name = (const char *const[]){"| small |", "| large |", NULL};
                 *name; name++) {
                AUTO(memory) char *line = mem_text_n(at + 1, strcspn(at + 1, "\n"));
                if (strstr(line, *name))
                    text_format(&rows, "%s%.5s", rows.size ? " " : "", *name + 2);
            }
        assert_string_equal(text_get(&rows), expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_a_table_of_their_own),
        cmocka_unit_test(environments_can_be_columns),
        cmocka_unit_test(rows_are_sorted_within_threads_and_environments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
