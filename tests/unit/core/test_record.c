#include "bilanx/record.h"

#include "base/mem.h"
#include "base/random.h"
#include "records.h"

static void every_digit_survives_a_round_trip(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    enum { COUNT = 2000 };
    AUTO(bilanx_record) struct bilanx_record record = {
        .kind = mem_text("measurement"),
        .timing = {.number_per_run = 3, .raw_times = mem_array(double, COUNT), .raw_count = COUNT},
    };
    for (size_t i = 0; i < COUNT; i++) {
        double power = random_unit(&random) * 40 - 20;
        record.timing.raw_times[i] = random_unit(&random) * pow(10, power);
    }
    record.timing.raw_times[0] = 0;
    record.timing.raw_times[1] = 5e-324;
    record.timing.raw_times[2] = -0.0;
    record_summarize(&record);
    AUTO(memory) char *json = bilanx_record_json(&record);
    AUTO(bilanx_record) struct bilanx_record again;
    assert_ok(bilanx_record_read(json, strlen(json), "x", &again));
    assert_memory_equal(again.timing.raw_times, record.timing.raw_times, COUNT * sizeof(double));
    AUTO(memory) char *twice = bilanx_record_json(&again);
    assert_string_equal(twice, json);
}

static void an_infinite_interval_is_left_out(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1e-8,1e102]", ",'method':'rigorous'");
    assert_true(isinf(record.stats.ci95[1]));
    AUTO(memory) char *json = bilanx_record_json(&record);
    AUTO(bilanx_record) struct bilanx_record again;
    assert_ok(bilanx_record_read(json, strlen(json), "x", &again));
}

static bool replicates(const char *a, const char *b)
{
    AUTO(bilanx_record) struct bilanx_record left = record_of(a), right = record_of(b);
    assert_int_equal(bilanx_record_replicates(&left, &right),
                     bilanx_record_replicates(&right, &left));
    return bilanx_record_replicates(&left, &right);
}

static void replicates_have_equal_tasks_and_sides(void **state)
{
    (void)state;
    static const char one[] = "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':1}}";
    assert_true(replicates(one, one));
    assert_true(replicates(one, "'kind':'other','side':'A','elapsed':5,"
                                "'task':{'parameters':{'n':1},'label':'l'}"));
    static const char *const others[] = {
        "'kind':'k','side':'B','task':{'label':'l','parameters':{'n':1}}",
        "'kind':'k','task':{'label':'l','parameters':{'n':1}}",
        "'kind':'k','side':'A','task':{'label':'m','parameters':{'n':1}}",
        "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':2}}",
        "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':1},'setup':'x'}",
        "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':1},'num_threads':2}",
        "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':1},'unknown':2}",
        "'kind':'k','side':'A','task':{'label':'l','parameters':{'n':1},'compile':{'cc':'x'}}",
    };
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_false(replicates(one, others[i]));
}

#define TASK(label) ",'task':{'label':'" label "'}"

static void merged_records_keep_the_order_of_first_appearance(void **state)
{
    (void)state;
    struct bilanx_record records[] = {
        record_of(
            "'kind':'measurement','number_per_run':2,'raw_times':[8],'method':'blocked'" TASK("b")),
        record_of("'kind':'failure','error':{'code':'crashed'}" TASK("b")),
        MEASURED("[1]", TASK("a")),
        record_of(
            "'kind':'measurement','number_per_run':4,'raw_times':[4,12],'raw_cpu_times':[8],"
            "'elapsed':2,'max_rss':7,'method':'blocked','epochs':[{'time':1,'x':1}]" TASK("b")),
        MEASURED("[2]", TASK("a") ",'side':'B'"),
        MEASURED("[5]", TASK("b") ",'elapsed':1,'max_rss':3,'method':'timeit'"),
        record_of("'kind':'failure','error':{'code':'crashed'}" TASK("b")),
    };
    size_t left = bilanx_record_merge(records, LENGTH(records));
    assert_int_equal(left, 5);
    const struct bilanx_record *merged = &records[0];
    assert_string_equal(merged->task.label, "b");
    assert_int_equal(merged->timing.number_per_run, 1);
    assert_int_equal(merged->timing.raw_count, 4);
    static const double expected[] = {4, 1, 3, 5};
    for (size_t i = 0; i < 4; i++)
        assert_near(merged->timing.raw_times[i], expected[i], 0);
    assert_int_equal(merged->timing.raw_cpu_count, 1);
    assert_near(merged->timing.raw_cpu_times[0], 2, 0);
    assert_string_equal(merged->timing.method, "mixed");
    assert_int_equal(merged->timing.epoch_count, 1);
    assert_non_null(merged->timing.epochs[0].extra);
    assert_near(merged->elapsed, 3, 0);
    assert_near(merged->max_rss, 7, 0);
    assert_near(merged->stats.median, 3.5, 0);  // not that of the first
    assert_string_equal(records[1].kind, "failure");
    assert_string_equal(records[2].task.label, "a");
    assert_string_equal(records[3].side, "B");
    assert_string_equal(records[4].kind, "failure");
    for (size_t i = 0; i < LENGTH(records); i++)  // the rest is empty and may be released too
        bilanx_record_done(&records[i]);
}

