// pyperf: documents of its layout 1.0.
#include "formats.h"

#define FILE_OF(metadata, runs) \
    "{'benchmarks':[{'metadata':{'name':'b'" metadata "},'runs':[" runs "]}],'version':'1.0'}"

static void the_values_of_all_runs_become_the_times(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL,
        "{'benchmarks':[{'metadata':{'name':'b','loops':4,'timeit_stmt':'x+1'},'runs':["
        "{'metadata':{'calibrate_loops':4,'duration':1},'warmups':[[1,9.0]]},"
        "{'metadata':{'duration':2,'mem_max_rss':100},'values':[1.0,2.0],'warmups':[[4,3.0]]},"
        "{'metadata':{'duration':3,'mem_max_rss':300},'values':[3.0]}]}],"
        "'metadata':{'inner_loops':2,'hostname':'h','cpu_count':8,'cpu_model_name':'C',"
        "'python_version':'3.11','unit':'second'},'version':'1.0'}",
        &taken));
    const struct bilanx_record *record = &taken.records[0];
    assert_string_equal(record->task.label, "b");
    assert_string_equal(record->task.stmt, "x+1");
    assert_string_equal(record->task.language, "python");
    assert_int_equal(record->timing.number_per_run, 8);
    assert_int_equal(record->timing.raw_count, 3);
    assert_near(record->timing.raw_times[2], 24, 0);
    assert_near(record->max_rss, 300, 0);
    assert_near(record->elapsed, 6, 0);
    assert_string_equal(record->machine, "{\"host\":\"h\",\"cores\":8,\"cpu\":\"C\","
                                         "\"python_version\":\"3.11\"}");
}

static void runs_with_different_loops_are_stored_per_call(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL,
                        FILE_OF("", "{'metadata':{'loops':4},'values':[1.5]},"
                                    "{'metadata':{'loops':8},'values':[2.5]}"),
                        &taken));
    assert_int_equal(taken.records[0].timing.number_per_run, 1);
    assert_near(taken.records[0].timing.raw_times[1], 2.5, 0);
}

static void bytes_are_not_times(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(NULL, FILE_OF(",'unit':'byte'", "{'values':[10,30,20]}"), &taken));
    assert_string_equal(taken.records[0].kind, "counts");
    assert_string_equal(taken.records[0].counters, "{\"byte\":20}");
    assert_int_equal(taken.records[0].timing.raw_count, 0);
}

static void runs_are_written_as_they_were(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {0};
    assert_ok(read_text(
        NULL, FILE_OF("", "{'warmups':[[1,9.5]]},{'values':[1.5,2.5]},{'values':[3.5]}"), &taken));
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("pyperf", &taken, &losses);
    assert_has(text, "'runs':[{'metadata':{'loops':1},'warmups':[[1,9.5]]},"
                     "{'metadata':{'loops':1},'values':[1.5,2.5]},"
                     "{'metadata':{'loops':1},'values':[3.5]}]}");
    assert_has(text, "'metadata':{'name':'b','unit':'second'}");
    assert_string_equal(text_get(&losses), "");
}

static void one_of_our_records_survives_a_round_trip(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 1}, again = {0};
    taken.records[0] = record_of(
        "'kind':'measurement','number_per_run':4,'raw_times':[8,12],'method':'rigorous','side':'A',"
        "'task':{'stmt':'f()','setup':'g()','language':'c','label':'l/m','sub_label':'s',"
        "'description':'d','env':'e','num_threads':2},'rates':{'bytes':3,'items':1},"
        "'counters':{'hits':2.5},'max_rss':9,'elapsed':1.5,'machine':{'cpu':'C','cores':2}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("pyperf", &taken, &losses);
    assert_has(text, "'name':'l/m/s/d/e/A'");
    // Each epoch is a process, like a run in pyperf.
    assert_has(text, "'runs':[{'metadata':{'loops':4,'mem_max_rss':9,'duration':1.5},'values':[2]},"
                     "{'metadata':{'loops':4},'values':[3]}]");
    assert_string_equal(text_get(&losses), "");
    assert_ok(read_text(NULL, text, &again));
    free(again.records[0].extra);
    again.records[0].extra = NULL;
    AUTO(memory) char *json = bilanx_record_json(&again.records[0]);
    AUTO(memory) char *expected = bilanx_record_json(&taken.records[0]);
    assert_string_equal(json, expected);
}

