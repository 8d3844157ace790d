// The whole conversation of a controller with a worker in a separate process.
#include "core/worker/server.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/worker/client.h"
#include "core/worker/sample_memory.h"
#include "unit.h"

// The cases served: one that behaves, and some that do not.
enum { GOOD, SKIPS, NO_LOOP, LEAVES, FAILS_AFTER, CASES };
static const char *const names[] = {"good", "skips", "no loop", "leaves", "fails after"};

static void *wait_a_moment(void *argument)
{
    usleep(100000);
    return argument;
}

// How a body misbehaves, and where: "open case=0 fork=1 crash=loop".
static void misbehave(const struct message *request, const char *place)
{
    if (text_equal(message_text(request, "crash"), place))
        abort();
    if (text_equal(message_text(request, "exit"), place))
        exit(7);
    if (text_equal(message_text(request, "hang"), place))
        pause();
    if (text_equal(message_text(request, "leave"), place) && fork() == 0) {
        alarm(20);
        pause();
    }
    if (text_equal(message_text(request, "stray"), place) && fork() == 0) {
        setsid();
        alarm(20);
        pause();
    }
    if (text_equal(message_text(request, "twin"), place))
        fork();  // both continue
    if (text_equal(message_text(request, "spawn"), place))
        if (system("true") != 0)
            abort();
    if (text_equal(message_text(request, "thread"), place)) {
        pthread_t thread;
        pthread_create(&thread, NULL, wait_a_moment, NULL);
        if (strcmp(place, "loop") == 0)
            pthread_join(thread, NULL);
    }
    if (text_equal(message_text(request, "die"), place) && fork() == 0) {
        usleep(100000);  // well after it was opened, even with a sanitizer
        kill(getppid(), SIGTERM);
        _exit(0);
    }
}

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", "7 %");
}

static void describe_case(void *context, size_t index, struct text *out)
{
    (void)context;
    message_add(out, "name", names[index]);
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    const char *what = message_text(request, "what");
    if (!what)
        return bilanx_error_make(BILANX_E_COMPILE, "of nothing comes nothing");
    message_add(out, "made", what);
    return BILANX_SUCCESS;
}

// With "open fake=1", a call takes this long, and nothing else takes any time.
enum { FAKE_CALL_NS = 20 };
static struct clock_fake fake_clock = {.now_ns = 1};

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    uint64_t index = UINT64_MAX, seed = 0;
    BILANX_TRY(message_count(request, "case", &index));
    BILANX_TRY(message_count(request, "seed", &seed));
    if (index >= CASES)
        return bilanx_error_make(BILANX_E_INPUT, "there is no such case");
    *(uint64_t *)context += seed;
    misbehave(request, "setup");
    bool fake = message_text(request, "fake") != NULL;
    if (fake)
        clock_open_fake(&server->clock, &fake_clock);
    static struct loop loop;
    loop = (struct loop){.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    if (index == SKIPS)
        server_fail(server, BILANX_E_SKIPPED, "not here");
    if (index == NO_LOOP)
        return BILANX_SUCCESS;
    uint64_t left = index == LEAVES ? 1 : UINT64_MAX;
    for (uint64_t n; left-- && (n = loop_next(&loop));)
        for (uint64_t i = 0; i < n; i++) {
            misbehave(request, "loop");
            fake_clock.now_ns += fake ? FAKE_CALL_NS : 0;
        }
    misbehave(request, "teardown");
    if (index == FAILS_AFTER)
        server_fail(server, BILANX_E_FAILED, "the sum is wrong");
    return BILANX_SUCCESS;
}

static void describe_result(void *context, struct text *out)
{
    message_add_count(out, "seed", *(uint64_t *)context);
}

static int serve(void *context, int in, int out)
{
    const struct server_subject subject = {.context = context,
                                           .describe = describe,
                                           .case_count = CASES,
                                           .describe_case = describe_case,
                                           .prepare = prepare,
                                           .run = run,
                                           .describe_result = describe_result};
    return server_run(&subject, in, out);
}

