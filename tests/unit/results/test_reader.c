#include "base/mem.h"
#include "records.h"

#include <sys/stat.h>

static void a_minimal_record_is_complete(void **state)
{
    (void)state;
    static const char json[] = "{\"schema\": \"bilanx/1\", \"kind\": \"measurement\", \"task\": "
                               "{\"stmt\": \"f()\"}, \"number_per_run\": 10, \"raw_times\": [20]}";
    AUTO(bilanx_record) struct bilanx_record record;
    assert_ok(bilanx_record_read(json, strlen(json), "x", &record));
    assert_string_equal(record.task.stmt, "f()");
    assert_near(record.stats.estimate, 2, 0);
    assert_true(isnan(record.stats.marginal) && isnan(record.stats.ci95[0]));
    assert_null(record.timing.method);
}

static void stats_are_recomputed(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[3]", ",'stats':{'median':99,'marginal':7,'ci95':[1,2],'mine':1}");
    assert_near(record.stats.median, 3, 0);
    assert_near(record.stats.marginal, 7, 0);
    assert_true(isnan(record.stats.ci95[0]));
    assert_string_equal(record.stats.extra, "{\"mine\":1}");
}

static void a_float_with_a_whole_value_is_a_count(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        record_of("'kind':'measurement','number_per_run':1e3,'raw_times':[1],'attempts':2.0");
    assert_int_equal(record.timing.number_per_run, 1000);
    assert_int_equal(record.attempts, 2);
}

// Each is refused with this message.
static void bad_input_is_reported_with_the_cause(void **state)
{
    (void)state;
#define M "'schema':'bilanx/1','kind':'measurement','number_per_run':1,"
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"", "f:1:0: not JSON"},
        {"{", "f:1:1: not JSON"},
        {"{" M "'raw_times':[1,", "not JSON"},
        {"{" M "'raw_times':[1]}}", "not JSON"},
        {"{" M "'raw_times':[1],'kind':'x'}", "duplicate"},
        {"{" M "'raw_times':[NaN]}", "not JSON"},
        {"{" M "'raw_times':[1e999]}", "not JSON"},
        {"{" M "'raw_times':[1],'x':99999999999999999999}", "not JSON"},
        {"{" M "'raw_times':[1],'side':'\\u0000'}", "not JSON"},
        {"{" M "'raw_times':[1],'side':'\xff'}", "not JSON"},
        {"[]", "f:1: a record must be an object, not an array"},
        {"3", "f:1: a record must be an object, not a number"},
        {"null", "f:1: a record must be an object, not null"},
        {"{}", "f:1: not a bilanx record: its 'schema' is not 'bilanx/1'"},
        {"{'schema':1}", "not a bilanx record"},
        {"{'schema':'bilanx/'}", "not a bilanx record"},
        {"{'schema':'bilanx/1x'}", "not a bilanx record"},
        {"{'schema':'bilanx/2','kind':7}",
         "'bilanx/2', but this bilanx reads 'bilanx/1': use a newer"},
        {"{'schema':'bilanx/1'}", "f:1: the record has no 'kind'"},
        {"{'schema':'bilanx/1','kind':7}", "f:1: 'kind' must be a string, not 7"},
        {"{'schema':'bilanx/1','kind':'failure'}", "f:1: a failure without an 'error'"},
        {"{'schema':'bilanx/1','kind':'measurement','number_per_run':1}", "without 'raw_times'"},
        {"{'schema':'bilanx/1','kind':'measurement','raw_times':[1]}", "'number_per_run' of at"},
        {"{" M "'raw_times':[]}", "without 'raw_times'"},
        {"{" M "'raw_times':1}", "'raw_times' must be an array of numbers, not 1"},
        {"{" M "'raw_times':[1,'x']}", "f:1: 'raw_times[1]' must be a number, not \"x\""},
        {"{" M "'raw_times':[1,-2]}", "f:1: 'raw_times' has a negative time, -2"},
        {"{" M "'raw_times':[1],'raw_cpu_times':[-1]}", "'raw_cpu_times' has a negative time"},
        {"{" M "'raw_times':[1],'attempts':-1}", "'attempts' must be a whole number of at least 0"},
        {"{" M "'raw_times':[1],'attempts':1.5}", "'attempts' must be a whole number"},
        {"{" M "'raw_times':[1],'attempts':1e30}", "not 1e+30"},
        {"{" M "'raw_times':[1],'attempts':true}", "not true"},
        {"{" M "'raw_times':[1],'task':'x'}", "f:1: 'task' must be an object, not \"x\""},
        {"{" M "'raw_times':[1],'task':{'num_threads':'2'}}", "f:1: 'task.num_threads' must be"},
        {"{" M "'raw_times':[1],'task':{'compile':{'cc':[]}}}", "'task.compile.cc' must be a str"},
        {"{" M "'raw_times':[1],'task':{'parameters':[]}}", "'task.parameters' must be an object"},
        {"{" M "'raw_times':[1],'epochs':{}}", "'epochs' must be an array, not an object"},
        {"{" M "'raw_times':[1],'epochs':[{},7]}", "'epochs[1]' must be an object, not 7"},
        {"{" M "'raw_times':[1],'epochs':[{},{'p75':[]}]}", "'epochs[1].p75' must be a number"},
        {"{" M "'raw_times':[1],'epochs':[null]}", "'epochs[0]' must be an object, not null"},
        {"{" M "'raw_times':[1],'stats':{'ci95':[1]}}", "'stats.ci95' must be an array of two"},
        {"{" M "'raw_times':[1],'stats':{'ci95':[1,'2']}}", "'stats.ci95[1]' must be a number"},
        {"{" M "'raw_times':[1],'warnings':[{'code':1}]}", "'warnings[0].code' must be a string"},
        {"{" M "'raw_times':[1],'latency':[]}", "'latency' must be an object, not an array"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(memory) char *json = mem_text(cases[i].json);
        for (char *at = json; *at; at++)
            *at = *at == '\'' ? '"' : *at;
        struct bilanx_record record = {.attempts = 77};
        assert_error(bilanx_record_read(json, strlen(json), "f:1", &record), BILANX_E_INPUT,
                     cases[i].message);
        assert_int_equal(record.attempts, 77);
    }
}

