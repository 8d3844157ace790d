#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "inputs/operators/operator_list.h"
#include "unit.h"

static struct temporary folder;

static int make_folder(void **state)
{
    (void)state;
    return temporary_init(&folder, NULL).status == BILANX_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_done(&folder);
    return 0;
}

// Writes a file in the folder and returns its path, which the caller frees.
static char *written(const char *name, const char *content)
{
    char *path = mem_format("%s/%s", folder.path, name);
    assert_ok(file_write(path, content, strlen(content)));
    return path;
}

static void assert_refused(const char *content, const char *expected)
{
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *path = written("bad.txt", content);
    assert_error(operator_log_add(&log, path), BILANX_E_INPUT, expected);
}

static const char small[] = "Operator: aten.add.Tensor\n"
                            "cnt: 3, ((T([2], f16), 1), {})\n"
                            "cnt: 1, ((T([200, 500], f16), 1), {})\n"
                            "Operator: aten.relu.default\n"
                            "cnt: 2, ((T([3], f16),), {})\n";

static void a_log_lists_operators_and_their_calls(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *path = written("small.txt", small);
    assert_ok(operator_log_add(&log, path));
    assert_int_equal(log.operator_count, 2);
    const struct logged_operator *add = &log.operators[0];
    assert_string_equal(add->name, "aten.add.Tensor");
    assert_true(add->count == 4 && add->sample_count == 2);
    assert_string_equal(add->samples[1].arguments, "((T([200, 500], f16), 1), {})");
    assert_true(add->samples[0].count == 3 && add->samples[0].line == 2);
    assert_string_equal(add->samples[0].file, path);
}

static void equal_calls_of_several_files_are_one(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *first = written("small.txt", small);
    AUTO(memory) char *second =
        written("other.txt", "Operator: aten.relu.default\n"
                             "cnt: 40, ((T([3], f16),), {})\ncnt: 1, ((T([4], f16),), {})\n"
                             "Operator: aten.neg.default\ncnt: 1, ((T([3], f16),), {})\n");
    assert_ok(operator_log_add(&log, first));
    assert_ok(operator_log_add(&log, second));
    assert_int_equal(log.operator_count, 3);
    const struct logged_operator *relu = &log.operators[1];
    assert_true(relu->sample_count == 2 && relu->count == 43);
    assert_true(relu->samples[0].count == 42 && relu->samples[1].count == 1);
    assert_string_equal(relu->samples[0].file, first);
    assert_string_equal(relu->samples[1].file, second);
}

static void names_that_pytorch_gave_up_are_read_as_their_successors(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *path = written("sum.txt", "Operator: aten.sum.SymInt\n"
                                                 "cnt: 1, ((T([3], f16), [0], True), {})\n"
                                                 "Operator: aten.sum.dim_IntList\n"
                                                 "cnt: 2, ((T([3], f16), [0], True), {})\n"
                                                 "Operator: aten.im2col_backward.default\n");
    assert_ok(operator_log_add(&log, path));
    assert_int_equal(log.operator_count, 2);
    assert_string_equal(log.operators[0].name, "aten.sum.dim_IntList");
    assert_true(log.operators[0].sample_count == 1 && log.operators[0].count == 3);
    assert_string_equal(log.operators[1].name, "aten.col2im.default");
}

static void a_folder_is_all_its_logs_in_order(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *nested = mem_format("%s/suite", folder.path);
    AUTO(memory) char *deeper = mem_format("%s/suite/more", folder.path);
    assert_true(mkdir(nested, 0700) == 0 && mkdir(deeper, 0700) == 0);
    free(written("suite/b.txt", "Operator: aten.b.default\n"));
    free(written("suite/a.txt", "Operator: aten.a.default\r\n\r\n# why\r\n"));
    free(written("suite/more/c.txt", "Operator: aten.c.default"));
    free(written("suite/README.md", "not a log"));
    assert_ok(operator_log_add(&log, nested));
    assert_int_equal(log.operator_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(log.operators[i].name[5], 'a' + (int)i);
}

static void a_suite_is_a_folder_of_the_data(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *suite = mem_format("%s/hf_train", folder.path);
    assert_int_equal(mkdir(suite, 0700), 0);
    free(written("hf_train/bert.txt", small));
    const char *told = getenv("BILANX_DATA");
    AUTO(memory) char *before = told ? mem_text(told) : NULL;
    setenv("BILANX_DATA", folder.path, 1);
    assert_ok(operator_log_add_suite(&log, "huggingface"));
    assert_ok(operator_log_add_suite(&log, "hf_train"));
    assert_true(log.operator_count == 2 && log.operators[0].count == 8);
    assert_error(operator_log_add_suite(&log, "timm"), BILANX_E_USAGE, "no folder");
    assert_error(operator_log_add_suite(&log, "../x"), BILANX_E_USAGE, "not the name of a suite");
    unsetenv("BILANX_DATA");
    assert_error(operator_log_add_suite(&log, "timm"), BILANX_E_USAGE, "set BILANX_DATA");
    if (before)
        setenv("BILANX_DATA", before, 1);
}

static void mistakes_say_where_they_are(void **state)
{
    (void)state;
    assert_refused("", "names no operator");
    assert_refused("hello\n", "bad.txt:1:1: a line starts with 'Operator:' or with 'cnt:'");
    assert_refused("cnt: 1, ((), {})\n", "bad.txt:1:1: a line 'Operator: ...' must come first");
    assert_refused("Operator: add\n", "bad.txt:1:11: an operator has a name like");
    assert_refused("Operator: aten.a d.x\n", "bad.txt:1:17: an operator's name consists of");
    assert_refused("Operator: aten..x\n", "bad.txt:1:16: an operator's name consists of");
    assert_refused("Operator: a.b.c\n\ncnt: x, ((), {})\n", "bad.txt:3:6: expected how often");
    assert_refused("Operator: a.b.c\ncnt: 0, ((), {})\n", "bad.txt:2:6: it was called at least");
    assert_refused("Operator: a.b.c\ncnt: 1 ((), {})\n", "bad.txt:2:8: expected ',' after");
    assert_refused("Operator: a.b.c\ncnt: 12, ((T([2], f99),), {})\n",
                   "bad.txt:2:19: unknown type 'f99'");
    assert_refused("Operator: a.b.c\ncnt: 18446744073709551615, ((), {})\ncnt: 1, ((1,), {})\n",
                   "bad.txt:3:1: the counts add up to more than 2^64");
}

static void files_that_are_not_logs_are_refused(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(memory) char *missing = mem_format("%s/missing.txt", folder.path);
    AUTO(memory) char *empty = mem_format("%s/empty", folder.path);
    AUTO(memory) char *binary = mem_format("%s/binary.txt", folder.path);
    assert_error(operator_log_add(&log, missing), BILANX_E_SYSTEM, "missing.txt");
    assert_int_equal(mkdir(empty, 0700), 0);
    assert_error(operator_log_add(&log, empty), BILANX_E_INPUT, "no *.txt file in");
    assert_ok(file_write(binary, "Operator: a.b.c\n\0\n", 18));
    assert_error(operator_log_add(&log, binary), BILANX_E_INPUT, "is not a text file");
}

static void assert_equal_logs(const struct operator_log *a, const struct operator_log *b)
{
    assert_int_equal(a->operator_count, b->operator_count);
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct logged_operator *left = &a->operators[i], *right = &b->operators[i];
        assert_string_equal(left->name, right->name);
        assert_true(left->count == right->count && left->sample_count == right->sample_count);
        for (size_t j = 0; j < left->sample_count; j++) {
            assert_string_equal(left->samples[j].arguments, right->samples[j].arguments);
            assert_int_equal(left->samples[j].count, right->samples[j].count);
        }
    }
}

