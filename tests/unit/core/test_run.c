// Cases measured by workers with prepared answers. This program is such a worker as well.
#include "core/run/run.h"

#include <unistd.h>

#include "base/mem.h"
#include "core/worker/message.h"
#include "core/worker/server.h"
#include "own_cache.h"

// What a worker answers about a case, and the request at which it fails or dies.
static const struct script {
    const char *epoch, *measured, *closed, *fails, *dies;
} scripts[] = {
    // Five epochs of 200 ms are as long as the time for measuring.
    {.epoch = " number=100 time=1e-6 min=1e-6 p25=1e-6 p75=1e-6 p99=1e-6 batches=50 spent_ns=2e8 "
              "empty_loop_ns=0.5",
     .measured = " number=4 times=8,4,6 cpu_times=2,2,2 empty_loop_ns=2 kernel_ns=50",
     .closed = " clock=quartz resolution_ns=3 bytes=10 items=4 counter.misses=1.5 rate.calls=2 "
               "remark=cold warning=look warning_code=odd"},
    {.fails = "open"},
    {.fails = "epoch"},
    {.epoch = " number=1 time=1 batches=1 spent_ns=1e9", .fails = "close"},
    {.dies = "epoch"},
    {.measured = " number=1 times=1 p50=1 p90=2 p99=3 p999=4 max=5 clock_cost=6 samples=7",
     .closed = ""},
    {.measured = " number=0 times=1"},
};
enum { GOOD, FAILS_TO_OPEN, FAILS, FAILS_TO_CLOSE, DIES, LATENCY, TIMELESS };

static void reply(int out, const char *verb, const char *words)
{
    AUTO(text) struct text line = {0};
    text_format(&line, "%s%s\n", verb, words ? words : "");
    assert_int_equal(write(out, line.data, line.size), line.size);
}

static void serve(const char *verb, const struct script *script, int out)
{
    const struct {
        const char *verb, *answer, *words;
    } answers[] = {{"open", "opened", NULL},
                   {"calibrate", "calibrated", " number=100 batch_ns=1e5"},
                   {"epoch", "epoch", script->epoch},
                   {"measure", "measured", script->measured},
                   {"close", "closed", script->closed}};
    if (text_equal(script->dies, verb)) {
        fputs("its last words\n", stderr);
        exit(3);
    }
    if (text_equal(script->fails, verb)) {
        reply(out, "failed", " code=crashed text=no");
        return;
    }
    for (size_t i = 0; i < LENGTH(answers); i++)
        if (strcmp(verb, answers[i].verb) == 0)
            reply(out, answers[i].answer, answers[i].words);
}

static int be_a_worker(const char *log)
{
    int in, out;
    assert_int_equal(sscanf(getenv(WORKER_CHANNEL), "%d,%d", &in, &out), 2);
    AUTO(file) FILE *requests = fdopen(in, "r"), *kept = fopen(log, "a");
    const struct script *script = &scripts[GOOD];
    char line[1000];
    while (fgets(line, sizeof line, requests)) {
        AUTO(message) struct message request = {0};
        uint64_t which = GOOD;
        fputs(line, kept);
        fflush(kept);
        assert_ok(message_parse(line, strcspn(line, "\n"), &request));
        assert_ok(message_count(&request, "case", &which));
        if (strcmp(request.verb, "open") == 0)
            script = &scripts[which];
        serve(request.verb, script, out);
    }
    return 0;
}

enum { MOST = 12 };

static char log_path[64];
static const char *argv_of_worker[] = {"/proc/self/exe", log_path, NULL};
static struct run_subject subject;
static struct run_case items[MOST];
static struct run_cases cases;

static struct seen {
    struct bilanx_record records[MOST];
    size_t count, checked, working;
} seen;

static void working(void *context, const struct run_case *item, double ahead)
{
    (void)context, (void)item;
    assert_true(ahead >= 0 && ahead < (double)cases.count);
    seen.working++;
}

static void finished(void *context, const struct run_case *item, struct bilanx_record *record)
{
    (void)context, (void)item;
    seen.records[seen.count++] = *record;
}

static void check(void *context, const struct run_case *item, struct bilanx_record *record)
{
    (void)context, (void)item;
    assert_null(record->error);
    assert_true(record->stats.estimate > 0);
    seen.checked++;
}