static void endless_nesting_is_rejected(void **state)
{
    (void)state;
    AUTO(text) struct text json = {0};
    text_add_repeated(&json, "[", 1000000);
    struct bilanx_record record;
    assert_error(bilanx_record_read(json.data, json.size, "f", &record), BILANX_E_INPUT,
                 "not JSON");
}

static struct bilanx_error read_bytes(const char *bytes, size_t size, struct bilanx_record **out,
                                      size_t *count)
{
    char path[] = "/tmp/bilanx-reader-XXXXXX";
    AUTO(fd) int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    struct bilanx_error error = bilanx_record_read_file(path, out, count);
    unlink(path);
    return error;
}

#define LINE "{\"schema\":\"bilanx/1\",\"kind\":\"counts\"}"

static void a_file_has_one_record_per_line(void **state)
{
    (void)state;
    static const char text[] = "\n" LINE "\r\n \t\n" LINE;  // the last without a newline
    struct bilanx_record *records;
    size_t count;
    assert_ok(read_bytes(text, strlen(text), &records, &count));
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        bilanx_record_done(&records[i]);
    free(records);
    assert_ok(read_bytes("", 0, &records, &count));
    assert_int_equal(count, 0);
    free(records);
}

static void an_error_in_a_file_has_its_line_and_column(void **state)
{
    (void)state;
    struct bilanx_record *records = NULL;
    size_t count = 77;
    static const char torn[] = LINE "\n\n" LINE "\n{\"schema\":\"bil";
    assert_error(read_bytes(torn, strlen(torn), &records, &count), BILANX_E_INPUT, ":4:");
    assert_error(read_bytes(torn, strlen(torn), &records, &count), BILANX_E_INPUT, "--salvage");
    static const char binary[] = LINE "\n\0\x7f"
                                      "ELF\2\1\1\n";
    assert_error(read_bytes(binary, sizeof binary - 1, &records, &count), BILANX_E_INPUT, ":2:");
    assert_error(read_bytes(binary + sizeof LINE, 4, &records, &count), BILANX_E_INPUT, "not JSON");
    assert_null(records);
    assert_int_equal(count, 77);
}

static void a_missing_file_or_a_directory_is_a_system_error(void **state)
{
    (void)state;
    struct bilanx_record *records;
    size_t count;
    assert_error(bilanx_record_read_file("/tmp", &records, &count), BILANX_E_SYSTEM,
                 "cannot read '/tmp': Is a directory");
    assert_error(bilanx_record_read_file("/nonexistent/x", &records, &count), BILANX_E_SYSTEM,
                 "cannot open '/nonexistent/x': No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimal_record_is_complete),
        cmocka_unit_test(stats_are_recomputed),
        cmocka_unit_test(a_float_with_a_whole_value_is_a_count),
        cmocka_unit_test(bad_input_is_reported_with_the_cause),
        cmocka_unit_test(endless_nesting_is_rejected),
        cmocka_unit_test(a_file_has_one_record_per_line),
        cmocka_unit_test(an_error_in_a_file_has_its_line_and_column),
        cmocka_unit_test(a_missing_file_or_a_directory_is_a_system_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
