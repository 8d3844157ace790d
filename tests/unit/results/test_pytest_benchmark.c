// pytest_benchmark: documents as --benchmark-json writes them.
#include "formats.h"

#define FILE_OF(tests) "{'machine_info':{'node':'n'},'commit_info':{},'benchmarks':[" tests "]}"
#define TEST(more) "{'group':'g','name':'test_a[1]','fullname':'t.py::test_a[1]'" more "}"

static void a_test_becomes_a_record(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        FILE_OF(TEST(",'params':{'n':1},'param':'1','extra_info':{'k':2},"
                                     "'stats':{'median':2.0,'iterations':10,'data':[3.0,1.0]}")),
                        &taken));
    const struct bilanx_record *record = &taken.records[0];
    assert_string_equal(record->task.label, "g");
    assert_string_equal(record->task.sub_label, "test_a[1]");
    assert_string_equal(record->task.stmt, "t.py::test_a[1]");
    assert_string_equal(record->task.language, "python");
    assert_string_equal(record->task.parameters, "{\"n\":1}");
    assert_string_equal(record->timing.method, "rounds");
    assert_int_equal(record->timing.number_per_run, 10);
    assert_near(record->timing.raw_times[0], 30, 0);
    assert_near(record->stats.median, 2, 0);
    assert_string_equal(record->extra, "{\"pytest-benchmark\":{\"k\":2}}");
}

static void without_data_the_median_is_used(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        FILE_OF("{'name':'t','group':null,'params':null,'extra_info':{},"
                                "'stats':{'median':0.5,'iterations':4}}"),
                        &taken));
    assert_string_equal(taken.records[0].timing.method, "pytest-benchmark-summary");
    assert_near(taken.records[0].stats.median, 0.5, 1e-15);
    assert_null(taken.records[0].task.label);
    assert_null(taken.records[0].extra);
}

static void a_malformed_file_is_an_error_that_names_the_place(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"{'machine_info':{}}", "f: 'benchmarks' is missing: it must be an array"},
        {FILE_OF("1"), "f: 'benchmarks[0]' must be an object"},
        {FILE_OF("{'stats':{}}"), "'benchmarks[0].name' is missing"},
        {FILE_OF(TEST("")), "'benchmarks[0].stats' is missing"},
        {FILE_OF(TEST(",'stats':{}")), "'benchmarks[0].stats.median'"},
        {FILE_OF(TEST(",'stats':{'median':1,'data':[-1]}")), "'benchmarks[0].stats.data[0]'"},
        {FILE_OF(TEST(",'stats':{'median':1,'iterations':0}")), "iterations"},
    };
    assert_bad("pytest-benchmark", cases, LENGTH(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_becomes_a_record),
        cmocka_unit_test(without_data_the_median_is_used),
        cmocka_unit_test(a_malformed_file_is_an_error_that_names_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
