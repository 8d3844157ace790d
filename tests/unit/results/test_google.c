// google: documents as written by Google Benchmark 1.7, newer and older versions.
#include "formats.h"

#define ENTRY(name, more) "{'name':'" name "','run_name':'" name "','run_type':'iteration'" more "}"
#define TIMES(n, real, cpu) ",'iterations':" n ",'real_time':" real ",'cpu_time':" cpu
#define DOCUMENT(entries) "{'context':{},'benchmarks':[" entries "]}"

static void repetitions_become_the_times_of_one_record(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        DOCUMENT(
            ENTRY("BM_a/8/real_time", TIMES("1000", "0.5", "0.25") ",'time_unit':'ns'") "," ENTRY(
                "BM_b",
                TIMES("1", "2",
                      "1") ",'time_unit':'ms'") "," ENTRY("BM_a/8/real_time",
                                                          TIMES("1000", "0.75",
                                                                "0.5") ",'time_unit':'ns'")),
        &taken));
    assert_int_equal(taken.count, 2);
    const struct bilanx_record *a = &taken.records[0], *b = &taken.records[1];
    assert_string_equal(a->task.label, "BM_a");
    assert_string_equal(a->task.sub_label, "8/real_time");
    assert_int_equal(a->timing.number_per_run, 1000);
    assert_int_equal(a->timing.raw_count, 2);
    assert_near(a->timing.raw_times[0], 5e-7, 0);
    assert_near(a->timing.raw_times[1], 7.5e-7, 0);
    assert_near(a->timing.raw_cpu_times[1], 5e-7, 0);
    assert_near(a->stats.median, 6.25e-10, 1e-24);
    assert_string_equal(b->task.label, "BM_b");
    assert_null(b->task.sub_label);
    assert_near(b->timing.raw_times[0], 0.002, 0);
}

static void runs_of_unequal_length_are_stored_per_call(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        DOCUMENT(ENTRY("a", TIMES("10", "3", "2") ",'time_unit':'us'") "," ENTRY(
                            "a", TIMES("20", "5", "4") ",'time_unit':'us'")),
                        &taken));
    assert_int_equal(taken.records[0].timing.number_per_run, 1);
    assert_near(taken.records[0].timing.raw_times[1], 5e-6, 0);
    assert_near(taken.records[0].timing.raw_cpu_times[0], 2e-6, 0);
}

static void rates_use_the_clock_given_by_the_name(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    const char *rates = TIMES("10", "4", "2") ",'bytes_per_second':4e9,'items_per_second':5e8}";
    AUTO(memory) char *text = mem_format(
        "{'context':{},'benchmarks':[{'name':'a'%s,{'name':'a/real_time'%s]}", rates, rates);
    assert_ok(read_text(NULL, text, &taken));
    assert_near(taken.records[0].rates->bytes, 8, 0);
    assert_near(taken.records[0].rates->items, 1, 0);
    assert_near(taken.records[1].rates->bytes, 16, 0);
}

static void any_other_number_is_a_counter(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        DOCUMENT(ENTRY(
            "a",
            TIMES(
                "1", "1",
                "1") ",'hits':3,'odd':NaN,'up':Infinity,"
                     "'down':-Infinity,'label':'NaN x'") "," ENTRY("a",
                                                                   TIMES(
                                                                       "1", "1",
                                                                       "1") ",'hits':4,'odd':inf")),
        &taken));
    const struct bilanx_record *record = &taken.records[0];
    assert_string_equal(record->counters, "{\"hits\":3.5}");
    assert_string_equal(record->extra,
                        "{\"google\":{\"label\":\"NaN x\",\"not_finite\":{\"odd\":"
                        "\"Infinity\",\"up\":\"Infinity\",\"down\":\"-Infinity\"}}}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "'hits':3.5,'odd':Infinity,'up':Infinity,'down':-Infinity,'label':'NaN x'}");
    assert_string_equal(text_get(&losses), "");
}