// Like a benchmark program, which has nothing to prepare.
static int serve_as_it_is(void *context, int in, int out)
{
    const struct server_subject subject = {.context = context,
                                           .describe = describe,
                                           .describe_case = describe_case,
                                           .run = run,
                                           .describe_result = describe_result};
    return server_run(&subject, in, out);
}

static int start(void **state)
{
    static uint64_t seed;  // in the worker: set by all cases that it ran itself
    static struct client client;
    seed = 0;
    *state = &client;
    return client_start(&(struct process_options){.body = serve, .context = &seed}, 20000000000u,
                        &client)
               .status != BILANX_OK;
}

// In any case the worker is still alive and exits normally when its channel closes.
static int stop(void **state)
{
    struct client *client = *state;
    struct bilanx_error error = process_finish(&client->process, monotonic_ns() + 20000000000u);
    client_done(client);
    return error.status != BILANX_OK;
}

static struct bilanx_error ask(void **state, const char *request, const char *verb,
                               struct message *answer)
{
    AUTO(text) struct text line = {0};
    text_format(&line, "%s\n", request);
    return client_ask(*state, &line, verb, answer);
}

static struct message answer_to(void **state, const char *request, const char *verb)
{
    struct message answer = {0};
    assert_ok(ask(state, request, verb, &answer));
    return answer;
}

static double number_of(const struct message *message, const char *key)
{
    double number = NAN;
    assert_ok(message_number(message, key, &number));
    if (isnan(number))
        fail_msg("'%s' has no '%s'", message->verb, key);
    return number;
}

static void agree(void **state, const char *request, const char *verb)
{
    struct message answer = answer_to(state, request, verb);
    message_done(&answer);
}

// Refused with this message; the conversation continues.
static void refuse(void **state, const char *request, const char *part)
{
    AUTO(message) struct message answer = {0};
    assert_error(ask(state, request, "anything", &answer), BILANX_E_INPUT, part);
}

static void hello_reports_protocol_cases_and_version(void **state)
{
    AUTO(message) struct message hello = answer_to(state, "hello", "hello");
    assert_near(number_of(&hello, "protocol"), WORKER_PROTOCOL, 0);
    assert_near(number_of(&hello, "cases"), CASES, 0);
    assert_string_equal(message_text(&hello, "version"), "7 %");
}

static void list_reports_every_case(void **state)
{
    struct client *client = *state;
    assert_ok(process_send(&client->process, "list\n", 5));
    for (size_t i = 0; i < CASES; i++) {
        AUTO(message) struct message line = {0};
        assert_ok(client_receive(client, &line));
        assert_string_equal(line.verb, "case");
        assert_near(number_of(&line, "index"), (double)i, 0);
        assert_string_equal(message_text(&line, "name"), names[i]);
    }
    AUTO(message) struct message end = {0};
    assert_ok(client_receive(client, &end));
    assert_string_equal(end.verb, "listed");
}

static void a_case_is_opened_measured_and_closed(void **state)
{
    agree(state, "open case=0 seed=42", "opened");
    AUTO(message) struct message calibrated =
        answer_to(state, "calibrate target_ns=1000", "calibrated");
    assert_true(number_of(&calibrated, "number") >= 1);
    assert_true(number_of(&calibrated, "batch_ns") > 0);
    AUTO(message) struct message epoch = answer_to(
        state, "epoch number=3 warmup_ns=10 max_ns=1e9 min_blocks=2 max_blocks=5 pace_every_ns=1e6",
        "epoch");
    assert_near(number_of(&epoch, "number"), 3, 0);
    assert_near(number_of(&epoch, "batches"), 5, 0);  // too few readings for a floor
    assert_true(number_of(&epoch, "empty_loop_ns") > 0);
    assert_true(number_of(&epoch, "reference") > 0);
    AUTO(message) struct message closed = answer_to(state, "close", "closed");
    assert_near(number_of(&closed, "seed"), 42, 0);
    assert_true(number_of(&closed, "resolution_ns") > 0);
    assert_non_null(message_text(&closed, "clock"));
}

