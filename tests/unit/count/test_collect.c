// Cases counted by workers that answer what they are told to. This program is such a worker as
// well.
#include "count/counting/collect.h"

#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/worker/message.h"
#include "core/worker/server.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-collect-XXXXXX";

// The worker. Words of "open" say how it counts: values=, branches=, missing=; fail= at this
// request; die= at this request. It keeps its requests in a file.

static void answer(int out, struct text *line)
{
    message_end(line);
    assert_int_equal(write(out, line->data, line->size), line->size);
    text_clear(line);
}

static void add_counts(struct text *line, const struct message *open)
{
    static const char *const keys[][2] = {
        {"values", "event.instructions"}, {"branches", "event.branches"}, {"missing", "missing"}};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (message_text(open, keys[i][0]))
            message_add(line, keys[i][1], message_text(open, keys[i][0]));
}

static void serve(const struct message *request, struct message *open, int out)
{
    static const char *const answers[][2] = {{"hello", "hello"},
                                             {"prepare", "prepared"},
                                             {"open", "opened"},
                                             {"count", "counted"},
                                             {"close", "closed"}};
    AUTO(text) struct text line = {0};
    if (text_equal(message_text(open, "die"), request->verb)) {
        fputs("its last words\n", stderr);
        exit(3);
    }
    if (text_equal(message_text(open, "fail"), request->verb)) {
        message_begin(&line, "failed");
        message_add(&line, "code", "crashed");
        message_add(&line, "text", "killed by signal 11");
        answer(out, &line);
        return;
    }
    for (size_t i = 0; i < LENGTH(answers); i++)
        if (strcmp(request->verb, answers[i][0]) == 0)
            message_begin(&line, answers[i][1]);
    if (strcmp(request->verb, "open") == 0)
        message_add_count(&line, "child", 4242);
    if (strcmp(request->verb, "count") == 0)
        add_counts(&line, open);
    answer(out, &line);
}

static int be_a_worker(const char *log)
{
    int in, out;
    assert_int_equal(sscanf(getenv(WORKER_CHANNEL), "%d,%d", &in, &out), 2);
    AUTO(file) FILE *requests = fdopen(in, "r"), *kept = fopen(log, "a");
    AUTO(message) struct message open = {0};
    char line[1000];
    while (fgets(line, sizeof line, requests)) {
        fputs(line, kept);
        fflush(kept);
        struct message request = {0};
        assert_ok(message_parse(line, strcspn(line, "\n"), &request));
        if (strcmp(request.verb, "open") == 0) {
            message_done(&open);
            open = request;
            serve(&open, &open, out);
        } else {
            serve(&request, &open, out);
            message_done(&request);
        }
    }
    return 0;
}

// The controller.

enum { MOST = 40 };

static const char *argvs[4][3];
static struct run_subject subjects[4];
static struct run_case items[MOST];
static struct run_cases cases = {.items = items};

static struct seen {
    struct bilanx_record records[MOST];
    size_t count, working, order[MOST];
} seen;

static void working(void *context, const struct run_case *item, double ahead)
{
    (void)context;
    assert_in_range(item - items, 0, cases.count - 1);
    assert_near(ahead, 0, 0);
    seen.working++;
}

static void finished(void *context, const struct run_case *item, struct bilanx_record *record)
{
    (void)context;
    size_t at = (size_t)(item - items);
    assert_null(seen.records[at].kind);
    seen.records[at] = *record;
    seen.order[seen.count++] = at;
}

static int begin(void **state)
{
    (void)state;
    static char logs[4][64];
    for (size_t i = 0; i < LENGTH(subjects); i++) {
        snprintf(logs[i], sizeof logs[i], "%s/log%zu", folder, i);
        unlink(logs[i]);
        memcpy(argvs[i], (const char *[]){"/proc/self/exe", logs[i], NULL}, sizeof argvs[i]);
        subjects[i] = (struct run_subject){.name = "fake",
                                           .launch = {.argv = argvs[i], .channel = WORKER_CHANNEL}};
    }
    memset(items, 0, sizeof items);
    cases.count = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        bilanx_record_done(&seen.records[i]);
    seen = (struct seen){0};
    return 0;
}