static void threads_are_removed_from_the_name_and_restored(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        DOCUMENT(ENTRY("a/8/threads:2", TIMES("1", "1", "1") ",'threads':2") "," ENTRY(
            "a/8/threads:1",
            TIMES("1", "1", "1") ",'threads':1") "," ENTRY("b/threads:2",
                                                           TIMES("1", "1", "1") ",'threads':4")),
        &taken));
    assert_string_equal(taken.records[0].task.sub_label, "8");
    assert_int_equal(taken.records[0].task.num_threads, 2);
    assert_string_equal(taken.records[1].task.sub_label, "8/threads:1");
    assert_string_equal(taken.records[2].task.sub_label, "threads:2");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "{'name':'a/8/threads:2','family_index':0,'per_family_instance_index':0,");
    assert_has(text, "{'name':'a/8/threads:1','family_index':0,'per_family_instance_index':1,");
    assert_has(text, "{'name':'b/threads:2/threads:4','family_index':1,");
}

static void failures_keep_their_reason(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        DOCUMENT(ENTRY("a", ",'error_occurred':true,'error_message':'no device'") "," ENTRY(
            "b",
            ",'skipped':true,'skip_message':'not here'") "," ENTRY("c",
                                                                   ",'error_occurred':false" TIMES(
                                                                       "1", "1", "1"))),
        &taken));
    assert_int_equal(taken.count, 3);
    assert_string_equal(taken.records[0].kind, "failure");
    assert_string_equal(taken.records[0].error->code, "failed");
    assert_string_equal(taken.records[0].error->text, "no device");
    assert_string_equal(taken.records[1].error->code, "skipped");
    assert_string_equal(taken.records[1].error->text, "not here");
    assert_string_equal(taken.records[2].kind, "measurement");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "'error_occurred':true,'error_message':'no device','iterations':1,");
    assert_has(text, "'skipped':true,'skip_message':'not here','iterations':1,'real_time':0.0,");
    assert_string_equal(text_get(&losses), "");
}

#define AGGREGATE(run, aggregate, real)                                            \
    "{'name':'" run "_" aggregate "','run_name':'" run "','run_type':'aggregate'," \
    "'aggregate_name':'" aggregate "','iterations':3,'real_time':" real ",'cpu_time':1,'hits':2}"

static void aggregates_are_used_only_if_there_is_nothing_else(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        DOCUMENT(ENTRY("a", TIMES("1", "5", "1")) "," AGGREGATE("a", "mean", "7") "," AGGREGATE(
            "b", "mean",
            "8") "," AGGREGATE("b", "median",
                               "9") "," AGGREGATE("b", "stddev",
                                                  "0.5") "," AGGREGATE("c", "mean",
                                                                       "3") ","
                                                                            "{'name':'b_BigO','run_"
                                                                            "name':'B','run_type':'"
                                                                            "aggregate','aggregate_"
                                                                            "name':'BigO',"
                                                                            "'cpu_coefficient':1,'"
                                                                            "real_coefficient':2,'"
                                                                            "big_o':'N','time_unit'"
                                                                            ":'ns'}"),
        &taken));
    assert_int_equal(taken.count, 3);
    assert_near(taken.records[0].timing.raw_times[0], 5e-9, 0);
    assert_int_equal(taken.records[0].timing.raw_count, 1);
    assert_string_equal(taken.records[0].timing.method, "google");
    const struct bilanx_record *b = &taken.records[1];
    assert_int_equal(b->timing.raw_count, 1);
    assert_near(b->timing.raw_times[0], 9e-9, 0);
    assert_string_equal(b->timing.method, "google-aggregates");
    assert_has(b->extra,
               "\"stddev\":{\"iterations\":3,\"real_time\":0.5,\"cpu_time\":1,\"hits\":2}");
    assert_near(taken.records[2].timing.raw_times[0], 3e-9, 0);
}

static void aggregates_of_old_versions_are_recognised_by_name(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(
        read_text(NULL,
                  "{'context':{},'benchmarks':[{'name':'a/4','iterations':2,'real_time':1,"
                  "'cpu_time':1},{'name':'a/4_mean','iterations':1,'real_time':9,'cpu_time':1},"
                  "{'name':'a/4_stddev','iterations':1,'real_time':9,'cpu_time':1}]}",
                  &taken));
    assert_int_equal(taken.count, 1);
    assert_string_equal(taken.records[0].task.sub_label, "4");
    assert_near(taken.records[0].timing.raw_times[0], 2e-9, 0);
}