static void the_answers_are_what_the_clock_says(void **state)
{
    static const char *const figures[] = {"time", "min", "p25", "p75", "p99"};
    agree(state, "open case=0 fake=1", "opened");
    AUTO(message) struct message calibrated =
        answer_to(state, "calibrate target_ns=1000", "calibrated");
    assert_near(number_of(&calibrated, "number"), 1000 / FAKE_CALL_NS, 0);
    AUTO(message) struct message epoch =
        answer_to(state, "epoch number=3 max_ns=1e9 max_blocks=10 alone=1", "epoch");
    assert_near(number_of(&epoch, "batches"), 10, 0);
    for (size_t i = 0; i < LENGTH(figures); i++)
        assert_near(number_of(&epoch, figures[i]), FAKE_CALL_NS / 1e9, 1e-20);
    AUTO(message) struct message fewest =
        answer_to(state, "epoch number=5 max_ns=1 min_blocks=7 alone=1", "epoch");
    assert_near(number_of(&fewest, "batches"), 7, 0);
    AUTO(message) struct message closed = answer_to(state, "close", "closed");
    assert_string_equal(message_text(&closed, "clock"), "fake");
}

static double count_of(const struct message *message, const char *key)
{
    return message_text(message, key) ? number_of(message, key) : 0;
}

// Nothing is asserted about the states, which are the machine's.
static void an_epoch_tells_about_the_core_between_its_batches(void **state)
{
    static const char request[] =
        "epoch number=100 max_ns=1e9 min_blocks=40 max_blocks=40 pace_every_ns=1 floor=.01";
    agree(state, "open case=0", "opened");
    AUTO(message) struct message epoch = answer_to(state, request, "epoch");
    assert_true(number_of(&epoch, "core_readings") > 4);
    assert_true(number_of(&epoch, "core_low") <= number_of(&epoch, "core_high"));
    assert_near(number_of(&epoch, "has_states"), 1, 0);
    double batches = count_of(&epoch, "batches") + count_of(&epoch, "free_batches");
    assert_true(batches >= 4 && batches <= 40);
    AUTO(memory) char *any = mem_format("%s any_core=1", request);
    AUTO(message) struct message whole = answer_to(state, any, "epoch");
    assert_near(number_of(&whole, "batches"), 40, 0);
    assert_null(message_text(&whole, "has_states"));
    assert_null(message_text(&whole, "free_batches"));
    AUTO(memory) char *alone = mem_format("%s alone=1", request);
    AUTO(message) struct message silent = answer_to(state, alone, "epoch");
    assert_near(number_of(&silent, "batches"), 40, 0);
    assert_null(message_text(&silent, "core_readings"));
    agree(state, "close", "closed");
}

static void a_whole_measurement_tells_about_the_core_if_asked(void **state)
{
    agree(state, "open case=0", "opened");
    AUTO(message) struct message told = answer_to(
        state, "measure method=timeit number=100 repeats=20 pace_every_ns=1 floor=.01", "measured");
    assert_true(number_of(&told, "core_readings") > 4);
    assert_near(count_of(&told, "chosen"), 0, 0);  // blocks are all kept
    AUTO(message) struct message silent =
        answer_to(state, "measure method=timeit number=100 repeats=20", "measured");
    assert_null(message_text(&silent, "core_readings"));
    agree(state, "close", "closed");
}