static void a_log_that_is_written_reads_as_the_same(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(operator_log) struct operator_log again = {0};
    AUTO(text) struct text text = {0};
    AUTO(memory) char *path = written("small.txt", small);
    assert_ok(operator_log_add(&log, path));
    assert_ok(operator_log_add(&log, path));
    operator_log_write(&log, &text);
    AUTO(memory) char *merged = written("merged.txt", text_get(&text));
    assert_ok(operator_log_add(&again, merged));
    assert_equal_logs(&log, &again);
}

static void a_table_lists_the_operators_of_a_log(void **state)
{
    (void)state;
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(table) struct table table = {0};
    AUTO(table) struct table exact = {0};
    AUTO(text) struct text text = {0};
    AUTO(memory) char *path = written("small.txt", small);
    AUTO(memory) char *view = written("view.txt", "Operator: aten.view.default\n");
    assert_ok(operator_log_add(&log, path));
    assert_ok(operator_log_add(&log, view));
    operator_log_tabulate(&log, false, &table);
    table_print(&table, (struct table_look){0}, &text);
    assert_non_null(strstr(text_get(&text), "aten.add.Tensor          2      4   200 kB"));
    assert_non_null(strstr(text_get(&text), "aten.relu.default        1      2      6 B"));
    assert_non_null(strstr(text_get(&text), "view"));
    text_clear(&text);
    operator_log_tabulate(&log, true, &exact);
    table_print(&exact, (struct table_look){.format = BILANX_CSV}, &text);
    assert_non_null(strstr(text_get(&text), "aten.add.Tensor,2,4,200000,"));
    text_clear(&text);
    operator_log_summarize(&log, &text);
    assert_string_equal(text_get(&text), "3 operators, 3 samples, 6 calls");
}

// Where the real logs are installed, all of them are read.
static void the_logs_of_real_models_are_read(void **state)
{
    (void)state;
    static const char *const suites[] = {"huggingface", "timm", "torchbench"};
    AUTO(operator_log) struct operator_log log = {0};
    const char *data = getenv("BILANX_DATA");
    if (!data || !*data)
        skip_because("BILANX_DATA is not set");
    for (size_t i = 0; i < LENGTH(suites); i++)
        assert_ok(operator_log_add_suite(&log, suites[i]));
    assert_true(log.operator_count > 100);
    for (size_t i = 0; i < log.operator_count; i++)
        for (size_t j = 0; j < log.operators[i].sample_count; j++) {
            AUTO(operator_call) struct operator_call call = {0};
            const struct operator_sample *sample = &log.operators[i].samples[j];
            assert_ok(
                operator_call_parse(log.operators[i].name, sample->arguments, NULL, 0, &call));
            assert_ok(operator_call_adapt(&call, &(struct operator_options){0}));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_lists_operators_and_their_calls),
        cmocka_unit_test(equal_calls_of_several_files_are_one),
        cmocka_unit_test(names_that_pytorch_gave_up_are_read_as_their_successors),
        cmocka_unit_test(a_folder_is_all_its_logs_in_order),
        cmocka_unit_test(a_suite_is_a_folder_of_the_data),
        cmocka_unit_test(mistakes_say_where_they_are),
        cmocka_unit_test(files_that_are_not_logs_are_refused),
        cmocka_unit_test(a_log_that_is_written_reads_as_the_same),
        cmocka_unit_test(a_table_lists_the_operators_of_a_log),
        cmocka_unit_test(the_logs_of_real_models_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