static int begin(void **state)
{
    (void)state;
    snprintf(log_path, sizeof log_path, "%s/requests", own_cache);
    unlink(log_path);
    subject = (struct run_subject){.name = "fake",
                                   .launch = {.argv = argv_of_worker, .channel = WORKER_CHANNEL}};
    cases = (struct run_cases){.items = items};
    memset(items, 0, sizeof items);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < seen.count; i++)
        bilanx_record_done(&seen.records[i]);
    seen = (struct seen){0};
    return 0;
}

static struct run_case *add(const char *open)
{
    struct run_case *item = &items[cases.count++];
    *item = (struct run_case){
        .subject = &subject, .open = (char *)open, .name = (char *)"case", .task.num_threads = 1};
    return item;
}

static struct bilanx_error measure(struct run_options options)
{
    options.check = check;
    options.seed = options.seed ? options.seed : 7;
    return run_measure(&cases, &options,
                       &(struct run_observer){.working = working, .finished = finished});
}
#define MEASURE(...) measure((struct run_options){__VA_ARGS__})

static char *requests(void)
{
    struct text log = {0};
    assert_ok(file_read(log_path, &log));
    return text_take(&log);
}

static unsigned count_of(const char *line)
{
    AUTO(memory) char *log = requests();
    unsigned count = 0;
    for (const char *at = log; (at = strstr(at, line)); at++)
        count++;
    return count;
}

static const struct bilanx_warning *warning_of(const struct bilanx_record *record, const char *code)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (text_equal(record->warnings[i].code, code))
            return &record->warnings[i];
    return NULL;
}

static void an_epoch_is_a_process_and_only_the_first_is_calibrated(void **state)
{
    (void)state;
    add(" case=0");
    assert_ok(MEASURE(0));
    const struct bilanx_record *record = &seen.records[0];
    assert_string_equal(record->kind, "measurement");
    assert_string_equal(record->timing.method, "rigorous");
    assert_int_equal(record->timing.epoch_count, 5);
    assert_int_equal(record->timing.number_per_run, 100);
    assert_near(record->timing.overhead, .5e-9, 1e-20);
    assert_near(record->stats.estimate, 1e-6, 1e-15);
    assert_null(record->core);
    assert_int_equal(record->attempts, 1);
    assert_true(record->max_rss > 0 && record->elapsed > 0);
    assert_int_equal(seen.checked, 1);
    assert_int_equal(seen.working, 5);
    assert_int_equal(count_of("open case=0 seed="), 5);
    assert_int_equal(count_of("calibrate target_ns=50000\n"), 1);
    assert_int_equal(count_of("epoch number=100 warmup_ns=4000000 max_ns=5000000 min_blocks=3 "
                              "max_blocks=2500 pace_every_ns=30000 longest_ns=55000000 floor=0\n"),
                     5);
    assert_int_equal(count_of("close\n"), 5);
    assert_int_equal(count_of("layout"), 0);
}

static void the_same_seed_asks_for_the_same(void **state)
{
    (void)state;
    AUTO(memory) char *logs[3] = {NULL};
    for (size_t run = 0; run < 3; run++) {
        end(state);
        begin(state);
        add(" case=0")->layouts = 8;
        assert_ok(MEASURE(.seed = run < 2 ? 3 : 4));
        logs[run] = requests();
    }
    assert_string_equal(logs[0], logs[1]);
    assert_string_not_equal(logs[0], logs[2]);
    free(logs[1]);
    free(logs[2]);
}

static void an_epoch_has_the_layout_that_was_drawn(void **state)
{
    (void)state;
    add(" case=0")->layouts = 8;
    assert_ok(MEASURE(0));
    for (size_t i = 0; i < 5; i++) {
        uint64_t layout = seen.records[0].timing.epochs[i].layout;
        AUTO(text) struct text word = {0};
        assert_in_range(layout, 1, 8);
        text_format(&word, " layout=%d\n", (int)layout - 1);
        assert_int_equal(count_of(text_get(&word)), 1);  // all of them before any repeats
    }
}

static void options_reach_the_worker(void **state)
{
    (void)state;
    add(" case=0");
    assert_ok(MEASURE(.number = 9, .warmup = .01, .core = RUN_ANY_CORE));
    assert_int_equal(count_of("calibrate"), 0);
    assert_int_equal(count_of("epoch number=9 warmup_ns=10000000 max_ns=5000000 min_blocks=3 "
                              "max_blocks=2500 any_core=1 pace_every_ns=30000 floor=0\n"),
                     5);
    end(state);
    begin(state);
    add(" case=0")->task.num_threads = 2;  // the pace would be that of one core
    assert_ok(MEASURE(.number = 9));
    assert_int_equal(count_of(" max_blocks=2500\n"), 5);
}