static void every_method_can_be_requested(void **state)
{
    static const char *const requests[] = {
        "measure method=timeit number=7 repeats=3",
        "measure method=blocked number=100 min_run_time=1e-4",
        "measure method=adaptive number=100 min_run_time=1e-5 max_run_time=1e-3 threshold=9",
        "measure method=latency max_run_time=1e-4 warmup=1e-5",
    };
    agree(state, "open case=0", "opened");
    for (size_t i = 0; i < LENGTH(requests); i++) {
        AUTO(message) struct message measured = answer_to(state, requests[i], "measured");
        AUTO(memory) double *times = NULL, *cpu_times = NULL;
        size_t count = 0, cpu_count = 0;
        assert_ok(message_numbers(&measured, "times", &times, &count));
        assert_ok(message_numbers(&measured, "cpu_times", &cpu_times, &cpu_count));
        bool latency = message_text(&measured, "samples") != NULL;
        assert_int_equal(latency, i == 3);
        assert_int_equal(cpu_count, latency ? 0 : count);
        assert_true(number_of(&measured, "kernel_ns") > number_of(&measured, "empty_loop_ns"));
        if (i == 0) {
            assert_int_equal(count, 3);
            assert_near(number_of(&measured, "number"), 7, 0);
        }
        if (latency)
            assert_true(number_of(&measured, "p50") <= number_of(&measured, "max") &&
                        number_of(&measured, "clock_cost") > 0);
    }
    agree(state, "close", "closed");
}

static void cases_can_be_opened_one_after_another(void **state)
{
    for (int i = 0; i < 3; i++) {
        agree(state, "open case=0 seed=1", "opened");
        agree(state, "close", "closed");
    }
}

static void bad_requests_are_answered_and_the_conversation_continues(void **state)
{
    refuse(state, "", "without a verb");
    refuse(state, "=", "without a verb");
    refuse(state, "hello x", "not key=value");
    refuse(state, "hello x=%0", "bad escape");
    refuse(state, "dance", "unknown request");
    refuse(state, "close", "unknown request");
    refuse(state, "epoch number=1", "unknown request");
    refuse(state, "open", "no such case");
    refuse(state, "open case=5", "no such case");
    refuse(state, "open case=-1", "not a number");
    refuse(state, "open case=0 seed=x", "not a number");
    agree(state, "hello", "hello");
    agree(state, "open case=0", "opened");
    refuse(state, "hello", "inside a case");
    refuse(state, "open case=0", "inside a case");
    refuse(state, "epoch number=0", "no calls");
    refuse(state, "epoch number=x", "'number=x' is not a number");
    refuse(state, "epoch number=1 floor=low", "'floor=low' is not a number");
    refuse(state, "measure", "unknown method ''");
    refuse(state, "measure method=magic", "unknown method 'magic'");
    refuse(state, "measure method=timeit number=-1", "not a number");
    refuse(state, "calibrate target_ns=soon", "not a number");
    agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
    agree(state, "close", "closed");
    agree(state, "hello", "hello");
}

static void prepare_reports_what_it_made(void **state)
{
    AUTO(message) struct message made = answer_to(state, "prepare what=a%20b", "prepared");
    assert_string_equal(message_text(&made, "made"), "a b");
    agree(state, "open case=0", "opened");
    refuse(state, "prepare what=a", "inside a case");
    agree(state, "close", "closed");
}

static void a_failed_prepare_says_why_and_the_conversation_continues(void **state)
{
    AUTO(message) struct message answer = {0};
    assert_error(ask(state, "prepare", "prepared", &answer), BILANX_E_COMPILE, "of nothing");
    agree(state, "prepare what=x", "prepared");
}

static void a_worker_with_nothing_to_prepare_says_so(void **state)
{
    (void)state;
    uint64_t seed;
    AUTO(client) struct client client = {0};
    void *served = &client;
    assert_ok(client_start(&(struct process_options){.body = serve_as_it_is, .context = &seed},
                           20000000000u, &client));
    refuse(&served, "prepare what=x", "nothing to prepare");
    agree(&served, "hello", "hello");
}

static void requests_may_arrive_in_pieces_or_all_at_once(void **state)
{
    struct client *client = *state;
    assert_ok(process_send(&client->process, "hel", 3));
    assert_ok(process_send(&client->process, "lo\nhello\nhello\n", 15));
    for (int i = 0; i < 3; i++) {
        AUTO(message) struct message hello = {0};
        assert_ok(client_receive(client, &hello));
        assert_string_equal(hello.verb, "hello");
    }
}