static void the_context_becomes_the_machine(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        "{'context':{'date':'D','host_name':'h','num_cpus':2,'mhz_per_cpu':0,"
                        "'caches':[],'json_schema_version':1,'mine':'x'},'benchmarks':[" ENTRY(
                            "a", TIMES("1", "1", "1")) "]}",
                        &taken));
    assert_string_equal(taken.records[0].machine,
                        "{\"date\":\"D\",\"host\":\"h\",\"cores\":2,\"json_schema_version\":1,"
                        "\"mine\":\"x\"}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "'context': {'date':'D','host_name':'h','executable':'','num_cpus':2,"
                     "'mhz_per_cpu':0,'cpu_scaling_enabled':false,'caches':[],'load_avg':[],"
                     "'library_build_type':'','json_schema_version':1,'mine':'x'}");
}

// pyperf knows "num_cpus", too, and other machines may say "cores" as well.
static void a_context_has_every_key_once(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 1};
    taken.records[0] =
        MEASURED("[1]", ",'machine':{'num_cpus':2,'caches':['L1'],'host_name':'h','cores':4}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "'context': {'date':'','host_name':'h','executable':'','num_cpus':4,");
    assert_has(text, "'library_build_type':''}");
}

static void lost_information_is_reported(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 4};
    taken.records[0] = MEASURED("[1]", ",'task':{'label':'a/b','env':'e'},'elapsed':3,'mine':1,"
                                       "'counters':{'threads':1},'warnings':[{'code':'high-iqr'}]");
    taken.records[1] =
        MEASURED("[2]", ",'task':{'label':'a/b','env':'f'},'elapsed':3,'stats':{'marginal':2}");
    taken.records[2] = record_of("'kind':'counts','counters':{'x':1}");
    taken.records[3] = record_of("'kind':'failure','error':{'code':'crashed','text':'ouch'}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_string_equal(text_get(&losses),
                        "'task.env'; 'elapsed'; "
                        "where 'task.label' ends, as it contains a '/' (2 records)\n"
                        "'mine'; 'stats.marginal'; records of kind 'counts'; "
                        "the counter 'threads', as it is a key of the format; "
                        "'error.code' (1 record)\n");
    assert_has(text, "'name':'a/b/e'");
    assert_has(text, "'name':'a/b/f'");
    assert_has(text, "'error_message':'ouch'");
}

static void tasks_that_share_a_name_stay_apart(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 3};
    taken.records[0] = MEASURED("[1]", ",'task':{'label':'a','parameters':{'n':1}}");
    taken.records[1] = MEASURED("[2]", ",'task':{'label':'a','parameters':{'n':2}}");
    taken.records[2] = MEASURED("[3]", ",'task':{'label':'a','parameters':{'n':1}}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("google", &taken, &losses);
    AUTO(taken) struct taken again = {0};
    assert_ok(read_text("google", text, &again));
    assert_int_equal(again.count, 2);
    assert_int_equal(again.records[0].timing.raw_count, 2);
    assert_near(again.records[0].timing.raw_times[1], 3, 0);
    assert_string_equal(again.records[1].task.label, "a#2");
    assert_has(text_get(&losses), "what distinguishes cases of the same name");
}

