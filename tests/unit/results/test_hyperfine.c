// hyperfine: documents as its --export-json writes them, 1.0 to 1.19.
#include "formats.h"

#define RESULT(more) "{'results':[{'command':'ls'" more "}]}"

static void a_result_becomes_a_record_like_our_own_for_commands(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        RESULT(",'mean':2,'stddev':1,'median':2,'user':0.5,'system':0.25,'min':1,"
                               "'max':3,'times':[3.0,1.0,2.0],'memory_usage_byte':[5,7,6],"
                               "'exit_codes':[0,3,null],'parameters':{'n':'4','m':'x y'}"),
                        &taken));
    const struct bilanx_record *record = &taken.records[0];
    assert_string_equal(record->task.stmt, "ls");
    assert_null(record->task.label);  // so that commands are rows of one table
    assert_string_equal(record->task.language, "command");
    assert_null(record->task.sub_label);
    assert_string_equal(record->task.parameters, "{\"n\":\"4\",\"m\":\"x y\"}");
    assert_string_equal(record->timing.method, "runs");
    assert_int_equal(record->timing.number_per_run, 1);
    assert_int_equal(record->timing.raw_count, 3);
    assert_near(record->timing.raw_times[0], 3, 0);
    assert_near(record->stats.median, 2, 0);
    assert_near(record->max_rss, 7, 0);
    assert_string_equal(record->counters, "{\"user_time\":0.5,\"system_time\":0.25,\"exit_3\":1,"
                                          "\"signal\":1}");
    assert_null(record->extra);
}

static void without_times_the_median_is_used(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        RESULT(",'mean':2.5,'stddev':0.5,'median':2,'user':0,'system':0,'min':1,"
                               "'max':3,'novel':[1]"),
                        &taken));
    const struct bilanx_record *record = &taken.records[0];
    assert_string_equal(record->timing.method, "hyperfine-summary");
    assert_int_equal(record->timing.raw_count, 1);
    assert_near(record->timing.raw_times[0], 2, 0);
    assert_null(record->counters);
    assert_string_equal(record->extra,
                        "{\"hyperfine\":{\"mean\":2.5,\"stddev\":0.5,\"median\":2,\"min\":1,"
                        "\"max\":3,\"novel\":[1]}}");
}

static void a_round_trip_changes_nothing(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0}, again = {0};
    assert_ok(read_text(NULL,
                        RESULT(",'mean':2,'median':2,'user':0.5,'system':0.25,"
                               "'times':[3.0,1.0,2.5],'exit_codes':[0,3,3],'parameters':{'n':'4'}"),
                        &taken));
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("hyperfine", &taken, &losses);
    assert_has(text, "'command':'ls','mean':2.1666666666666665,'stddev':1.0408329997330663,"
                     "'median':2.5,'user':0.5,'system':0.25,'min':1.0,'max':3.0,"
                     "'times':[3.0,1.0,2.5],'exit_codes':[3,3,0],'parameters':{'n':'4'}}");
    assert_string_equal(text_get(&losses), "");
    assert_ok(read_text(NULL, text, &again));
    AUTO(memory) char *first = bilanx_record_json(&taken.records[0]);
    AUTO(memory) char *second = bilanx_record_json(&again.records[0]);
    assert_string_equal(first, second);
}

static void lost_information_is_reported(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 2};
    taken.records[0] = record_of(
        "'kind':'measurement','number_per_run':10,'raw_times':[20],'raw_cpu_times':[10],"
        "'task':{'label':'a','sub_label':'b','stmt':'f()','language':'c','num_threads':2},"
        "'counters':{'hits':1,'signal_9':1}");
    taken.records[1] = record_of("'kind':'failure','error':{'code':'crashed'}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("hyperfine", &taken, &losses);
    assert_has(text,
               "{'command':'a b','mean':2.0,'stddev':null,'median':2.0,'user':1.0,'system':0.0,"
               "'min':2.0,'max':2.0,'times':[2.0],'exit_codes':[null]}");
    assert_string_equal(
        text_get(&losses),
        "'task.num_threads'; 'raw_cpu_times'; records of kind 'failure'; "
        "'task.sub_label', now part of 'command'; 'task.stmt'; 'task.language'; "
        "'number_per_run'; the counter 'hits'; which signal 'signal_9' is (1 record)\n");
}

static void bad_documents_are_reported_with_the_cause(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"{'results':[", "f:1:12: not JSON"},
        {"{'results':[]}", "f: contains no results (read as 'hyperfine')"},
        {"{'results':{}}", "f: 'results' must be an array, not an object"},
        {"[]", "f: must be an object, not an array"},
        {"{}", "f: 'results' is missing"},
        {"{'results':[3]}", "f: 'results[0]' must be an object, not 3"},
        {"{'results':[{}]}", "f: 'results[0].command' is missing"},
        {RESULT(",'times':[]"), "f: 'results[0].times' is empty: no run was measured"},
        {RESULT(""), "f: 'results[0].times' is missing"},
        {RESULT(",'times':[1,-1]"),
         "f: 'results[0].times[1]' must be a time of at least 0, not -1"},
        {RESULT(",'times':[null]"), "f: 'results[0].times[0]' is missing"},
        {RESULT(",'times':[1,NaN]"), "f:1:42: not JSON: invalid token near 'NaN'"},
        {RESULT(",'times':['1']"), "must be a time of at least 0, not \"1\""},
        {RESULT(",'times':1"), "'results[0].times' must be an array, not 1"},
        {RESULT(",'times':[1],'user':-1"), "'results[0].user' must be a time of at least 0"},
        {RESULT(",'times':[1],'exit_codes':['x']"), "'results[0].exit_codes' must be an array of"},
        {RESULT(",'times':[1],'parameters':[]"), "'results[0].parameters' must be an object"},
        {RESULT(",'times':[1],'times':[2]"), "not JSON: duplicate"},
        {RESULT(",'times':[1],'memory_usage_byte':[true]"), "array of numbers, not true"},
    };
    assert_bad("hyperfine", cases, LENGTH(cases));
}

static void memory_is_written_for_every_run(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 1};
    AUTO(text) struct text losses = {0};
    taken.records[0] =
        record_of("'kind':'measurement','number_per_run':1,'raw_times':[1,2],'max_rss':4096,"
                  "'task':{'stmt':'sleep 1'}");
    AUTO(memory) char *text = written("hyperfine", &taken, &losses);
    assert_has(text, "'memory_usage_byte':[4096,4096]");
    assert_has(text, "'times':[1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_becomes_a_record_like_our_own_for_commands),
        cmocka_unit_test(without_times_the_median_is_used),
        cmocka_unit_test(a_round_trip_changes_nothing),
        cmocka_unit_test(lost_information_is_reported),
        cmocka_unit_test(bad_documents_are_reported_with_the_cause),
        cmocka_unit_test(memory_is_written_for_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
