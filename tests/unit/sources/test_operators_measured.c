// The operators of a log on two backends: our reference, and one of the tests that has faults.
#include <math.h>

#include "own_folder.h"
#include "records.h"
#include "sources/operator_cases/op_resume.h"
#include "sources/operator_cases/operator_cases.h"

static const char LOG[] = "Operator: aten.relu.default\n"
                          "cnt: 3, ((T([13, 4], f32),), {})\n"
                          "cnt: 1, ((T([6], f32),), {})\n"
                          "Operator: aten.add_.Tensor\n"
                          "cnt: 2, ((T([5, 3], f32), T([5, 3], f32)), {})\n"
                          "Operator: aten.sub.Tensor\n"
                          "cnt: 2, ((T([5, 3], f32), T([5, 3], f32)), {})\n"
                          "Operator: aten.no_such.default\n"
                          "cnt: 4, ((T([2], f32),), {})\n";

struct fixture {
    struct operator_log log;
    struct ops ops;
    struct ops_hosts *hosts;
    size_t working, samples, finished, repeats, turns[2];
};
static struct fixture fixture;

static int enter(void **state)
{
    fixture = (struct fixture){.ops.options = {.order_seed = 1}};
    return own_folder_enter(state) == 0 ? setenv("XDG_CACHE_HOME", own_folder, 1) : -1;
}

static int leave(void **state)
{
    ops_hosts_free(fixture.hosts);
    ops_done(&fixture.ops);
    operator_log_done(&fixture.log);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

// NAME=MODULE:CONFIG, where a variable of the environment names the module.
static char *spec_of(const char *name, const char *variable, const char *config)
{
    const char *path = getenv(variable);
    assert_non_null(path);
    return mem_format("%s=%s%s%s", name, path, config ? ":" : "", config ? config : "");
}

// Plans the log for the reference and for the other backend, which has this configuration, or none.
static void plan(const char *fault)
{
    AUTO(memory) char *toy = spec_of("toy", "OPS_BACKEND", fault);
    AUTO(memory) char *reference = spec_of("ref", "REFERENCE_BACKEND", NULL);
    file_make("log.txt", LOG);
    assert_ok(ops_backends_add(&fixture.ops.backends, reference, NULL));
    assert_ok(ops_backends_add(&fixture.ops.backends, toy, NULL));
    assert_ok(operator_log_add(&fixture.log, "log.txt"));
    assert_ok(ops_plan(&fixture.ops, &fixture.log));
}

static void working(void *context, const struct ops_operator *of, const struct ops_sample *sample)
{
    (void)context, (void)of;
    assert_false(sample->finished);
    fixture.working++;
}

static void sample_ended(void *context, const struct ops_operator *of,
                         const struct ops_sample *sample)
{
    (void)context, (void)of;
    assert_true(sample->finished);
    fixture.samples++;
}

static void finished(void *context, const struct ops_operator *of)
{
    (void)context;
    assert_true(of->elapsed_s > 0);
    fixture.finished++;
}

static void span(void *context, const struct ops_span *told)
{
    (void)context;
    assert_true(told->end_ns >= told->start_ns);
    fixture.repeats += strcmp(told->kind, "repeat") == 0;
    if (strcmp(told->kind, "backend") == 0)
        fixture.turns[told->backend]++;
}

static const struct ops_observer observer = {
    .working = working, .sample = sample_ended, .finished = finished, .span = span};

static void measure(void)
{
    assert_ok(ops_hosts_start(&fixture.ops, &fixture.hosts));
    assert_ok(ops_measure(&fixture.ops, fixture.hosts, &observer));
}

static struct ops_time *time_of(const char *name, size_t sample, size_t backend)
{
    for (size_t i = 0; i < fixture.ops.operator_count; i++)
        if (strcmp(fixture.ops.operators[i].logged->name, name) == 0)
            return &fixture.ops.operators[i].samples[sample].times[backend];
    fail_msg("no operator '%s'", name);
    return NULL;
}
static const char RELU[] = "aten.relu.default", ADD[] = "aten.add_.Tensor",
                  SUB[] = "aten.sub.Tensor", NONE[] = "aten.no_such.default";

static void assert_measured(const struct ops_time *time, size_t repeats)
{
    if (time->state != OPS_MEASURED)
        fail_msg("not measured: %s", time->why ? time->why : "no reason");
    assert_null(time->why);
    assert_int_equal(time->count, repeats);
    assert_true(time->calls >= 1 && time->batches >= 1);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < time->count; i++) {
        if (!ops_turn_counts(time, i))
            continue;
        least = fmin(least, time->times[i]);
        most = fmax(most, time->times[i]);
    }
    assert_true(least > 0 && time->median >= least && time->median <= most);
    assert_true(time->prepare_s >= 0 && time->first_s > 0);
}