static void a_failing_case_is_reported_and_the_next_one_runs(void **state)
{
    AUTO(message) struct message answer = {0};
    assert_error(ask(state, "open case=1", "opened", &answer), BILANX_E_SKIPPED, "not here");
    assert_error(ask(state, "open case=2", "opened", &answer), BILANX_E_FAILED, "no BILANX_LOOP");
    agree(state, "open case=3", "opened");
    assert_error(ask(state, "epoch number=1 min_blocks=2", "epoch", &answer), BILANX_E_FAILED,
                 "left its loop");
    agree(state, "open case=4", "opened");
    assert_error(ask(state, "close", "closed", &answer), BILANX_E_FAILED, "the sum is wrong");
    agree(state, "open case=0", "opened");
    agree(state, "close", "closed");
}

static void events_are_counted_for_each_repeat(void **state)
{
    agree(state, "open case=0 fork=1", "opened");
    AUTO(message) struct message counted =
        answer_to(state, "count counter=perf number=7 repeats=3", "counted");
    AUTO(memory) double *values = NULL;
    size_t count = 0;
    assert_near(number_of(&counted, "number"), 7, 0);
    assert_ok(message_numbers(&counted, "event.task-clock-ns", &values, &count));
    assert_int_equal(count, 3);
    assert_true(values[0] > 0);
    agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
    agree(state, "count counter=perf number=1 repeats=1 warmup=0", "counted");
    agree(state, "close", "closed");
}

static void a_count_that_is_impossible_says_why(void **state)
{
    AUTO(message) struct message answer = {0};
    agree(state, "open case=0 fork=1", "opened");
    refuse(state, "count counter=sheep", "unknown counter 'sheep'");
    refuse(state, "count counter=perf number=0", "nothing to count");
    refuse(state, "count counter=perf repeats=0", "nothing to count");
    refuse(state, "count counter=perf repeats=x", "not a number");
    assert_error(ask(state, "count counter=perf threads=2", "counted", &answer), BILANX_E_FAILED,
                 "perf counts one thread, but the case has 2");
    assert_error(ask(state, "count", "counted", &answer), BILANX_E_FAILED, "under valgrind");
    assert_error(ask(state, "count counter=allocations", "counted", &answer), BILANX_E_FAILED,
                 "allocations cannot be counted");
    agree(state, "close", "closed");
}

// A worker that samples itself, as for Python: the stacks are in memory, one for each period.
static void a_worker_can_sample_itself(void **state)
{
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    AUTO(text) struct text request = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    text_format(&request, "watch sampler=signals rate=1000 stack_bytes=4096 memory=%s",
                mapping.path);
    agree(state, "open case=0 fork=1", "opened");
    AUTO(message) struct message watched = answer_to(state, text_get(&request), "watched");
    assert_non_null(message_text(&watched, "ticks"));
    assert_non_null(message_text(&watched, "harness"));
    AUTO(message) struct message sampled =
        answer_to(state, "sample number=100000 duration_ns=2e8", "sampled");
    assert_true(number_of(&sampled, "calls") >= 100000);
    assert_true(number_of(&sampled, "cpu_ns") > 0);
    const struct sample_head *record = sample_mapping_read(&mapping, &size);
    assert_non_null(record);
    assert_int_equal(record->kind, SAMPLE_STACK);
    const struct stack_sample *sample = (const struct stack_sample *)(const void *)record;
    assert_true(sample->weight >= 1 && sample->stack_bytes > 0);
    assert_true(sample->registers[REGISTER_PC] != 0 && sample->registers[REGISTER_STACK] != 0);
    agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
    agree(state, "close", "closed");
}

