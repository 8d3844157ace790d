// benchfmt: the output of 'go test -bench'.
#include "formats.h"

static void lines_with_the_same_name_become_one_record(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(
        read_text(NULL,
                  "goos: linux\ngoarch: amd64\npkg: example.com/x\ncpu: C D\ncommit:  abc \n"
                  "BenchmarkA/n=4-8   \t 1000\t 0.5 ns/op\t 16 MB/s\t 32 B/op\t 2 allocs/op\r\n"
                  "BenchmarkB  10  2 sec/op\n"
                  "BenchmarkA/n=4-8   \t 1000\t 0.75 ns/op\t 16 MB/s\t 34 B/op\t 2 allocs/op\n"
                  "PASS\nok  \texample.com/x\t1.2s\n",
                  &taken));
    assert_int_equal(taken.count, 2);
    const struct bilanx_record *a = &taken.records[0], *b = &taken.records[1];
    assert_string_equal(a->task.label, "A");
    assert_string_equal(a->task.sub_label, "n=4");
    assert_string_equal(a->task.env, "example.com/x");
    assert_int_equal(a->task.num_threads, 8);
    assert_int_equal(a->timing.number_per_run, 1000);
    assert_int_equal(a->timing.raw_count, 2);
    assert_near(a->timing.raw_times[1], 7.5e-7, 0);
    assert_near(a->rates->bytes, 0.008, 1e-15);
    assert_string_equal(a->counters, "{\"B/op\":33,\"allocs/op\":2}");
    assert_string_equal(a->machine, "{\"os\":\"linux\",\"arch\":\"amd64\",\"cpu\":\"C D\"}");
    assert_string_equal(a->extra, "{\"benchfmt\":{\"config\":{\"commit\":\"abc\"}}}");
    assert_near(b->timing.raw_times[0], 20, 0);
    assert_int_equal(b->task.num_threads, 0);
}

static void a_different_configuration_is_a_different_record(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        "commit: a\nBenchmarkA 1 2 ns/op\ncommit: b\nBenchmarkA 1 3 ns/op\n"
                        "commit:\nBenchmarkA 1 4 ns/op\ncommit: a\nBenchmarkA 2 5 ns/op\n",
                        &taken));
    assert_int_equal(taken.count, 3);
    assert_int_equal(taken.records[0].timing.raw_count, 2);
    assert_int_equal(taken.records[0].timing.number_per_run, 1);
    assert_near(taken.records[0].timing.raw_times[1], 5e-9, 0);
    assert_null(taken.records[2].extra);
}

static void other_output_of_go_is_understood(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(
        read_text(NULL,
                  "=== RUN   BenchmarkA\nBenchmarkA\nBenchmarkA-2\t1\t2 ns/op\n"
                  "BenchmarkB-2  \t--- FAIL: BenchmarkB-2\n    b_test.go:5: broke\n    here\n"
                  "--- SKIP: BenchmarkC\n    not today\nBenchmarkD\t1\t5 widgets\tNaN odds\n"
                  "BenchmarkE-0 1 2 ns/op\nBenchmarkF-x-01 1 2 ns/op\nUnit widgets better=up\n",
                  &taken));
    assert_int_equal(taken.count, 6);
    assert_string_equal(taken.records[1].kind, "failure");
    assert_string_equal(taken.records[1].error->code, "failed");
    assert_string_equal(taken.records[1].error->text, "b_test.go:5: broke here");
    assert_int_equal(taken.records[1].task.num_threads, 2);
    assert_string_equal(taken.records[2].error->code, "skipped");
    assert_string_equal(taken.records[3].kind, "counts");
    assert_string_equal(taken.records[3].counters, "{\"widgets\":5}");
    assert_has(taken.records[3].extra, "{\"odds\":\"NaN\"}");
    assert_string_equal(taken.records[4].task.label, "E-0");
    assert_string_equal(taken.records[5].task.label, "F-x-01");
}