static void assert_state(const struct ops_time *time, enum ops_state state,
                         enum bilanx_status status, const char *why)
{
    assert_int_equal(time->state, state);
    assert_non_null(time->why);
    if (time->status != status || !strstr(time->why, why))
        fail_msg("status '%s', text '%s', not '%s', '%s'", bilanx_status_code(time->status),
                 time->why, bilanx_status_code(status), why);
}

static void backends_take_turns_on_every_sample(void **state)
{
    (void)state;
    fixture.ops.options.repeats = 4;
    plan(NULL);
    measure();
    for (size_t backend = 0; backend < 2; backend++) {
        assert_measured(time_of(RELU, 0, backend), 4);
        assert_measured(time_of(RELU, 1, backend), 4);
        assert_measured(time_of(ADD, 0, backend), 4);
    }
    const struct ops_sample *relu = &fixture.ops.operators[0].samples[0];
    assert_true(relu->bytes == 2 * 13 * 4 * sizeof(float));  // read and written
    assert_true(fixture.ops.operators[1].samples[0].bytes == 3 * 15 * sizeof(float));
    assert_true(relu->times[1].error == 0);
    assert_true(isnan(relu->times[0].error));        // it is what others are compared with
    assert_true(relu->times[1].differs_on_special);  // its maximum of NaN and 0 is 0
    assert_false(time_of(ADD, 0, 1)->differs_on_special);
    assert_int_equal(fixture.working, 5);
    assert_int_equal(fixture.samples, 5);
    assert_int_equal(fixture.finished, 4);
    assert_int_equal(fixture.turns[0], 4 * 4);
    assert_int_equal(fixture.turns[1], 3 * 4);
    assert_string_equal(fixture.ops.backends.items[1].version, "toy 1.0");
}

static void what_a_backend_cannot_run_is_not_a_failure(void **state)
{
    (void)state;
    plan(NULL);
    measure();
    assert_measured(time_of(SUB, 0, 0), 3);
    assert_state(time_of(SUB, 0, 1), OPS_UNSUPPORTED, BILANX_E_SKIPPED,
                 "only relu and add are written");
    assert_int_equal(time_of(NONE, 0, 0)->state, OPS_UNSUPPORTED);
    assert_int_equal(time_of(NONE, 0, 1)->state, OPS_UNSUPPORTED);
    assert_true(fixture.ops.operators[3].samples[0].finished);
}

static void without_a_baseline_there_is_nothing_to_compare_with(void **state)
{
    (void)state;
    AUTO(memory) char *toy = spec_of("toy", "OPS_BACKEND", NULL);
    AUTO(memory) char *reference = spec_of("ref", "REFERENCE_BACKEND", NULL);
    plan(NULL);
    ops_done(&fixture.ops);
    assert_ok(ops_backends_add(&fixture.ops.backends, toy, NULL));
    assert_ok(ops_backends_add(&fixture.ops.backends, reference, NULL));
    assert_ok(ops_plan(&fixture.ops, &fixture.log));
    measure();
    assert_state(time_of(SUB, 0, 0), OPS_UNSUPPORTED, BILANX_E_SKIPPED, "only relu and add");
    assert_state(time_of(SUB, 0, 1), OPS_UNSUPPORTED, BILANX_E_SKIPPED,
                 "nothing to compare with: the baseline cannot run it");
    assert_measured(time_of(RELU, 0, 1), 3);
}