static void what_the_body_reports_is_kept(void **state)
{
    (void)state;
    add(" case=0")->unit = (char *)"us";
    assert_ok(MEASURE(0));
    const struct bilanx_record *record = &seen.records[0];
    assert_near(record->rates->bytes, 10, 0);
    assert_near(record->rates->items, 4, 0);
    assert_non_null(strstr(record->counters, "\"misses\":1.5}"));
    assert_true(text_starts(record->counters, "{\"calls/s\":2000000") ||
                text_starts(record->counters, "{\"calls/s\":1999999") ||
                text_starts(record->counters, "{\"calls/s\":2e+06"));
    assert_string_equal(record->remark, "cold");
    assert_string_equal(record->unit, "us");
    assert_string_equal(warning_of(record, "odd")->text, "look");
    assert_non_null(strstr(record->machine, "\"clock\":\"quartz\""));
    assert_null(warning_of(record, "clock-too-coarse"));
}

static void a_whole_method_takes_one_process(void **state)
{
    (void)state;
    add(" case=0")->min_run_time = .5;
    assert_ok(MEASURE(.method = &method_timeit, .number = 4, .repeats = 3));
    const struct bilanx_timing *timing = &seen.records[0].timing;
    assert_int_equal(seen.count, 1);  // its repeats are blocks
    assert_string_equal(timing->method, "timeit");
    assert_int_equal(timing->number_per_run, 4);
    assert_int_equal(timing->raw_count, 3);
    assert_near(timing->raw_times[1], 4, 0);
    assert_int_equal(timing->raw_cpu_count, 3);
    assert_near(timing->overhead, 2e-9, 1e-20);
    assert_near(timing->reference, 50e-9, 1e-20);
    assert_near(seen.records[0].stats.median, 1.5, 0);
    assert_int_equal(count_of("measure method=timeit number=4 repeats=3 min_run_time=0.5 "
                              "max_run_time=0 warmup=0 threshold=0 "),
                     1);
    assert_int_equal(count_of("open"), 1);
}

static void the_command_line_wins_over_what_a_program_says(void **state)
{
    (void)state;
    add(" case=0")->min_run_time = .5;
    assert_ok(MEASURE(.method = &method_blocked, .min_run_time = .25));
    assert_int_equal(count_of(" min_run_time=0.25 "), 1);
    assert_ok(MEASURE(.method = &method_blocked, .max_run_time = .4));  // it asks for more
    assert_int_equal(count_of(" min_run_time=0 max_run_time=0.4 "), 1);
    assert_ok(MEASURE(.method = &method_blocked, .max_run_time = .6));
    assert_int_equal(count_of(" min_run_time=0.5 max_run_time=0.6 "), 1);
}

static void repeats_measure_every_case_again(void **state)
{
    (void)state;
    add(" case=0");
    add(" case=5");
    assert_ok(MEASURE(.method = &method_latency, .repeats = 3));
    assert_int_equal(seen.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(seen.records[i].timing.latency != NULL, i % 2 == 1);
    const struct bilanx_latency *latency = seen.records[1].timing.latency;
    const double expected[] = {1, 2, 3, 4, 5, 6};
    assert_memory_equal(latency, expected, sizeof expected);
    assert_int_equal(latency->samples, 7);
}

static void a_failure_says_in_which_phase(void **state)
{
    (void)state;
    static const char *const expected[] = {"setup", "stmt", "teardown", "stmt"};
    add(" case=1");
    add(" case=2");
    add(" case=3");
    add(" case=4");
    assert_ok(MEASURE(.number = 1));
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.checked, 0);
    for (size_t i = 0; i < 4; i++) {  // they ran in any order
        const struct bilanx_failure *error = seen.records[i].error;
        assert_string_equal(seen.records[i].kind, "failure");
        assert_int_equal(seen.records[i].timing.raw_count, 0);
        bool died = text_equal(error->code, "exited");
        bool found = false;
        for (size_t k = 0; k < 4; k++)
            found |= strcmp(error->phase, expected[k]) == 0;
        assert_true(found);
        assert_int_equal(error->output != NULL, died);
        if (died)
            assert_string_equal(error->output, "its last words\n");
    }
    end(state);
    begin(state);
    add(" case=3");
    assert_ok(MEASURE(.number = 1));
    assert_string_equal(seen.records[0].error->phase, "teardown");
    end(state);
    begin(state);
    add(" case=6");
    assert_ok(MEASURE(.method = &method_timeit));
    assert_string_equal(seen.records[0].error->text, "a measurement without times");
}