static void a_single_record_is_left_as_it_is(void **state)
{
    (void)state;
    struct bilanx_record record =
        record_of("'kind':'measurement','number_per_run':4,'raw_times':[4,8]");
    assert_int_equal(bilanx_record_merge(&record, 1), 1);
    assert_int_equal(record.timing.number_per_run, 4);
    assert_near(record.timing.raw_times[1], 8, 0);
    bilanx_record_done(&record);
    assert_int_equal(bilanx_record_merge(NULL, 0), 0);
}

static void merging_joins_warnings_and_reassesses_the_spread(void **state)
{
    (void)state;
    struct bilanx_record records[] = {
        MEASURED("[1,1]", ",'warnings':[{'code':'busy-machine','text':'first'}]"),
        MEASURED("[2,2]", ",'warnings':[{'code':'busy-machine','text':'second'},"
                          "{'code':'bare'},{'code':'odd','text':'kept','more':1}]"),
    };
    assert_false(has_warning(&records[0], "unreliable-iqr"));
    assert_int_equal(bilanx_record_merge(records, 2), 1);
    assert_true(has_warning(&records[0], "unreliable-iqr"));
    assert_int_equal(records[0].warning_count, 4);
    assert_string_equal(records[0].warnings[0].code, "unreliable-iqr");
    assert_string_equal(records[0].warnings[1].text, "first");
    assert_null(records[0].warnings[2].text);
    assert_string_equal(records[0].warnings[3].extra, "{\"more\":1}");
    bilanx_record_done(&records[0]);
}

static void many_records_merge_quickly(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct bilanx_record *records = mem_array(struct bilanx_record, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        records[i].kind = mem_text("measurement");
        records[i].task.label = mem_format("%zu", i % (COUNT / 2));
        records[i].timing = (struct bilanx_timing){
            .number_per_run = 1, .raw_times = mem_array(double, 1), .raw_count = 1};
    }
    assert_int_equal(bilanx_record_merge(records, COUNT), COUNT / 2);
    for (size_t i = 0; i < COUNT / 2; i++) {
        assert_int_equal(records[i].timing.raw_count, 2);
        bilanx_record_done(&records[i]);
    }
    free(records);
}

// One by one into the same record, as a reader does; copying each time would take forever.
static void replicates_are_absorbed_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    AUTO(bilanx_record) struct bilanx_record into = MEASURED("[0]", ",'method':'timeit'");
    for (size_t i = 1; i < COUNT; i++) {
        struct bilanx_record from = {
            .kind = mem_text("measurement"),
            .timing = {.method = mem_text("timeit"),
                       .number_per_run = i,
                       .raw_times = mem_array(double, 1),
                       .raw_count = 1,
                       .raw_cpu_times = mem_array(double, 1),
                       .raw_cpu_count = 1},
        };
        from.timing.raw_times[0] = (double)(i * i);
        from.timing.raw_cpu_times[0] = (double)(2 * i);
        record_absorb(&into, &from);
        assert_null(from.kind);
    }
    assert_int_equal(into.timing.raw_count, COUNT);
    assert_int_equal(into.timing.raw_cpu_count, COUNT - 1);
    assert_int_equal(into.timing.number_per_run, 1);
    assert_string_equal(into.timing.method, "timeit");
    for (size_t i = 0; i < COUNT; i++) {
        assert_near(into.timing.raw_times[i], (double)i, 0);
        assert_near(into.timing.raw_cpu_times[i ? i - 1 : 0], 2, 0);
    }
    record_summarize(&into);
    assert_near(into.stats.median, (COUNT - 1) / 2.0, 0);
}