static void what_cannot_be_sampled_says_why(void **state)
{
    AUTO(message) struct message answer = {0};
    agree(state, "open case=0 fork=1", "opened");
    refuse(state, "sample number=1 duration_ns=1", "'watch' comes first");
    refuse(state, "watch sampler=sheep", "unknown sampler 'sheep'");
    refuse(state, "watch sampler=signals rate=0", "not a rate");
    refuse(state, "watch sampler=signals", "need memory");
    refuse(state, "watch sampler=signals memory=/dev/null", "not memory for samples");
    assert_error(ask(state, "watch sampler=signals memory=/nonexistent", "watched", &answer),
                 BILANX_E_SYSTEM, "cannot open");
    agree(state, "close", "closed");
}

// Each is refused before it does harm, and the worker continues.
static void a_statement_that_starts_threads_or_processes_is_not_counted(void **state)
{
    static const struct {
        const char *words, *part;
    } cases[] = {{"leave=loop", "starts processes"},
                 {"spawn=loop", "starts processes"},
                 {"thread=loop", "starts threads"},
                 {"thread=setup", "starts threads"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char request[100];
        AUTO(message) struct message answer = {0};
        snprintf(request, sizeof request, "open case=0 fork=1 %s", cases[i].words);
        agree(state, request, "opened");
        assert_error(ask(state, "count counter=perf", "counted", &answer), BILANX_E_FAILED,
                     cases[i].part);
        if (i == 3)  // it existed before: the case is still open
            agree(state, "close", "closed");
        agree(state, "hello", "hello");
    }
}

static pid_t open_forked(void **state, const char *words)
{
    char request[200];
    snprintf(request, sizeof request, "open case=0 fork=1%s", words);
    AUTO(message) struct message opened = answer_to(state, request, "opened");
    return (pid_t)number_of(&opened, "child");
}

static void a_forked_case_does_not_affect_the_worker(void **state)
{
    struct client *client = *state;
    for (int i = 0; i < 3; i++) {
        pid_t child = open_forked(state, " seed=5");
        assert_true(child > 0 && child != client->process.pid);
        agree(state, "calibrate target_ns=1000", "calibrated");
        refuse(state, "dance", "inside a case");
        agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
        AUTO(message) struct message closed = answer_to(state, "close", "closed");
        assert_near(number_of(&closed, "seed"), 5, 0);
        agree(state, "hello", "hello");
        assert_int_equal(kill(child, 0), -1);
    }
}

static void a_forked_case_takes_only_its_own_requests(void **state)
{
    struct client *client = *state;
    static const char requests[] = "hello\nopen case=0 fork=1\nclose\nhello\nopen fork=1 case=0\n"
                                   "epoch number=1 max_blocks=1 min_blocks=1\nclose\nhello\n";
    static const char *const verbs[] = {"hello",  "opened", "closed", "hello",
                                        "opened", "epoch",  "closed", "hello"};
    assert_ok(process_send(&client->process, requests, sizeof requests - 1));
    for (size_t i = 0; i < LENGTH(verbs); i++) {
        AUTO(message) struct message answer = {0};
        assert_ok(client_receive(client, &answer));
        assert_string_equal(answer.verb, verbs[i]);
    }
    refuse(state, "open case=9 fork=1", "no such case");
    refuse(state, "open case=0 fork=1 timeout_ns=soon", "not a number");
    refuse(state, "open case=0 fork=1 =", "not key=value");
    agree(state, "hello", "hello");
}

static void a_fork_that_stays_becomes_the_worker(void **state)
{
    pid_t worker = open_forked(state, " stay=1 seed=3");
    agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
    AUTO(message) struct message closed = answer_to(state, "close", "closed");
    assert_near(number_of(&closed, "seed"), 3, 0);
    AUTO(message) struct message opened = answer_to(state, "open case=0 seed=4", "opened");
    assert_null(message_text(&opened, "child"));
    AUTO(message) struct message again = answer_to(state, "close", "closed");
    assert_near(number_of(&again, "seed"), 7, 0);  // it remembers
    assert_int_not_equal(open_forked(state, ""), worker);
    agree(state, "close", "closed");
    AUTO(message) struct message answer = {0};
    assert_error(ask(state, "open case=0 fork=1 crash=setup", "opened", &answer), BILANX_E_CRASHED,
                 "signal 6");
    agree(state, "hello", "hello");
    assert_int_equal(kill(worker, 0), 0);
}

// The answer to `request` says how the fork ended; the worker continues.
static void dies(void **state, const char *request, enum bilanx_status status, const char *part,
                 const char *phase)
{
    struct client *client = *state;
    AUTO(text) struct text line = {0};
    text_format(&line, "%s\n", request);
    assert_ok(process_send(&client->process, line.data, line.size));
    AUTO(message) struct message answer = {0};
    assert_ok(client_receive(client, &answer));
    assert_string_equal(answer.verb, "failed");
    assert_string_equal(message_text(&answer, "code"), bilanx_status_code(status));
    assert_string_equal(message_text(&answer, "phase"), phase);
    assert_non_null(strstr(message_text(&answer, "text"), part));
    agree(state, "hello", "hello");
}

static void a_fork_that_dies_is_reported_once(void **state)
{
    static const char epoch[] = "epoch number=1 max_blocks=1 min_blocks=1";
    dies(state, "open case=0 fork=1 crash=setup", BILANX_E_CRASHED, "signal 6", "setup");
    dies(state, "open case=0 fork=1 exit=setup", BILANX_E_EXITED, "status 7", "setup");
    open_forked(state, " crash=loop");
    dies(state, epoch, BILANX_E_CRASHED, "signal 6", "stmt");
    open_forked(state, " exit=loop");
    dies(state, epoch, BILANX_E_EXITED, "status 7", "stmt");
    open_forked(state, " crash=teardown");
    agree(state, epoch, "epoch");
    dies(state, "close", BILANX_E_CRASHED, "signal 6", "stmt");
    AUTO(message) struct message answer = {0};
    agree(state, "open case=4 fork=1", "opened");
    assert_error(ask(state, "close", "closed", &answer), BILANX_E_FAILED, "the sum is wrong");
    agree(state, "open case=0 fork=1", "opened");
    agree(state, "close", "closed");
}

static void a_fork_that_died_between_requests_is_reported_at_the_next(void **state)
{
    pid_t child = open_forked(state, " die=setup");
    while (kill(child, 0) == 0)
        usleep(1000);
    dies(state, "calibrate target_ns=1000", BILANX_E_CRASHED, "signal 15", "stmt");
}

static void a_fork_that_hangs_is_killed_with_its_children(void **state)
{
    dies(state, "open case=0 fork=1 timeout_ns=20000000 hang=setup", BILANX_E_TIMED_OUT,
         "no answer in 0.02 s", "setup");
    pid_t child = open_forked(state, " timeout_ns=50000000 leave=setup hang=loop");
    usleep(150000);  // no request is pending, so there is no timeout
    dies(state, "epoch number=1", BILANX_E_TIMED_OUT, "no answer", "stmt");
    assert_int_equal(kill(-child, 0), -1);
    child = open_forked(state, " leave=setup");
    agree(state, "close", "closed");
    agree(state, "hello", "hello");
    assert_int_equal(kill(-child, 0), -1);
}

// A request to one case and its answer; the worker continues in any case.
static void a_statement_must_not_leave_processes_running(void **state)
{
    static const char epoch[] = "epoch number=1 max_blocks=2 min_blocks=2";
    static const char *const opening[] = {"open case=0", "open case=0 fork=1"};
    static const char *const guilty[] = {"stray=loop", "leave=loop", "stray=setup leave=loop"};
    for (size_t i = 0; i < LENGTH(opening); i++) {
        char request[200];
        AUTO(message) struct message answer = {0};
        for (size_t j = 0; j < LENGTH(guilty); j++) {
            snprintf(request, sizeof request, "%s %s", opening[i], guilty[j]);
            agree(state, request, "opened");
            assert_error(ask(state, epoch, "epoch", &answer), BILANX_E_FAILED,
                         "left processes running");
            agree(state, "hello", "hello");
        }
        snprintf(request, sizeof request, "%s stray=setup spawn=loop", opening[i]);
        agree(state, request, "opened");
        agree(state, epoch, "epoch");
        agree(state, "close", "closed");
    }
}

static void a_process_forked_by_the_statement_does_not_answer(void **state)
{
    AUTO(message) struct message answer = {0};
    agree(state, "open case=0 fork=1 twin=setup", "opened");
    agree(state, "epoch number=1 max_blocks=1 min_blocks=1", "epoch");
    agree(state, "close", "closed");
    agree(state, "open case=0 twin=loop", "opened");
    assert_error(ask(state, "epoch number=3", "epoch", &answer), BILANX_E_FAILED,
                 "left processes running");
    agree(state, "hello", "hello");
    agree(state, "open case=3 twin=setup", "opened");
    assert_error(ask(state, "epoch number=1", "epoch", &answer), BILANX_E_FAILED, "left its loop");
    agree(state, "hello", "hello");
}

static void the_worker_ends_if_the_controller_leaves_inside_a_case(void **state)
{
    agree(state, "open case=0", "opened");  // stop() closes the channel
}

static void the_worker_ends_if_the_controller_leaves_inside_a_forked_case(void **state)
{
    open_forked(state, "");
}

static void an_answer_with_another_verb_is_an_error(void **state)
{
    AUTO(message) struct message answer = {0};
    assert_error(ask(state, "hello", "opened", &answer), BILANX_E_INPUT, "'hello', not 'opened'");
}

static int hang(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    alarm(20);
    return pause();
}

static void a_missing_answer_is_a_timeout(void **state)
{
    (void)state;
    AUTO(client) struct client client = {0};
    AUTO(message) struct message answer = {0};
    assert_ok(client_start(&(struct process_options){.body = hang}, 10000000, &client));
    assert_error(ask((void *[]){&client}, "hello", "hello", &answer), BILANX_E_TIMED_OUT,
                 "no answer in 0.01 s");
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(hello_reports_protocol_cases_and_version),
        SERVED(list_reports_every_case),
        SERVED(a_case_is_opened_measured_and_closed),
        SERVED(the_answers_are_what_the_clock_says),
        SERVED(an_epoch_tells_about_the_core_between_its_batches),
        SERVED(a_whole_measurement_tells_about_the_core_if_asked),
        SERVED(every_method_can_be_requested),
        SERVED(cases_can_be_opened_one_after_another),
        SERVED(bad_requests_are_answered_and_the_conversation_continues),
        SERVED(prepare_reports_what_it_made),
        SERVED(a_failed_prepare_says_why_and_the_conversation_continues),
        cmocka_unit_test(a_worker_with_nothing_to_prepare_says_so),
        SERVED(requests_may_arrive_in_pieces_or_all_at_once),
        SERVED(a_failing_case_is_reported_and_the_next_one_runs),
        SERVED(events_are_counted_for_each_repeat),
        SERVED(a_count_that_is_impossible_says_why),
        SERVED(a_worker_can_sample_itself),
        SERVED(what_cannot_be_sampled_says_why),
        SERVED(a_statement_that_starts_threads_or_processes_is_not_counted),
        SERVED(a_forked_case_does_not_affect_the_worker),
        SERVED(a_forked_case_takes_only_its_own_requests),
        SERVED(a_fork_that_stays_becomes_the_worker),
        SERVED(a_fork_that_dies_is_reported_once),
        SERVED(a_fork_that_died_between_requests_is_reported_at_the_next),
        SERVED(a_fork_that_hangs_is_killed_with_its_children),
        SERVED(a_statement_must_not_leave_processes_running),
        SERVED(a_process_forked_by_the_statement_does_not_answer),
        SERVED(the_worker_ends_if_the_controller_leaves_inside_a_forked_case),
        SERVED(the_worker_ends_if_the_controller_leaves_inside_a_case),
        SERVED(an_answer_with_another_verb_is_an_error),
        cmocka_unit_test(a_missing_answer_is_a_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