static void bad_documents_are_reported_with_the_cause(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"{'context':{},'benchmarks':[", "f:1:28: not JSON"},
        {"{'context':{},\n'benchmarks':[{'a':1,\n'a':2}]}", "f:3:3: not JSON: duplicate"},
        {"{'context':{},'benchmarks':[]}", "f: contains no results (read as 'google')"},
        {"{'context':{}}", "f: 'benchmarks' is missing: it must be an array"},
        {"{'context':3,'benchmarks':[]}", "f: 'context' must be an object, not 3"},
        {"{'context':{},'benchmarks':{}}", "f: 'benchmarks' must be an array, not an object"},
        {DOCUMENT("3"), "f: 'benchmarks[0]' must be an object, not 3"},
        {DOCUMENT("{}"), "f: 'benchmarks[0].name' is missing"},
        {DOCUMENT("{'name':7}"), "f: 'benchmarks[0].name' must be a string, not 7"},
        {DOCUMENT(ENTRY("a", "")), "f: 'a.iterations' is missing"},
        {DOCUMENT(ENTRY("a", ",'iterations':1")), "f: 'a.real_time' is missing"},
        {DOCUMENT(ENTRY("a", TIMES("1.5", "1", "1"))), "'a.iterations' must be a whole number"},
        {DOCUMENT(ENTRY("a", TIMES("0", "1", "1"))), "'a.iterations' must be a whole number"},
        {DOCUMENT(ENTRY("a", TIMES("1", "NaN", "1"))), "'a.real_time' must be a number, not NaN"},
        {DOCUMENT(ENTRY("a", TIMES("1", "-1", "1"))), "'a.real_time' must be a time of at least 0"},
        {DOCUMENT(ENTRY("a", TIMES("1", "1", "-2"))), "'a.cpu_time' must be a time of at least 0"},
        {DOCUMENT(ENTRY("a", TIMES("1", "'x'", "1"))), "must be a number, not \"x\""},
        {DOCUMENT(ENTRY("a", TIMES("9e18", "1e308", "1") ",'time_unit':'s'")), "a plausible time"},
        {DOCUMENT(ENTRY("a", TIMES("99999999999999999999", "1", "1"))), "not JSON: too big int"},
        {DOCUMENT(ENTRY("a", TIMES("1", "1e999", "1"))), "not JSON: real number overflow"},
        {DOCUMENT(ENTRY("a", TIMES("1", "1", "1") ",'time_unit':'h'")), "must be ns, us, ms or s"},
        {DOCUMENT(ENTRY("a", TIMES("1", "1", "1") ",'threads':-1")), "'a.threads' must be a whole"},
        {"{'context':{'json_schema_version':2},'benchmarks':[]}",
         "'json_schema_version' 2, but this"},
    };
    assert_bad("google", cases, LENGTH(cases));
}

static void the_context_is_limited_in_size(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    AUTO(text) struct text text = {0};
    text_add(&text, "{'context':{'x':'");
    text_add_repeated(&text, "y", 70000);
    text_add(&text, "'},'benchmarks':[" ENTRY("a", TIMES("1", "1", "1")) "]}");
    assert_error(read_text("google", text.data, &taken), BILANX_E_INPUT,
                 "a 'context' of over 64 kB");
}

static void every_run_is_written_in_nanoseconds_per_call(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 2};
    AUTO(text) struct text losses = {0};
    taken.records[0] = record_of("'kind':'measurement','number_per_run':4,'raw_times':[8e-6,4e-6],"
                                 "'task':{'label':'f'},'rates':{'bytes':10}");
    taken.records[1] =
        record_of("'kind':'measurement','number_per_run':2,'raw_times':[6e-6],"
                  "'raw_cpu_times':[2e-6],'task':{'label':'g'},'rates':{'bytes':10}");
    AUTO(memory) char *text = written("google", &taken, &losses);
    assert_has(text, "'iterations':4,'real_time':2000.0,'cpu_time':0.0,'time_unit':'ns'");
    assert_has(text, "'real_time':1000.0,'cpu_time':0.0,");
    assert_has(text, "'bytes_per_second':10000000");  // of CPU time
    assert_has(text, "'iterations':2,'real_time':3000.0,'cpu_time':1000.0,'time_unit':'ns'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_become_the_times_of_one_record),
        cmocka_unit_test(runs_of_unequal_length_are_stored_per_call),
        cmocka_unit_test(rates_use_the_clock_given_by_the_name),
        cmocka_unit_test(any_other_number_is_a_counter),
        cmocka_unit_test(threads_are_removed_from_the_name_and_restored),
        cmocka_unit_test(failures_keep_their_reason),
        cmocka_unit_test(aggregates_are_used_only_if_there_is_nothing_else),
        cmocka_unit_test(aggregates_of_old_versions_are_recognised_by_name),
        cmocka_unit_test(the_context_becomes_the_machine),
        cmocka_unit_test(a_context_has_every_key_once),
        cmocka_unit_test(lost_information_is_reported),
        cmocka_unit_test(tasks_that_share_a_name_stay_apart),
        cmocka_unit_test(bad_documents_are_reported_with_the_cause),
        cmocka_unit_test(the_context_is_limited_in_size),
        cmocka_unit_test(every_run_is_written_in_nanoseconds_per_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