static void what_could_not_be_prepared_is_not_started(void **state)
{
    (void)state;
    struct bilanx_failure failure = {.code = (char *)"compile", .text = (char *)"no header"};
    add(" case=0")->failure = &failure;
    assert_ok(MEASURE(0));
    assert_string_equal(seen.records[0].kind, "failure");
    assert_string_equal(seen.records[0].error->text, "no header");
    assert_int_not_equal(access(log_path, F_OK), 0);
}

static void one_process_may_run_all_epochs(void **state)
{
    (void)state;
    add(" case=0");
    assert_ok(MEASURE(.one_process = true));
    assert_int_equal(count_of("open"), 1);
    assert_int_equal(count_of("epoch number"), 5);
    assert_int_equal(seen.records[0].timing.epoch_count, 5);
    assert_non_null(warning_of(&seen.records[0], "one-process"));
}

static void whoever_needs_a_free_core_gets_no_other_time(void **state)
{
    (void)state;
    add(" case=0");
    assert_ok(MEASURE(.core = RUN_FREE_CORE, .core_wait = .001));
    assert_string_equal(seen.records[0].kind, "failure");
    assert_non_null(strstr(seen.records[0].error->text,
                           "--core free: another thread kept the core busy for 100 % of the time"));
}

static void more_than_eight_cases_are_measured_in_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < 9; i++)
        add(" case=0");
    assert_ok(MEASURE(.max_run_time = .001));
    assert_int_equal(seen.count, 9);
    assert_int_equal(seen.checked, 9);
}

static void a_process_may_use_four_fifths_of_the_free_memory(void **state)
{
    (void)state;
    assert_int_equal(run_memory_limit(5), 5);
    FILE *awk = popen("awk '/^MemAvailable/{print $2 * 1024}' /proc/meminfo", "r");
    double available = 0, limit = (double)run_memory_limit(0);
    assert_int_equal(fscanf(awk, "%lf", &available), 1);
    pclose(awk);
    assert_near(limit / available, .8, .1);
}

static void options_that_cannot_be_kept_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct run_options options;
        const char *part;
    } cases_[] = {
        {{.min_run_time = 2, .max_run_time = 1}, "min-run-time 2 s is more than max-run-time 1 s"},
        {{.method = &method_timeit, .number = 1000000000, .repeats = 600},
         "at least 60 s without an answer, but the timeout is 60 s"},
        {{.method = &method_blocked, .min_run_time = 60}, "at least 60 s"},
        {{.warmup = 3, .timeout = 3}, "at least 3 s without an answer, but the timeout is 3 s"},
        {{.method = &method_blocked, .number = 40000000000, .warmup = 2, .timeout = 5}, "6 s"},
    };
    static const struct run_options fine[] = {
        {.min_run_time = 1, .max_run_time = 1},
        {.min_run_time = 100},
        {.method = &method_timeit, .number = 1000000000, .repeats = 599},
        {.method = &method_timeit, .number = 1000000000},
        {.method = &method_blocked, .min_run_time = 59},
        {.method = &method_timeit, .min_run_time = 61},
        {.number = 1000000000, .repeats = 600},
        {.warmup = 2.9, .timeout = 3},
    };
    for (size_t i = 0; i < LENGTH(cases_); i++)
        assert_error(run_check(&cases_[i].options), BILANX_E_USAGE, cases_[i].part);
    for (size_t i = 0; i < LENGTH(fine); i++)
        assert_ok(run_check(&fine[i]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    if (argc > 1 && getenv(WORKER_CHANNEL))
        return be_a_worker(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(an_epoch_is_a_process_and_only_the_first_is_calibrated),
        TEST(the_same_seed_asks_for_the_same),
        TEST(an_epoch_has_the_layout_that_was_drawn),
        TEST(options_reach_the_worker),
        TEST(what_the_body_reports_is_kept),
        TEST(a_whole_method_takes_one_process),
        TEST(the_command_line_wins_over_what_a_program_says),
        TEST(repeats_measure_every_case_again),
        TEST(a_failure_says_in_which_phase),
        TEST(what_could_not_be_prepared_is_not_started),
        TEST(one_process_may_run_all_epochs),
        TEST(whoever_needs_a_free_core_gets_no_other_time),
        TEST(more_than_eight_cases_are_measured_in_groups),
        TEST(a_process_may_use_four_fifths_of_the_free_memory),
        TEST(options_that_cannot_be_kept_are_refused),
    };
    return cmocka_run_group_tests(tests, own_cache_begin, own_cache_end);
}