// The fault concerns the first sample alone, whose first dimension is 13.
static void assert_fault(const char *fault, enum ops_state expected, enum bilanx_status status,
                         const char *why)
{
    leave(NULL);
    enter(NULL);
    fixture.ops.options.repeats = 1;
    plan(fault);
    measure();
    assert_state(time_of(RELU, 0, 1), expected, status, why);
    assert_measured(time_of(RELU, 0, 0), 1);
    assert_measured(time_of(RELU, 1, 0), 1);
    assert_measured(time_of(RELU, 1, 1), 1);
    assert_measured(time_of(ADD, 0, 1), 1);
}

static void a_backend_that_fails_is_left_out_of_that_sample(void **state)
{
    (void)state;
    assert_fault("fail", OPS_FAILED, BILANX_E_FAILED, "thirteen is unlucky");
    assert_fault("exit", OPS_FAILED, BILANX_E_EXITED, "exited with status 3");
    assert_fault("crash", OPS_FAILED, BILANX_E_CRASHED, "killed by signal 6");
    assert_fault("prepare-crash", OPS_FAILED, BILANX_E_CRASHED, "killed by signal 6");
}

static void a_backend_that_hangs_is_given_up(void **state)
{
    (void)state;
    fixture.ops.options.repeats = 1;
    fixture.ops.options.timeout_s = 3;
    fixture.ops.options.select = RELU;
    plan("hang");
    measure();
    assert_int_equal(time_of(RELU, 0, 1)->state, OPS_FAILED);
    assert_int_equal(time_of(RELU, 0, 1)->status, BILANX_E_TIMED_OUT);
    assert_measured(time_of(RELU, 0, 0), 1);
    assert_measured(time_of(RELU, 1, 1), 1);
}

static void a_wrong_result_has_no_time(void **state)
{
    (void)state;
    assert_fault("wrong", OPS_WRONG, BILANX_E_FAILED, "wrong: ");
    assert_near(time_of(RELU, 0, 1)->error, 1, 1e-5);
    assert_fault("clip", OPS_WRONG, BILANX_E_FAILED, "wrong on large elements: ");
    assert_fault("flush", OPS_WRONG, BILANX_E_FAILED, "wrong on tiny elements: ");
}

static void results_of_another_shape_are_wrong(void **state)
{
    (void)state;
    fixture.ops.options.select = RELU;
    plan("shape");
    measure();
    assert_state(time_of(RELU, 0, 1), OPS_WRONG, BILANX_E_FAILED, "wrong: ");
    assert_state(time_of(RELU, 1, 1), OPS_WRONG, BILANX_E_FAILED, "wrong: ");
}

static void unchecked_results_may_be_wrong(void **state)
{
    (void)state;
    fixture.ops.options.repeats = 1;
    fixture.ops.options.select = RELU;
    fixture.ops.options.unchecked = true;
    plan("wrong");
    measure();
    assert_measured(time_of(RELU, 0, 1), 1);
    assert_true(isnan(time_of(RELU, 0, 1)->error));
}

static void every_way_of_running_measures_the_same_samples(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        leave(NULL);
        enter(NULL);
        fixture.ops.options.repeats = 2;
        fixture.ops.options.select = way == 3 ? ADD : RELU;
        fixture.ops.options.threads = way == 0 ? 2 : 1;  // does not fork
        fixture.ops.options.preallocate = way == 1;
        fixture.ops.options.cold = way >= 2;
        plan(NULL);
        measure();
        for (size_t backend = 0; backend < 2; backend++) {
            const struct ops_time *time = time_of(way == 3 ? ADD : RELU, 0, backend);
            assert_measured(time, 2);
            assert_true(way == 0 ? time->readings == 0 : true);
            assert_true(way < 2 || time->calls <= 2);  // few calls fit between two sweeps
        }
    }
}