static void a_task_is_copied_whole(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1]", ",'task':{'label':'l','compile':{'cc':'c'},'parameters':{'n':1},'x':2}");
    AUTO(bilanx_record) struct bilanx_record copy = {0};
    record_copy_task(&record.task, &copy.task);
    assert_true(bilanx_record_replicates(&record, &copy));
    record_task_done(&copy.task);
    assert_null(copy.task.label);
}

static const char *met(const char *times, const char *more, struct bilanx_expected expected)
{
    static char word[16];
    AUTO(text) struct text members = {0};
    text_format(&members, "'kind':'measurement','number_per_run':1,'raw_times':%s%s", times, more);
    AUTO(bilanx_record) struct bilanx_record record = record_of(text_get(&members));
    record_expect(&record, &expected);
    snprintf(word, sizeof word, "%s", record.expected->met ? record.expected->met : "");
    return word;
}

static void an_expectation_is_met_by_the_estimate_or_perhaps_by_its_interval(void **state)
{
    (void)state;
    struct bilanx_expected time = {.of = (char *)"time", .low = 1, .high = 2};
    assert_string_equal(met("[1.5]", "", time), "yes");
    assert_string_equal(met("[0.9]", "", time), "no");
    assert_string_equal(met("[2.1]", "", time), "no");
    time.high = NAN;
    assert_string_equal(met("[2.1]", "", time), "yes");
    struct bilanx_expected small = {.of = (char *)"overhead", .low = -2, .high = 2};
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':0,'ci95':[-9,9]}", small), "yes");
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':3,'ci95':[1,5]}", small), "perhaps");
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':4,'ci95':[3,5]}", small), "no");
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':-4,'ci95':[-5,-3]}", small), "no");
    assert_string_equal(met("[9]", "", small), "");
}

static void the_state_of_the_core_survives_a_round_trip(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1]", ",'core':'shared','neighbour':{'free':0.25,'time':3,'epochs':7}");
    assert_string_equal(record.core, "shared");
    assert_near(record.neighbour->free, .25, 0);
    assert_near(record.neighbour->time, 3, 0);
    assert_int_equal(record.neighbour->epochs, 7);
    assert_true(isnan(record.neighbour->change) && isnan(record.neighbour->interval[0]));
    AUTO(memory) char *json = bilanx_record_json(&record);
    assert_non_null(strstr(json, "\"core\":\"shared\",\"neighbour\":{\"free\":0.25,\"time\":3,"
                                 "\"epochs\":7}"));
    AUTO(bilanx_record) struct bilanx_record old = MEASURED("[1]", "");
    assert_null(old.core);
    assert_null(old.neighbour);
}

static void overheads_and_expectations_survive_a_round_trip(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1]", ",'overhead_of':{'to':'a','estimate':0,'ci95':[-1,1],'epochs':7},"
                        "'expected':{'says':'zero','of':'overhead','low':0,'met':'yes'}");
    AUTO(memory) char *json = bilanx_record_json(&record);
    assert_non_null(strstr(json, "\"overhead_of\":{\"to\":\"a\",\"estimate\":0,\"ci95\":[-1,1],"
                                 "\"epochs\":7},\"expected\":{\"says\":\"zero\",\"of\":"
                                 "\"overhead\",\"low\":0,\"met\":\"yes\"}"));
    assert_true(isnan(record.expected->high));
}

static void assert_title(struct bilanx_task task, const char *expected)
{
    AUTO(memory) char *title = record_task_title(&task);
    assert_string_equal(title, expected);
}

