// convert: detecting formats, gzipped files, and files of no format.
#include "formats.h"
#include "results/convert/document.h"

#define RECORD "{'schema':'bilanx/1','kind':'measurement','number_per_run':1,'raw_times':[1]}\n"

static void the_format_is_detected_from_the_content(void **state)
{
    (void)state;
    static const struct {
        const char *text, *method;
    } cases[] = {
        {"\n  " RECORD, NULL},
        {"{'kind':'measurement','x':{'results':1},'number_per_run':1,'raw_times':[1],"
         "'schema':'bilanx/1'}",
         NULL},
        {"{'results':[{'command':'x','times':[1]}]}", "runs"},
        {"{'benchmarks':[{'name':'a','real_time':1,'iterations':1}],'context':{}}", "google"},
        {"{'benchmarks':[{'name':'a','real_time':1,'iterations':1}]}", "google"},
        {"\xEF\xBB\xBF{'context':{},'benchmarks':[{'name':'a','real_time':1,'iterations':1}]}",
         "google"},
        {"{'benchmarks':[{'metadata':{'name':'context'},'runs':[{'values':[1]}]}],'version':'1.0'}",
         "pyperf"},
        {"# a note\nBenchmarkX 1 2 ns/op", "go"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(taken) struct taken taken = {0};
        assert_ok(read_text(NULL, cases[i].text, &taken));
        assert_int_equal(taken.count, 1);
        if (cases[i].method)
            assert_string_equal(taken.records[0].timing.method, cases[i].method);
        else
            assert_null(taken.records[0].timing.method);
        assert_near(taken.records[0].stats.median, taken.records[0].stats.mean, 0);
    }
}

static void an_unknown_format_is_an_error_that_lists_the_known_ones(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"", "f: is empty"},
        {"hello\n", "f:1: unknown format. Known formats: bilanx, google, hyperfine, "
                    "pytest-benchmark, pyperf, benchfmt. If it is one of these, use "
                    "'--from FORMAT'"},
        {"{}", "1: unknown format"},
        {"[{'schema':1}]", "1: unknown format"},
        {"'schema':'bilanx/1'", "1: unknown format"},
        {"{'x':{'results':[]}}", "1: unknown format"},
        {"\x7f"
         "ELF\nBenchmark\x01",
         "not"},
    };
    assert_bad(NULL, cases, LENGTH(cases) - 1);
    AUTO(taken) struct taken taken = {0};
    assert_error(read_bytes(NULL,
                            "\x7f"
                            "ELF\0\nBenchmarkX 1 2 ns/op",
                            27, &taken),
                 BILANX_E_INPUT, "f:1: unknown format");
}

static void a_bad_record_is_reported_with_its_line(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_error(read_text(NULL, RECORD "\n{'schema':'bilanx/1'}\n", &taken), BILANX_E_INPUT,
                 "f:3: the record has no 'kind'");
    assert_int_equal(taken.count, 1);
    assert_error(read_text(NULL, "{'schema':'bilanx/2'}\n", &taken), BILANX_E_INPUT,
                 "f:1: uses the schema 'bilanx/2', but this bilanx reads 'bilanx/1': use a newer");
    assert_error(read_text("bilanx", "\n", &taken), BILANX_E_INPUT, "f: contains no results");
}

static void nesting_is_limited(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    AUTO(text) struct text text = {0};
    AUTO(taken) struct taken taken = {0};
    text_add(&text, "{\"results\":");
    text_add_repeated(&text, "[", DEPTH);
    text_add_repeated(&text, "]", DEPTH);
    text_add(&text, "}");
    assert_error(read_bytes(NULL, text.data, text.size, &taken), BILANX_E_INPUT,
                 "not JSON: maximum parsing depth reached");
}

static void too_many_values_are_rejected_before_they_use_memory(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    AUTO(taken) struct taken taken = {0};
    text_add(&text, "{\"results\":[[]");
    text_add_repeated(&text, ",[]", 7000000);
    text_add(&text, "]}");
    assert_error(read_bytes(NULL, text.data, text.size, &taken), BILANX_E_INPUT,
                 "f: too large for one JSON document");
}