static void a_process_that_dies_without_forking_is_started_again(void **state)
{
    (void)state;
    fixture.ops.options.repeats = 1;
    fixture.ops.options.threads = 2;
    plan("crash");
    measure();
    assert_state(time_of(RELU, 0, 1), OPS_FAILED, BILANX_E_CRASHED, "killed by signal 6");
    assert_measured(time_of(RELU, 0, 0), 1);
    assert_measured(time_of(RELU, 1, 1), 1);
}

static void a_backend_that_cannot_be_loaded_is_an_error_if_it_was_asked_for(void **state)
{
    (void)state;
    plan("refuse");
    assert_error(ops_hosts_start(&fixture.ops, &fixture.hosts), BILANX_E_INPUT,
                 "backend 'toy': this configuration is not for you");
    fixture.ops.backends.items[1].implied = true;
    assert_ok(ops_hosts_start(&fixture.ops, &fixture.hosts));
    assert_int_equal(fixture.ops.backends.count, 1);
    assert_string_equal(fixture.ops.backends.items[0].name, "ref");
    ops_hosts_free(fixture.hosts);
    fixture.hosts = NULL;
    AUTO(memory) char *refused = spec_of("refused", "OPS_BACKEND", "refuse");
    AUTO(memory) char *last = spec_of("last", "OPS_BACKEND", NULL);
    assert_ok(ops_backends_add(&fixture.ops.backends, refused, NULL));
    assert_ok(ops_backends_add(&fixture.ops.backends, last, NULL));
    fixture.ops.backends.items[1].implied = true;
    assert_ok(ops_hosts_start(&fixture.ops, &fixture.hosts));
    assert_int_equal(fixture.ops.backends.count, 2);
    assert_string_equal(fixture.ops.backends.items[1].name, "last");
    assert_int_equal(fixture.ops.backends.items[1].index, 1);
}

static void a_backend_names_itself_unless_it_is_named(void **state)
{
    (void)state;
    const char *path = getenv("OPS_BACKEND");
    AUTO(memory) char *slow = mem_format("%s:slow", path);
    AUTO(memory) char *first = spec_of("a", "OPS_BACKEND", NULL);
    file_make("log.txt", LOG);
    assert_ok(operator_log_add(&fixture.log, "log.txt"));
    assert_ok(ops_backends_add(&fixture.ops.backends, first, NULL));
    assert_ok(ops_backends_add(&fixture.ops.backends, slow, NULL));
    assert_ok(ops_plan(&fixture.ops, &fixture.log));
    assert_ok(ops_hosts_start(&fixture.ops, &fixture.hosts));
    assert_string_equal(fixture.ops.backends.items[0].name, "a");
    assert_string_equal(fixture.ops.backends.items[1].name, "toy:slow");
    ops_hosts_free(fixture.hosts);
    fixture.hosts = NULL;
    free(fixture.ops.backends.items[0].name);
    fixture.ops.backends.items[0].name = mem_text("toy:slow");
    assert_error(ops_hosts_start(&fixture.ops, &fixture.hosts), BILANX_E_INPUT,
                 "two backends call themselves 'toy:slow'");
}