static struct run_case *add(size_t subject, const char *open)
{
    struct run_case *item = &items[cases.count++];
    *item = (struct run_case){.subject = &subjects[subject], .open = (char *)open};
    item->task.num_threads = 1;
    return item;
}

static struct bilanx_error collect(struct collect_options options)
{
    options.counter = COLLECT_PERF;
    options.case_count = cases.count;
    return collect_cases(&options, &cases,
                         &(struct run_observer){.working = working, .finished = finished});
}
#define COLLECTED(...) collect((struct collect_options){.number = 10, __VA_ARGS__})

// The verbs that the workers of a subject were told, and those of their words that are given.
static void assert_requests(size_t subject, const char *expected)
{
    AUTO(text) struct text log = {0}, told = {0};
    AUTO(list) struct list lines = {0};
    assert_ok(file_read(argvs[subject][1], &log));
    list_split_lines(&lines, text_get(&log));
    for (size_t i = 0; i < lines.count; i++) {
        AUTO(message) struct message request = {0};
        assert_ok(message_parse(lines.items[i], strlen(lines.items[i]), &request));
        const char *which = message_text(&request, "case");
        text_format(&told, "%s%s%s%s", i ? " " : "", request.verb, which ? " " : "",
                    which ? which : "");
    }
    assert_string_equal(text_get(&told), expected);
}

static void assert_failure(size_t at, const char *code, const char *phase, const char *text)
{
    const struct bilanx_record *record = &seen.records[at];
    assert_string_equal(record->kind, "failure");
    assert_string_equal(record->error->code, code);
    assert_string_equal(record->error->phase, phase);
    if (!strstr(record->error->text, text))
        fail_msg("no '%s' in '%s'", text, record->error->text);
    assert_null(record->counts);
}

static void a_count_is_the_median_of_the_repeats(void **state)
{
    (void)state;
    static const struct run_note removed = {"removed", "100 % gone"}, odd = {"odd", "twice"};
    subjects[0].barrier = " case=empty values=9,7,8";
    struct run_case *item = add(0, " case=3 values=30,10,40,20 branches=5,3,4 missing=no%20misses");
    item->notes[0] = &removed;
    item->notes[1] = &odd;
    item->task.label = (char *)"label";
    assert_ok(COLLECTED(.repeats = 4));
    const struct bilanx_record *record = &seen.records[0];
    const struct bilanx_counts *counts = record->counts;
    assert_string_equal(record->kind, "counts");
    assert_string_equal(record->task.label, "label");
    assert_int_equal(record->attempts, 1);
    assert_string_equal(counts->counter, "perf");
    assert_string_equal(counts->hwcaps, "native");
    assert_int_equal(counts->number, 10);
    assert_near(counts->instructions, 20, 0);  // the lower of the middle two
    assert_near(counts->per_iteration, 2, 0);
    assert_near(counts->baseline, 8, 0);
    assert_int_equal(counts->repeat_count, 4);
    assert_near(counts->repeats[2], 40, 0);  // in the order of measurement
    assert_string_equal(counts->events, "{\"branches\":4}");
    assert_int_equal(record->warning_count, 3);
    assert_string_equal(record->warnings[0].text, "no misses");
    assert_string_equal(record->warnings[1].text, "100 % gone");
    assert_string_equal(record->warnings[2].code, "odd");
    assert_non_null(strstr(record->machine, "\"cores\""));
    assert_true(record->elapsed > 0);
    assert_int_equal(seen.working, 1);
    assert_requests(0, "hello open empty count close open 3 count close");
}

static void assert_said(const char *line)
{
    AUTO(text) struct text log = {0};
    assert_ok(file_read(argvs[0][1], &log));
    if (!strstr(text_get(&log), line))
        fail_msg("no '%s' in '%s'", line, text_get(&log));
}