static void a_round_trip_changes_nothing(void **state)
{
    (void)state;
    static const char text[] = "goos: linux\ncpu: C\npkg: p\ncommit: a\n"
                               "BenchmarkA/x-8\t100\t1000 ns/op\t64.5 MB/s\t7 B/op\n"
                               "BenchmarkA/x-8\t100\t1000 ns/op\t64.5 MB/s\t7 B/op\n"
                               "commit:\n"
                               "BenchmarkB\t1\t5 widgets\n"
                               "cpu: D\n"
                               "--- FAIL: BenchmarkC-2\n    why\n";
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL, text, &taken));
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *again = written("benchfmt", &taken, &losses);
    // All configuration precedes the results that it applies to.
    assert_string_equal(again, text);
    assert_string_equal(text_get(&losses), "");
}

static void blanks_in_names_are_replaced_and_threads_are_written(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 4};
    taken.records[0] =
        MEASURED("[1]", ",'task':{'label':'sort a','sub_label':'n=4','num_threads':4}");
    taken.records[1] = MEASURED("[1]", ",'task':{'label':'utf-8'}");
    taken.records[2] =
        MEASURED("[1]", ",'task':{'label':'b','num_threads':1},'counters':{'my x':2}");
    taken.records[3] = record_of("'kind':'counts','task':{'label':'nothing'}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("benchfmt", &taken, &losses);
    assert_string_equal(text, "Benchmarksort_a/n=4-4\t1\t1000000000 ns/op\n"
                              "Benchmarkutf-8-1\t1\t1000000000 ns/op\n"
                              "Benchmarkb\t1\t1000000000 ns/op\t2 my_x\n");
    assert_string_equal(
        text_get(&losses),
        "spaces in names; an unknown 'task.num_threads', written as 1; "
        "spaces in names of counters; records with neither times nor counters (1 record)\n");
}

static void bad_lines_are_reported_with_their_number(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"pkg: x\nBenchmarkA 1.5 2 ns/op\n", "f:2: the number of iterations must be a whole"},
        {"BenchmarkA 0 2 ns/op\n", "f:1: the number of iterations must be a whole number"},
        {"BenchmarkA 1k 2 ns/op\n", "to 2^63 - 1, not '1k'"},
        {"BenchmarkA 99999999999999999999 2 ns/op\n", "f:1: the number of iterations"},
        {"BenchmarkA 9223372036854775808 2 ns/op\n", "f:1: the number of iterations"},
        {"BenchmarkA 1 2\n", "f:1: a measurement must be followed by its unit, not '2'"},
        {"BenchmarkA 10\n", "f:1: no measurement such as '12 ns/op'"},
        {"BenchmarkA 1 x ns/op\n", "f:1: a measurement must be a number, not 'x'"},
        {"BenchmarkA 1 NaN ns/op\n", "f:1: a measurement must be a number, not 'NaN'"},
        {"BenchmarkA 1 -2 ns/op\n", "f:1: a time must be at least 0, not '-2'"},
        {"BenchmarkA 9000000000000000000 1e308 sec/op\n",
         "f:1: a time must be in a plausible range"},
        {"BenchmarkA 1 1e999 ns/op\n", "f:1: a measurement must be a number"},
        {"BenchmarkA 1 2 ns/op\n\xff\n", "f:2: not UTF-8 text"},
        {"PASS\n", "f: contains no results (read as 'benchfmt')"},
    };
    assert_bad("benchfmt", cases, LENGTH(cases));
}

static void the_configuration_is_limited_in_size(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    AUTO(text) struct text text = {0};
    text_add(&text, "BenchmarkA 1 2 ns/op\n");
    for (int i = 0; i < 5000; i++)
        text_format(&text, "key%d: something\n", i);
    assert_error(read_bytes(NULL, text.data, text.size, &taken), BILANX_E_INPUT,
                 "f:258: over 256 keys or 64 kB of 'key: value' lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_with_the_same_name_become_one_record),
        cmocka_unit_test(a_different_configuration_is_a_different_record),
        cmocka_unit_test(other_output_of_go_is_understood),
        cmocka_unit_test(a_round_trip_changes_nothing),
        cmocka_unit_test(blanks_in_names_are_replaced_and_threads_are_written),
        cmocka_unit_test(bad_lines_are_reported_with_their_number),
        cmocka_unit_test(the_configuration_is_limited_in_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