static void nothing_that_pyperf_rejects_is_written(void **state)
{
    (void)state;
    AUTO(taken) struct taken taken = {.count = 3};
    taken.records[0] = MEASURED("[0,1]", ",'task':{'label':'a\\nb '},'overhead':1");
    taken.records[1] = MEASURED("[0]", ",'task':{'label':'zero'}");
    taken.records[2] = MEASURED("[2]", ",'task':{'label':'a\\nb '}");
    AUTO(text) struct text losses = {0};
    AUTO(memory) char *text = written("pyperf", &taken, &losses);
    assert_has(text, "'name':'a b'");
    assert_has(text, "'runs':[{'metadata':{'loops':1},'values':[1]},"
                     "{'metadata':{'loops':1},'values':[2]}]");
    assert_lacks(text, "zero");
    assert_has(text_get(&losses), "spaces and line breaks in 'name';");
    assert_has(text_get(&losses), "; a time of 0");
    assert_has(text_get(&losses), "'overhead'");
}

static void bad_documents_are_reported_with_the_cause(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"{'benchmarks':[{'runs':[", "f:1:24: not JSON"},
        {"{'benchmarks':[],'version':'1.0'}", "f: contains no results (read as 'pyperf')"},
        {"{'benchmarks':[{'runs':[]}]}", "f: 'version' is missing: it must be \"1.0\""},
        {"{'benchmarks':[],'version':6}", "f: written by a pyperf before 1.0: upgrade it with"},
        {"{'benchmarks':[],'version':'2.0'}",
         "uses version '2.0' of pyperf's format, but this bilanx reads '1.0': use a newer"},
        {"{'benchmarks':3,'version':'1.0'}", "f: 'benchmarks' must be an array, not 3"},
        {"{'benchmarks':[3],'version':'1.0'}", "f: 'benchmarks[0]' must be an object, not 3"},
        {"{'benchmarks':[{}],'version':'1.0'}", "f: 'benchmarks[0].runs' is missing"},
        {"{'benchmarks':[{'runs':[{'values':[1]}]}],'version':'1.0'}", "metadata.name' is missing"},
        {FILE_OF("", ""), "f: 'benchmarks[0]' has no values: it was calibrated, not measured"},
        {FILE_OF("", "3"), "f: 'benchmarks[0].runs[0]' must be an object, not 3"},
        {FILE_OF("", "{'values':[-1]}"),
         "'benchmarks[0].runs[0].values[0]' must be a number of at least 0"},
        {FILE_OF("", "{'values':['x']}"), "values[0]' must be a number of at least 0, not \"x\""},
        {FILE_OF(",'loops':0", "{'values':[1]}"),
         "runs[0].loops' must be a whole number of at least 1"},
        {FILE_OF(",'loops':9000000000000000000,'inner_loops':9", "{'values':[1]}"), "too large"},
        {FILE_OF(",'unit':7", "{'values':[1]}"), "'benchmarks[0].unit' must be a string, not 7"},
        {FILE_OF("", "{'values':[1],'metadata':{'duration':-1}}"), "must be a time of at least 0"},
    };
    assert_bad("pyperf", cases, LENGTH(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_values_of_all_runs_become_the_times),
        cmocka_unit_test(runs_with_different_loops_are_stored_per_call),
        cmocka_unit_test(bytes_are_not_times),
        cmocka_unit_test(runs_are_written_as_they_were),
        cmocka_unit_test(one_of_our_records_survives_a_round_trip),
        cmocka_unit_test(nothing_that_pyperf_rejects_is_written),
        cmocka_unit_test(bad_documents_are_reported_with_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