static void a_worker_is_told_how_to_count(void **state)
{
    (void)state;
    subjects[0].warmup = 6;
    add(0, " case=1 values=1")->threads = 4;
    items[0].task.num_threads = 4;
    assert_ok(COLLECTED(.repeats = 3, .timeout = 2));
    assert_said("open case=1 values=1 fork=1 timeout_ns=2000000000\n");
    assert_said("count counter=perf number=10 repeats=3 threads=4 warmup=6\n");
    begin(state);
    end(state);
    subjects[0].barrier = " case=0 values=1";
    add(0, " case=1 values=1");
    assert_ok(collect((struct collect_options){0}));
    assert_said("open case=0 values=1 fork=1 stay=1 timeout_ns=300000000000\n");
    assert_said("open case=1 values=1 fork=1 timeout_ns=300000000000\n");
    assert_said("count counter=perf number=100 repeats=5 threads=1\n");
}

static void a_worker_serves_all_cases_of_its_subject(void **state)
{
    (void)state;
    subjects[0].prepare = " what=x";
    add(0, " case=1 values=1");
    add(1, " case=2 values=2");
    add(0, " case=3 values=3");
    add(0, " case=4 values=4");
    assert_ok(COLLECTED(0));
    for (size_t i = 0; i < 4; i++)
        assert_near(seen.records[i].counts->instructions, (double)i + 1, 0);
    assert_requests(0, "hello prepare open 1 count close open 3 count close open 4 count close");
    assert_requests(1, "hello open 2 count close");
    assert_int_equal(seen.order[0], 0);
    assert_int_equal(seen.order[3], 1);
    assert_true(isnan(seen.records[0].counts->baseline) || seen.records[0].counts->baseline == 0);
}

static void a_case_that_fails_leaves_the_worker_alone(void **state)
{
    (void)state;
    add(0, " case=1 fail=open");
    add(0, " case=2 fail=count");
    add(0, " case=3 fail=close");
    add(0, " case=4 values=4");
    assert_ok(COLLECTED(0));
    assert_failure(0, "crashed", "setup", "killed by signal 11");
    assert_failure(1, "crashed", "stmt", "killed by signal 11");
    assert_failure(2, "crashed", "teardown", "killed by signal 11");
    assert_near(seen.records[3].counts->instructions, 4, 0);
    assert_requests(0, "hello open 1 hello open 2 count hello open 3 count close hello "
                       "open 4 count close");
}

static void a_worker_that_dies_is_started_again(void **state)
{
    (void)state;
    add(0, " case=1 die=count");
    add(0, " case=2 values=2");
    assert_ok(COLLECTED(0));
    assert_failure(0, "exited", "stmt", "status 3");
    assert_string_equal(seen.records[0].error->output, "its last words\n");
    assert_near(seen.records[1].counts->instructions, 2, 0);
    assert_requests(0, "hello open 1 count hello open 2 count close");
}

static void a_worker_that_cannot_count_the_empty_loop_counts_nothing(void **state)
{
    (void)state;
    subjects[0].barrier = " case=empty fail=count";
    add(0, " case=1 values=1");
    assert_ok(COLLECTED(0));
    assert_failure(0, "crashed", "start", "killed by signal 11");
}

static void a_program_that_is_no_worker_is_named(void **state)
{
    (void)state;
    static const char *const other[] = {"/bin/false", NULL};
    subjects[0].launch.argv = other;
    add(0, " case=1 values=1");
    add(1, " case=2 values=2");
    assert_ok(COLLECTED(0));
    assert_failure(0, "exited", "start", "cannot start '/bin/false' for the counter 'perf': ");
    assert_near(seen.records[1].counts->instructions, 2, 0);
}

static void what_failed_before_is_not_started(void **state)
{
    (void)state;
    struct bilanx_failure failure = {.code = (char *)"compile", .text = (char *)"no header"};
    add(0, " case=1 values=1")->failure = &failure;
    add(1, " case=2 values=2")->task.num_threads = 3;
    assert_ok(COLLECTED(0));
    assert_string_equal(seen.records[0].kind, "failure");
    assert_string_equal(seen.records[0].error->text, "no header");
    assert_failure(1, "failed", "start", "starts 3 threads itself");
    for (size_t i = 0; i < 2; i++)
        assert_int_not_equal(access(argvs[i][1], F_OK), 0);
}

