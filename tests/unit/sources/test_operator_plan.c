#include <math.h>

#include "own_folder.h"
#include "records.h"
#include "sources/operator_cases/op_resume.h"
#include "sources/operator_cases/operator_cases.h"

static const char LOG[] = "Operator: aten.relu.default\n"
                          "cnt: 3, ((T([13, 4], f32),), {})\n"
                          "cnt: 1, ((T([600], f32),), {})\n"
                          "cnt: 5, ((T([7], f32),), {})\n"
                          "Operator: aten.relu_.default\n"
                          "cnt: 1, ((T([7], f32),), {})\n"
                          "Operator: aten.view.default\n"
                          "cnt: 2, ((T([6], f32), [2, 3]), {})\n"
                          "Operator: aten.zeros.default\n"
                          "cnt: 2, (([6],), {})\n";

struct fixture {
    struct operator_log log;
    struct ops ops;
};
static struct fixture fixture;

static int enter(void **state)
{
    fixture = (struct fixture){0};
    return own_folder_enter(state);
}

static int leave(void **state)
{
    ops_done(&fixture.ops);
    operator_log_done(&fixture.log);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static struct bilanx_error plan(struct ops_options options)
{
    ops_done(&fixture.ops);
    operator_log_done(&fixture.log);
    fixture = (struct fixture){.ops.options = options};
    file_make("log.txt", LOG);
    assert_ok(ops_backends_add(&fixture.ops.backends, "torch", NULL));
    assert_ok(ops_backends_add(&fixture.ops.backends, "inductor", NULL));
    assert_ok(operator_log_add(&fixture.log, "log.txt"));
    return ops_plan(&fixture.ops, &fixture.log);
}

// The planned samples as "NAME INDEX@PLACE" and the reasons of operators that are skipped.
static void assert_plan(struct ops_options options, const char *expected)
{
    AUTO(text) struct text text = {0};
    assert_ok(plan(options));
    for (size_t i = 0; i < fixture.ops.operator_count; i++) {
        const struct ops_operator *of = &fixture.ops.operators[i];
        text_format(&text, "%s", of->logged->name + strlen("aten."));
        if (of->skipped)
            text_format(&text, " (%s)", of->skipped);
        for (size_t k = 0; !of->skipped && k < of->sample_count; k++)
            text_format(&text, " %zu@%zu", of->samples[k].index, of->samples[k].place);
        text_add(&text, ";");
    }
    assert_string_equal(text_get(&text), expected);
}

static void everything_that_computes_is_measured(void **state)
{
    (void)state;
    assert_plan((struct ops_options){0},
                "relu.default 0@0 1@1 2@2;relu_.default 0@3;view.default (view);"
                "zeros.default (constructor);");
    assert_plan((struct ops_options){.all_roles = true},
                "relu.default 0@0 1@1 2@2;relu_.default 0@3;view.default 0@4;"
                "zeros.default 0@5;");
    assert_int_equal(ops_sample_count(&fixture.ops), 6);
    assert_int_equal(fixture.ops.operators[2].role, OPERATOR_VIEWS);
}

static void a_whole_name_or_an_expression_selects_operators(void **state)
{
    (void)state;
    assert_plan((struct ops_options){.select = "all"},
                "relu.default 0@0 1@1 2@2;relu_.default 0@3;view.default (view);"
                "zeros.default (constructor);");
    assert_plan((struct ops_options){.select = "aten.relu_.default"}, "relu_.default 0@0;");
    assert_plan((struct ops_options){.select = "torch.ops.aten.relu_.default"},
                "relu_.default 0@0;");
    assert_plan((struct ops_options){.select = "aten.relu"},
                "relu.default 0@0 1@1 2@2;relu_.default 0@3;");
    assert_plan((struct ops_options){.select = "^aten\\.(view|relu_)"},
                "relu_.default 0@0;view.default (view);");
    assert_plan((struct ops_options){.select = "aten.view.default"}, "view.default 0@0;");
    assert_error(plan((struct ops_options){.select = "("}), BILANX_E_USAGE,
                 "--op '(' is not a regular expression: ");
    assert_error(plan((struct ops_options){.select = "nothing"}), BILANX_E_INPUT,
                 "no operator of the log matches --op 'nothing'");
    assert_ok(ops_check_selection("relu", &fixture.log));
    struct operator_log empty = {0};
    assert_error(ops_check_selection(NULL, &empty), BILANX_E_INPUT, "--op 'all'");
}

static void samples_are_limited(void **state)
{
    (void)state;
    assert_plan((struct ops_options){.select = "relu", .most_samples = 2},
                "relu.default 0@0 1@1;relu_.default 0@2;");
    assert_plan((struct ops_options){.select = "relu", .first_sample = 1},
                "relu.default 1@0 2@1;relu_.default (no sample from --start-idx on);");
    assert_plan((struct ops_options){.select = "relu", .first_sample = 2, .most_samples = 1},
                "relu.default 2@0;relu_.default (no sample from --start-idx on);");
    assert_plan((struct ops_options){.select = "relu", .data.max_bytes = 28},
                "relu.default 2@0;relu_.default 0@1;");
    assert_plan((struct ops_options){.select = "relu", .data.max_bytes = 27},
                "relu.default (too large for --max-bytes);"
                "relu_.default (too large for --max-bytes);");
    assert_plan((struct ops_options){.select = "relu", .data = {.max_bytes = 28, .dtype = "f64"}},
                "relu.default (too large for --max-bytes);"
                "relu_.default (too large for --max-bytes);");
}

static void a_shard_has_its_part_of_the_samples(void **state)
{
    (void)state;
    assert_plan((struct ops_options){.select = "relu", .portion.cases = "2-3"},
                "relu.default 1@1 2@2;");
    assert_plan((struct ops_options){.select = "relu", .portion.cases = "4"}, "relu_.default 0@3;");
    assert_plan((struct ops_options){.select = "relu", .portion.shard = "1/2"},
                "relu.default 0@0 2@2;");
    assert_plan((struct ops_options){.select = "relu", .portion.shard = "2/2"},
                "relu.default 1@1;relu_.default 0@3;");
    assert_int_equal(ops_sample_count(&fixture.ops), 2);
    assert_error(plan((struct ops_options){.select = "relu", .portion.cases = "5"}), BILANX_E_INPUT,
                 "there is no case 5: this suite has 4 cases");
}

static void each_sample_is_a_case_on_each_backend(void **state)
{
    (void)state;
    assert_ok(plan((struct ops_options){.select = "relu", .threads = 3, .data.seed = 9}));
    assert_int_equal(fixture.ops.cases.count, 8);
    const struct ops_operator *of = &fixture.ops.operators[1];
    const struct run_case *item = ops_case(&fixture.ops, of, &of->samples[0], 1);
    assert_ptr_equal(item, &fixture.ops.cases.items[7]);
    assert_string_equal(item->name, "aten.relu_.default ((T([7], f32),), {}) inductor");
    assert_string_equal(item->task.label, "aten.relu_.default");
    assert_string_equal(item->task.sub_label, "((T([7], f32),), {})");
    assert_string_equal(item->task.description, "inductor");
    assert_string_equal(item->task.stmt, "aten.relu_.default((T([7], f32),), {})");
    assert_string_equal(item->task.language, "operator");
    assert_int_equal(item->task.num_threads, 3);
    assert_string_equal(item->task.parameters, "{\"cnt\":1,\"dtype\":\"f32\",\"seed\":9}");
    of = &fixture.ops.operators[0];
    item = ops_case(&fixture.ops, of, &of->samples[2], 0);
    assert_ptr_equal(item, &fixture.ops.cases.items[4]);
    assert_ok(plan((struct ops_options){.select = "relu"}));
    assert_int_equal(fixture.ops.cases.items[0].task.num_threads, 1);
}

static void parameters_say_how_a_call_is_measured(void **state)
{
    (void)state;
    struct ops ops = {.options = {.data = {.dtype = "f16", .channels_last = true},
                                  .preallocate = true,
                                  .cold = true}};
    AUTO(memory) char *json = ops_parameters(&ops, 12);
    assert_string_equal(json, "{\"cnt\":12,\"dtype\":\"f16\",\"seed\":0,\"layout\":"
                              "\"channels_last\",\"memory\":\"preallocated\",\"caches\":\"cold\"}");
}

// A measured sample: three turns of two calls, one of them beside a neighbour.
static struct ops_sample *measured(void)
{
    assert_ok(plan((struct ops_options){.select = "aten.relu.default"}));
    struct ops_sample *sample = &fixture.ops.operators[0].samples[1];
    struct ops_time *time = &sample->times[1];
    static const double times[] = {1e-3, 5e-3, 3e-3};
    static const bool is_free[] = {true, false, true};
    time->times = mem_array(double, 3);
    time->turns_free = mem_array(bool, 3);
    memcpy(time->times, times, sizeof times);
    memcpy(time->turns_free, is_free, sizeof is_free);
    time->count = 3;
    time->calls = 2;
    time->state = OPS_MEASURED;
    return sample;
}

static void a_record_has_the_times_of_the_turns_that_count(void **state)
{
    (void)state;
    struct ops_sample *sample = measured();
    struct ops_time *time = &sample->times[1];
    const struct ops_operator *of = &fixture.ops.operators[0];
    AUTO(bilanx_record) struct bilanx_record all = {0}, free_only = {0}, none = {0};
    assert_true(ops_make_record(&fixture.ops, of, sample, 1, &all));
    assert_string_equal(all.kind, "measurement");
    assert_string_equal(all.timing.method, "repeats");
    assert_int_equal(all.timing.number_per_run, 2);
    assert_int_equal(all.timing.raw_count, 3);
    assert_near(all.timing.raw_times[1], 1e-2, 1e-15);  // of both calls
    assert_near(all.stats.median, 3e-3, 1e-15);
    assert_int_equal(all.place, 4);
    assert_string_equal(all.extra, "{\"sample\":2}");
    assert_string_equal(all.counters, "{\"prepare_s\":0}");
    assert_null(all.rates);
    assert_string_equal(all.task.description, "inductor");
    time->is_free = true;
    time->readings = 8;
    time->free_readings = 6;
    time->error = 0.5;
    time->prepare_s = 2;
    time->page_faults = 0.25;
    time->differs_on_special = true;
    sample->flops = 52;
    sample->bytes = 416;
    assert_true(ops_make_record(&fixture.ops, of, sample, 1, &free_only));
    assert_int_equal(free_only.timing.raw_count, 2);
    assert_near(free_only.timing.raw_times[1], 6e-3, 1e-15);
    assert_string_equal(free_only.counters, "{\"flops\":52,\"error\":0.5,\"prepare_s\":2,"
                                            "\"differs_on_special\":1,\"page_faults\":0.25}");
    assert_true(free_only.rates && free_only.rates->bytes == 416);
    AUTO(memory) char *json = bilanx_record_json(&free_only);
    assert_non_null(strstr(json, "\"core\":\"free\""));
    assert_non_null(strstr(json, "0.75"));
    assert_false(ops_make_record(&fixture.ops, of, sample, 0, &none));  // pending
}

static void a_failure_is_recorded_with_its_phase(void **state)
{
    (void)state;
    static const struct {
        enum ops_state state;
        enum bilanx_status status;
        const char *phase, *code;
    } failures[] = {{OPS_WRONG, BILANX_E_FAILED, "check", "failed"},
                    {OPS_UNSUPPORTED, BILANX_E_SKIPPED, "supports", "skipped"},
                    {OPS_FAILED, BILANX_E_CRASHED, "run", "crashed"}};
    for (size_t i = 0; i < LENGTH(failures); i++) {
        struct ops_sample *sample = measured();
        struct ops_time *time = &sample->times[1];
        time->state = failures[i].state;
        time->status = failures[i].status;
        time->why = mem_text("the reason");
        AUTO(bilanx_record) struct bilanx_record record = {0};
        assert_true(ops_make_record(&fixture.ops, &fixture.ops.operators[0], sample, 1, &record));
        assert_string_equal(record.kind, "failure");
        assert_string_equal(record.error->phase, failures[i].phase);
        assert_string_equal(record.error->code, failures[i].code);
        assert_string_equal(record.error->text, "the reason");
    }
}

// A line of a file of records, for a sample of aten.relu.default on a backend.
static void add_record(struct text *lines, const char *arguments, unsigned calls,
                       const char *backend, bool failed)
{
    text_format(
        lines,
        "{\"schema\":\"bilanx/1\",\"kind\":\"%s\",\"task\":{\"stmt\":\"aten.relu.default%s\","
        "\"language\":\"operator\",\"label\":\"aten.relu.default\",\"sub_label\":\"%s\","
        "\"description\":\"%s\",\"num_threads\":1,\"parameters\":{\"cnt\":%u,\"dtype\":"
        "\"f32\",\"seed\":0}},%s}\n",
        failed ? "failure" : "measurement", arguments, arguments, backend, calls,
        failed ? "\"error\":{\"code\":\"crashed\"}"
               : "\"number_per_run\":2,\"raw_times\":[0.004,0.002,0.006],"
                 "\"bytes\":77,\"counters\":{\"flops\":52,\"prepare_s\":1.5}");
}

static void samples_with_records_are_finished(void **state)
{
    (void)state;
    static const char first[] = "((T([13, 4], f32),), {})", second[] = "((T([600], f32),), {})",
                      third[] = "((T([7], f32),), {})";
    AUTO(text) struct text lines = {0}, kept = {0};
    bool dropped = true;
    assert_ok(plan((struct ops_options){.select = "aten.relu.default"}));
    add_record(&lines, first, 3, "inductor", false);
    add_record(&lines, first, 3, "torch", false);
    add_record(&lines, second, 1, "inductor", false);  // its baseline is missing
    add_record(&lines, third, 5, "torch", false);      // the other backend does not support it
    add_record(&lines, "((T([99], f32),), {})", 5, "torch", true);  // of another run
    file_make("records.jsonl", text_get(&lines));
    assert_ok(ops_resume(&fixture.ops, "records.jsonl", &kept, &dropped));
    assert_false(dropped);
    const struct ops_sample *samples = fixture.ops.operators[0].samples;
    assert_true(samples[0].finished && !samples[1].finished && samples[2].finished);
    const struct ops_time *time = &samples[0].times[1];
    assert_int_equal(time->state, OPS_MEASURED);
    assert_int_equal(time->calls, 2);
    assert_int_equal(time->count, 3);
    assert_near(time->times[0], 0.002, 1e-15);
    assert_near(time->median, 0.002, 1e-15);
    assert_true(time->prepare_s == 1.5 && isnan(time->error) && isnan(time->page_faults));
    assert_false(time->differs_on_special);
    assert_true(samples[0].flops == 52);
    assert_int_equal(samples[1].times[1].state, OPS_PENDING);
    assert_int_equal(samples[1].times[1].count, 0);
    assert_int_equal(samples[2].times[0].state, OPS_MEASURED);
    assert_int_equal(samples[2].times[1].state, OPS_UNSUPPORTED);
    assert_string_equal(samples[2].times[1].why, "not supported, as an earlier run found");
    size_t count = 0;
    for (const char *at = text_get(&kept); (at = strchr(at, '\n')); at++)
        count++;
    assert_int_equal(count, 5);
}

static void samples_on_which_a_backend_failed_are_measured_again(void **state)
{
    (void)state;
    static const char first[] = "((T([13, 4], f32),), {})", third[] = "((T([7], f32),), {})";
    AUTO(text) struct text lines = {0}, kept = {0}, none = {0};
    bool dropped = false;
    assert_ok(plan((struct ops_options){.select = "aten.relu.default"}));
    add_record(&lines, first, 3, "inductor", true);
    add_record(&lines, first, 3, "torch", false);
    add_record(&lines, third, 5, "torch", false);
    text_add(&lines, "{\"schema\":\"bila");
    file_make("records.jsonl", text_get(&lines));
    assert_ok(ops_resume(&fixture.ops, "records.jsonl", &kept, &dropped));
    assert_true(dropped);
    assert_false(fixture.ops.operators[0].samples[0].finished);
    assert_int_equal(fixture.ops.operators[0].samples[0].times[0].state, OPS_PENDING);
    assert_true(fixture.ops.operators[0].samples[2].finished);
    assert_null(strstr(text_get(&kept), "T([13, 4]"));
    assert_non_null(strstr(text_get(&kept), "T([7]"));
    assert_ok(ops_resume(&fixture.ops, "missing.jsonl", &none, &dropped));
    assert_false(dropped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_that_computes_is_measured),
        TEST(a_whole_name_or_an_expression_selects_operators),
        TEST(samples_are_limited),
        TEST(a_shard_has_its_part_of_the_samples),
        TEST(each_sample_is_a_case_on_each_backend),
        TEST(parameters_say_how_a_call_is_measured),
        TEST(a_record_has_the_times_of_the_turns_that_count),
        TEST(a_failure_is_recorded_with_its_phase),
        TEST(samples_with_records_are_finished),
        TEST(samples_on_which_a_backend_failed_are_measured_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