static void a_title_is_made_of_labels_or_else_of_the_statement(void **state)
{
    (void)state;
#define T(text) ((char *)(text))
    assert_title((struct bilanx_task){.label = T("l"), .sub_label = T("s"), .description = T("d")},
                 "l, s, d");
    assert_title((struct bilanx_task){.label = T(""), .sub_label = T("s"), .stmt = T("f()")}, "s");
    assert_title((struct bilanx_task){.description = T("d"), .stmt = T("f()")}, "d");
    assert_title((struct bilanx_task){.stmt = T("f()"), .num_threads = 1}, "f()");
    assert_title((struct bilanx_task){.stmt = T("f()"), .num_threads = 2}, "f(), 2 threads");
    assert_title((struct bilanx_task){.stmt = T("")}, "(no name)");
    assert_title((struct bilanx_task){.num_threads = 8}, "(no name), 8 threads");
}

static bool same_hash(struct hash a, struct hash b)
{
    return a.a == b.a && a.b == b.b;
}

static void the_bare_hash_of_a_task_ignores_how_it_is_compiled(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record gcc =
        MEASURED("[1]", ",'task':{'stmt':'f()','compile':{'cc':'gcc'}}");
    AUTO(bilanx_record) struct bilanx_record clang =
        MEASURED("[2]", ",'task':{'stmt':'f()','compile':{'cc':'clang'}}");
    AUTO(bilanx_record) struct bilanx_record other =
        MEASURED("[1]", ",'task':{'stmt':'g()','compile':{'cc':'gcc'}}");
    assert_true(same_hash(record_task_hash(&gcc.task), record_task_hash(&gcc.task)));
    assert_false(same_hash(record_task_hash(&gcc.task), record_task_hash(&clang.task)));
    assert_true(same_hash(record_bare_hash(&gcc.task), record_bare_hash(&clang.task)));
    assert_false(same_hash(record_bare_hash(&gcc.task), record_bare_hash(&other.task)));
    assert_string_equal(gcc.task.compile->cc, "gcc");  // as it was
}

static void nothing_is_a_record_without_members(void **state)
{
    (void)state;
    AUTO(memory) char *json = bilanx_record_json(NULL);
    assert_string_equal(json, "{\"schema\":\"bilanx/1\"}");
    bilanx_record_done(NULL);
    AUTO(bilanx_record) struct bilanx_record record = MEASURED("[1]", "");
    assert_false(bilanx_record_replicates(&record, NULL));
    assert_false(bilanx_record_replicates(NULL, &record));
}

static void merging_keeps_the_largest_memory_and_what_all_agree_on(void **state)
{
    (void)state;
    struct bilanx_record records[] = {
        MEASURED("[1]", ",'max_rss':7,'core':'free','method':'timeit'"),
        MEASURED("[2]", ",'max_rss':9,'core':'free','method':'timeit'"),
        MEASURED("[3]", ",'max_rss':8,'core':'free','method':'timeit'"),
        MEASURED("[4]", ",'side':'B','core':'free','method':'timeit'"),
        MEASURED("[5]", ",'side':'B','core':'shared','method':'timeit'"),
    };
    assert_int_equal(bilanx_record_merge(records, LENGTH(records)), 2);
    assert_near(records[0].max_rss, 9, 0);
    assert_string_equal(records[0].core, "free");
    assert_string_equal(records[0].timing.method, "timeit");
    assert_near(records[0].timing.raw_times[2], 3, 0);  // in their order
    assert_string_equal(records[1].core, "unknown");
    assert_null(records[2].kind);
    bilanx_record_done(&records[0]);
    bilanx_record_done(&records[1]);
}

static void the_cpu_times_of_blocks_are_merged_per_call(void **state)
{
    (void)state;
    struct bilanx_record records[] = {
        record_of("'kind':'measurement','number_per_run':4,'raw_times':[8],'raw_cpu_times':[6]"),
        record_of("'kind':'measurement','number_per_run':2,'raw_times':[6],'raw_cpu_times':[5]"),
    };
    assert_int_equal(bilanx_record_merge(records, 2), 1);
    assert_int_equal(records[0].timing.raw_cpu_count, 2);
    assert_near(records[0].timing.raw_times[0], 2, 0);
    assert_near(records[0].timing.raw_times[1], 3, 0);
    assert_near(records[0].timing.raw_cpu_times[0], 1.5, 0);
    assert_near(records[0].timing.raw_cpu_times[1], 2.5, 0);
    bilanx_record_done(&records[0]);
}