static void unreadable_files_and_unknown_formats_are_errors(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_error(bilanx_convert_read("/", NULL, take_record, &taken), BILANX_E_SYSTEM,
                 "cannot read '/': Is a directory");
    assert_error(bilanx_convert_read("/nowhere", NULL, take_record, &taken), BILANX_E_SYSTEM,
                 "cannot open '/nowhere': No such file");
    assert_error(bilanx_convert_read("/", "gogle", take_record, &taken), BILANX_E_USAGE,
                 "unknown format 'gogle' (did you mean 'google'?)");
    assert_error(bilanx_convert_write("xml", NULL, 0, stdout, NULL, NULL), BILANX_E_USAGE,
                 "unknown format 'xml': use one of bilanx, google, ");
}

static struct bilanx_error refuse(void *context, struct bilanx_record *record)
{
    (void)context, (void)record;
    return bilanx_error_make(BILANX_E_FAILED, "enough");
}

static void an_error_from_the_callback_stops_reading(void **state)
{
    (void)state;
    char path[] = "/tmp/bilanx-unit-XXXXXX";
    AUTO(fd) int fd = mkstemp(path);
    static const char text[] = "BenchmarkA 1 2 ns/op\nBenchmarkB 1 2 ns/op\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    struct bilanx_error error = bilanx_convert_read(path, NULL, refuse, NULL);
    unlink(path);
    assert_error(error, BILANX_E_FAILED, "enough");
}

static void some_formats_are_known_by_file_name(void **state)
{
    (void)state;
    assert_string_equal(bilanx_convert_format_of("a.b/runs.jsonl")->name, "bilanx");
    assert_string_equal(bilanx_convert_format_of("runs.txt")->name, "benchfmt");
    assert_string_equal(bilanx_convert_format_of(".bench")->name, "benchfmt");
    assert_null(bilanx_convert_format_of("runs.json"));
    assert_null(bilanx_convert_format_of("a.txt/runs"));
    assert_null(bilanx_convert_format_of("-"));
    assert_null(bilanx_convert_format_of("a. .txt "));
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 1};
    taken.records[0] = MEASURED("[1]", "");
    for (size_t i = 0; bilanx_convert_format(i); i++) {
        AUTO(file) FILE *full = fopen("/dev/full", "w");
        const char *name = bilanx_convert_format(i)->name;
        bool only_read = strcmp(name, "pytest-benchmark") == 0;
        assert_error(bilanx_convert_write(name, taken.records, 1, full, NULL, NULL),
                     only_read ? BILANX_E_USAGE : BILANX_E_SYSTEM,
                     only_read ? "can be read, but not written" : "No space left on device");
    }
}

static bool begins(const char *text, int depth, const char *key)
{
    return document_begins_with(text, strlen(text), depth, key);
}

static void a_key_is_found_at_its_depth(void **state)
{
    (void)state;
    assert_true(begins("{\"a\":1}", 1, "a"));
    assert_true(begins("{\"a\" \t\r\n:1}", 1, "a"));
    assert_true(begins("{\"b\":[{\"a\":1}],\"c\":2}", 1, "c"));
    assert_true(begins("{\"b\":[{\"a\":", 3, "a"));
    assert_true(begins("{\"\\\"\":0,\"a\":1}", 1, "a"));
    assert_false(begins("{\"b\":{\"a\":1}}", 1, "a"));
    assert_false(begins("{\"a\":1}", 2, "a"));
    assert_false(begins("{\"b\":\"a\"}", 1, "a"));
    assert_false(begins("{\"ab\":1}", 1, "a"));
    assert_false(begins("{\"a\"", 1, "a"));
    assert_false(begins("{\"a\" ", 1, "a"));
    assert_false(begins("", 0, "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_format_is_detected_from_the_content),
        cmocka_unit_test(an_unknown_format_is_an_error_that_lists_the_known_ones),
        cmocka_unit_test(a_bad_record_is_reported_with_its_line),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(too_many_values_are_rejected_before_they_use_memory),
        cmocka_unit_test(unreadable_files_and_unknown_formats_are_errors),
        cmocka_unit_test(an_error_from_the_callback_stops_reading),
        cmocka_unit_test(some_formats_are_known_by_file_name),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_key_is_found_at_its_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