static void what_is_no_number_is_no_count(void **state)
{
    (void)state;
    add(0, " case=1 values=1,x branches=2");
    assert_ok(COLLECTED(0));
    assert_int_equal(seen.records[0].counts->repeat_count, 0);
    assert_string_equal(seen.records[0].counts->events, "{\"branches\":2}");
}

static void jobs_share_the_subjects(void **state)
{
    (void)state;
    static char opens[30][40];
    for (size_t i = 0; i < 30; i++) {
        snprintf(opens[i], sizeof opens[i], " case=%zu values=%zu", i, i + 1);
        add(i % 3, opens[i]);
    }
    assert_ok(COLLECTED(.jobs = 3));
    assert_int_equal(seen.count, 30);
    assert_int_equal(seen.working, 30);
    for (size_t i = 0; i < 30; i++)
        assert_near(seen.records[i].counts->instructions, (double)i + 1, 0);
}

static void more_jobs_than_cases_are_no_use(void **state)
{
    (void)state;
    add(0, " case=1 values=1");
    assert_ok(COLLECTED(.jobs = 8));
    assert_requests(0, "hello open 1 count close");
    cases.count = 0;
    assert_ok(COLLECTED(.jobs = 8));
}

// Two cases become ready at a time.
struct supply {
    size_t ready, calls, fail_at;
    pthread_mutex_t lock;
};

static const struct run_case *ready(void *context, const struct run_case *item)
{
    struct supply *supply = context;
    pthread_mutex_lock(&supply->lock);
    bool is_ready = (size_t)(item - items) < supply->ready;
    pthread_mutex_unlock(&supply->lock);
    return is_ready ? item : NULL;
}

static struct bilanx_error prepare_two(void *context, bool *more)
{
    struct supply *supply = context;
    pthread_mutex_lock(&supply->lock);
    supply->ready += 2;
    supply->calls++;
    *more = supply->ready < cases.count;
    pthread_mutex_unlock(&supply->lock);
    return supply->calls == supply->fail_at ? bilanx_error_make(BILANX_E_SYSTEM, "no disk")
                                            : BILANX_SUCCESS;
}

static void cases_are_counted_as_they_become_ready(void **state)
{
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        begin(state);
        struct supply supply = {.lock = PTHREAD_MUTEX_INITIALIZER};
        static const char *const opens[] = {" case=1 values=1", " case=2 values=2",
                                            " case=3 values=3", " case=4 values=4",
                                            " case=5 values=5"};
        for (size_t i = 0; i < 5; i++)
            add(i % 2, opens[i]);
        assert_ok(COLLECTED(.jobs = jobs, .source = {&supply, ready, prepare_two}));
        assert_int_equal(seen.count, 5);
        assert_int_equal(supply.calls, 3);
        end(state);
    }
}

static void if_preparing_fails_all_jobs_end(void **state)
{
    (void)state;
    struct supply supply = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_at = 2};
    for (size_t i = 0; i < 6; i++)
        add(0, " case=1 values=1");
    assert_error(COLLECTED(.jobs = 2, .source = {&supply, ready, prepare_two}), BILANX_E_SYSTEM,
                 "no disk");
    assert_true(seen.count <= 4);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return file_remove_tree(folder) ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    if (argc > 1 && getenv(WORKER_CHANNEL))
        return be_a_worker(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(a_count_is_the_median_of_the_repeats),
        TEST(a_worker_is_told_how_to_count),
        TEST(a_worker_serves_all_cases_of_its_subject),
        TEST(a_case_that_fails_leaves_the_worker_alone),
        TEST(a_worker_that_dies_is_started_again),
        TEST(a_worker_that_cannot_count_the_empty_loop_counts_nothing),
        TEST(a_program_that_is_no_worker_is_named),
        TEST(what_failed_before_is_not_started),
        TEST(what_is_no_number_is_no_count),
        TEST(jobs_share_the_subjects),
        TEST(more_jobs_than_cases_are_no_use),
        TEST(cases_are_counted_as_they_become_ready),
        TEST(if_preparing_fails_all_jobs_end),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