static void a_survey_runs_nothing(void **state)
{
    (void)state;
    plan("crash");
    assert_ok(ops_hosts_start(&fixture.ops, &fixture.hosts));
    assert_ok(ops_survey(&fixture.ops, fixture.hosts));
    assert_int_equal(time_of(RELU, 0, 0)->state, OPS_MEASURED);
    assert_int_equal(time_of(RELU, 0, 1)->state, OPS_MEASURED);
    assert_int_equal(time_of(RELU, 0, 1)->count, 0);
    assert_int_equal(time_of(SUB, 0, 1)->state, OPS_UNSUPPORTED);
    assert_string_equal(time_of(SUB, 0, 1)->why, "only relu and add are written");
    assert_int_equal(time_of(NONE, 0, 0)->state, OPS_UNSUPPORTED);
    AUTO(memory) char *code = NULL;
    const struct ops_operator *of = &fixture.ops.operators[0];
    assert_error(ops_code(of, &of->samples[0], fixture.hosts, 1, &code), BILANX_E_SKIPPED,
                 "this backend generates no code");
}

// Writes the records of all samples that have one.
static void write_records(void)
{
    AUTO(text) struct text lines = {0};
    for (size_t i = 0; i < fixture.ops.operator_count; i++)
        for (size_t k = 0; k < fixture.ops.operators[i].sample_count; k++)
            for (size_t b = 2; b-- > 0;) {
                const struct ops_operator *of = &fixture.ops.operators[i];
                AUTO(bilanx_record) struct bilanx_record record = {0};
                assert_true(ops_make_record(&fixture.ops, of, &of->samples[k], b, &record));
                AUTO(memory) char *json = bilanx_record_json(&record);
                text_format(&lines, "%s\n", json);
            }
    file_make("records.jsonl", text_get(&lines));
}

static void a_run_continues_after_its_records(void **state)
{
    (void)state;
    fixture.ops.options.repeats = 3;
    fixture.ops.options.select = "relu|sub";
    plan("nan");
    measure();
    write_records();
    const struct ops_time *before = time_of(RELU, 0, 1);
    double median = before->median, error = before->error;
    uint64_t calls = before->calls;
    ops_hosts_free(fixture.hosts);
    ops_done(&fixture.ops);
    operator_log_done(&fixture.log);
    fixture = (struct fixture){.ops.options = {.select = "relu|sub"}};
    plan("nan");
    AUTO(text) struct text kept = {0};
    bool dropped = true;
    assert_ok(ops_resume(&fixture.ops, "records.jsonl", &kept, &dropped));
    assert_true(dropped);  // the sample that one backend does not support: it is asked again
    const struct ops_time *after = time_of(RELU, 0, 1);
    assert_int_equal(after->state, OPS_MEASURED);
    assert_near(after->median, median, 1e-12 * median);
    assert_near(after->error, error, 0);
    assert_int_equal(after->calls, calls);
    assert_true(after->count >= 1 && after->count <= 3);
    assert_true(after->differs_on_special);
    const struct ops_sample *relu = &fixture.ops.operators[0].samples[0];
    assert_true(relu->finished && relu->bytes == 2 * 13 * 4 * sizeof(float));
    assert_false(fixture.ops.operators[1].samples[0].finished);
    assert_non_null(strstr(text_get(&kept), "aten.relu.default"));
    assert_null(strstr(text_get(&kept), "aten.sub.Tensor"));
    measure();
    assert_int_equal(fixture.working, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(backends_take_turns_on_every_sample),
        TEST(what_a_backend_cannot_run_is_not_a_failure),
        TEST(without_a_baseline_there_is_nothing_to_compare_with),
        TEST(a_backend_that_fails_is_left_out_of_that_sample),
        TEST(a_backend_that_hangs_is_given_up),
        TEST(a_wrong_result_has_no_time),
        TEST(results_of_another_shape_are_wrong),
        TEST(unchecked_results_may_be_wrong),
        TEST(every_way_of_running_measures_the_same_samples),
        TEST(a_process_that_dies_without_forking_is_started_again),
        TEST(a_backend_that_cannot_be_loaded_is_an_error_if_it_was_asked_for),
        TEST(a_backend_names_itself_unless_it_is_named),
        TEST(a_survey_runs_nothing),
        TEST(a_run_continues_after_its_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