static void a_failure_is_copied_whole(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        record_of("'kind':'failure','error':{'code':'c','phase':'p','text':'t','output':'o'}");
    AUTO(bilanx_record) struct bilanx_record copy = {.kind = mem_text("failure")};
    copy.error = record_copy_failure(record.error);
    AUTO(memory) char *json = bilanx_record_json(&record);
    AUTO(memory) char *copied = bilanx_record_json(&copy);
    assert_string_equal(copied, json);
    assert_ptr_not_equal(copy.error->text, record.error->text);
}

static void an_expectation_at_the_limit_is_met(void **state)
{
    (void)state;
    struct bilanx_expected time = {.of = (char *)"time", .low = 1, .high = 2};
    assert_string_equal(met("[1]", "", time), "yes");
    assert_string_equal(met("[2]", "", time), "yes");
    time.low = NAN;
    assert_string_equal(met("[0]", "", time), "yes");
    // An interval that only touches the range leaves room for it.
    struct bilanx_expected small = {.of = (char *)"overhead", .low = -2, .high = 2};
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':3,'ci95':[2,5]}", small), "perhaps");
    assert_string_equal(met("[9]", ",'overhead_of':{'estimate':-3,'ci95':[-5,-2]}", small),
                        "perhaps");
    struct bilanx_expected other = {.of = (char *)"time", .low = 1, .high = 2};
    AUTO(bilanx_record) struct bilanx_record nothing = record_of("'kind':'counts'");
    record_expect(&nothing, &other);
    assert_null(nothing.expected->met);
}

static void the_epochs_of_replicates_are_joined_in_order(void **state)
{
    (void)state;
    struct bilanx_record records[] = {
        record_of("'kind':'measurement','number_per_run':2,'raw_times':[2,4],'raw_cpu_times':[6,8],"
                  "'epochs':[{'time':1},{'time':2}]"),
        record_of("'kind':'measurement','number_per_run':1,'raw_times':[3,4],'raw_cpu_times':[5,6],"
                  "'epochs':[{'time':3},{'time':4}]"),
    };
    assert_int_equal(bilanx_record_merge(records, 2), 1);
    const struct bilanx_timing *timing = &records[0].timing;
    assert_int_equal(timing->epoch_count, 4);
    assert_int_equal(timing->raw_cpu_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_near(timing->epochs[i].time, (double)i + 1, 0);
        assert_near(timing->raw_times[i], (double)i + 1, 0);
        assert_near(timing->raw_cpu_times[i], (double)i + 3, 0);
    }
    bilanx_record_done(&records[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_digit_survives_a_round_trip),
        cmocka_unit_test(an_infinite_interval_is_left_out),
        cmocka_unit_test(replicates_have_equal_tasks_and_sides),
        cmocka_unit_test(merged_records_keep_the_order_of_first_appearance),
        cmocka_unit_test(a_single_record_is_left_as_it_is),
        cmocka_unit_test(merging_joins_warnings_and_reassesses_the_spread),
        cmocka_unit_test(many_records_merge_quickly),
        cmocka_unit_test(replicates_are_absorbed_one_by_one),
        cmocka_unit_test(a_task_is_copied_whole),
        cmocka_unit_test(an_expectation_is_met_by_the_estimate_or_perhaps_by_its_interval),
        cmocka_unit_test(the_state_of_the_core_survives_a_round_trip),
        cmocka_unit_test(overheads_and_expectations_survive_a_round_trip),
        cmocka_unit_test(a_title_is_made_of_labels_or_else_of_the_statement),
        cmocka_unit_test(the_bare_hash_of_a_task_ignores_how_it_is_compiled),
        cmocka_unit_test(nothing_is_a_record_without_members),
        cmocka_unit_test(merging_keeps_the_largest_memory_and_what_all_agree_on),
        cmocka_unit_test(the_cpu_times_of_blocks_are_merged_per_call),
        cmocka_unit_test(a_failure_is_copied_whole),
        cmocka_unit_test(an_expectation_at_the_limit_is_met),
        cmocka_unit_test(the_epochs_of_replicates_are_joined_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
