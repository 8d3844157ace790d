// A session is a separate process, or a fork of a standby worker.
#include "core/run/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/spawn.h"
#include "core/worker/server.h"
#include "unit.h"

// A worker that reports how often it was prepared; its cases do what "open do=..." says.
static uint64_t prepared_times;

static void describe(void *context, struct text *out)
{
    (void)context;
    (void)out;
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    if (message_text(request, "refuse"))
        return bilanx_error_make(BILANX_E_INPUT, "not prepared");
    message_add_count(out, "times", ++prepared_times);
    return BILANX_SUCCESS;
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context;
    const char *deed = message_text(request, "do");
    if (text_equal(deed, "fail"))
        return bilanx_error_make(BILANX_E_FAILED, "as told");
    if (text_equal(deed, "crash"))
        abort();
    if (text_equal(deed, "hang"))
        pause();
    if (text_equal(deed, "patricide")) {
        kill(getppid(), SIGKILL);
        pause();
    }
    struct loop loop = {.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    while (loop_next(&loop))
        continue;
    return BILANX_SUCCESS;
}

static int serve(void *context, int in, int out)
{
    (void)context;
    struct server_subject subject = {
        .describe = describe, .prepare = prepare, .run = run, .describe_result = describe};
    return server_run(&subject, in, out);
}

struct fixture {
    struct run_subject subject;
    struct session_options options;
};

static int start(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.subject = {.launch = {.body = serve}, .standby = run_standby_new()},
                               .options = {.launch = {.body = serve}, .timeout_ns = 2000000000u}};
    *state = &fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    run_standby_free(fixture->subject.standby);
    return 0;
}

// Opens and closes a case; `*child` is the process it ran in, 0 for the worker itself.
static struct bilanx_error one_case(struct session *session, const char *deed, uint64_t *child)
{
    AUTO(text) struct text open = {0}, close = {0};
    AUTO(message) struct message opened = {0}, closed = {0};
    message_begin(&open, "open");
    message_add(&open, "do", deed);
    session_add_words(session, &open);
    message_end(&open);
    message_begin(&close, "close");
    message_end(&close);
    *child = 0;
    BILANX_TRY(client_ask(session->client, &open, "opened", &opened));
    BILANX_TRY(message_count(&opened, "child", child));
    return client_ask(session->client, &close, "closed", &closed);
}

// Runs a whole session; *worker is the standby worker or the session's own process.
static struct bilanx_error go(struct fixture *fixture, const char *deed, pid_t *worker,
                              uint64_t *child)
{
    struct session session = {0};
    assert_ok(session_start(&fixture->subject, &fixture->options, &session));
    *worker = session.client->process.pid;
    struct bilanx_error error = one_case(&session, deed, child);
    session_end(&session, &error);
    return error;
}

static void a_standby_worker_forks_for_every_case(void **state)
{
    struct fixture *fixture = *state;
    pid_t first, second;
    uint64_t child, other;
    assert_ok(go(fixture, "", &first, &child));
    assert_ok(go(fixture, "", &second, &other));
    assert_int_equal(first, second);
    assert_true(child && other && child != other && child != (uint64_t)first);
    assert_int_equal(kill(first, 0), 0);
}

static void a_new_generation_starts_a_new_standby_worker(void **state)
{
    struct fixture *fixture = *state;
    pid_t first, second, third;
    uint64_t child;
    assert_ok(go(fixture, "", &first, &child));
    fixture->options.generation = 1;
    assert_ok(go(fixture, "", &second, &child));
    assert_ok(go(fixture, "", &third, &child));
    assert_true(first != second && second == third);
    assert_int_equal(fixture->subject.standby->generation, 1);
    assert_int_equal(kill(first, 0), -1);
}

static void a_failing_case_leaves_the_standby_worker_running(void **state)
{
    struct fixture *fixture = *state;
    pid_t first, worker;
    uint64_t child;
    fixture->options.timeout_ns = 200000000u;
    assert_ok(go(fixture, "", &first, &child));
    assert_error(go(fixture, "fail", &worker, &child), BILANX_E_FAILED, "as told");
    assert_error(go(fixture, "crash", &worker, &child), BILANX_E_CRASHED, "signal 6");
    assert_error(go(fixture, "hang", &worker, &child), BILANX_E_TIMED_OUT, "0.2 s");
    assert_ok(go(fixture, "", &worker, &child));
    assert_int_equal(first, worker);
}

static void a_standby_worker_that_dies_is_restarted(void **state)
{
    struct fixture *fixture = *state;
    pid_t first, second;
    uint64_t child;
    assert_error(go(fixture, "patricide", &first, &child), BILANX_E_CRASHED, "signal 9");
    assert_ok(go(fixture, "", &second, &child));
    assert_true(first != second);
    assert_int_equal(fixture->subject.standby->generation, 1);
    kill(second, SIGKILL);  // between two cases
    while (!spawn_has_ended(second))
        usleep(1000);
    assert_ok(go(fixture, "", &first, &child));
    assert_int_equal(fixture->subject.standby->generation, 2);
}

static void each_process_is_prepared_once(void **state)
{
    struct fixture *fixture = *state;
    AUTO(message) struct message answer = {0};
    struct run_standby *standby = fixture->subject.standby;
    uint64_t times = 0;
    assert_ok(standby_begin(standby, &fixture->options.launch, 2000000000u, " a=b"));
    assert_ok(standby_await(standby, &answer));
    assert_ok(message_count(&answer, "times", &times));
    assert_int_equal(times, 1);
    fixture->subject.prepare = " refuse=1";  // not asked again
    pid_t worker;
    uint64_t child;
    assert_ok(go(fixture, "", &worker, &child));
    fixture->options.generation = 1;
    struct session session = {0};
    struct bilanx_error error = session_start(&fixture->subject, &fixture->options, &session);
    assert_error(error, BILANX_E_INPUT, "not prepared");
    session_end(&session, &error);
}

static void without_a_standby_worker_every_case_has_its_own_process(void **state)
{
    struct fixture *fixture = *state;
    struct fixture alone = *fixture;
    pid_t first, second;
    uint64_t child;
    alone.subject.standby = NULL;
    assert_ok(go(&alone, "", &first, &child));
    assert_int_equal(child, 0);
    assert_ok(go(&alone, "", &second, &child));
    assert_true(first != second);
    assert_int_equal(kill(first, 0), -1);
}

static void the_memory_of_a_fork_is_known_while_it_runs(void **state)
{
    (void)state;
    assert_true(session_peak_bytes((uint64_t)getpid()) > 100000);
    assert_int_equal(session_peak_bytes(0), 0);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(a_standby_worker_forks_for_every_case),
        WITH_FIXTURE(a_new_generation_starts_a_new_standby_worker),
        WITH_FIXTURE(a_failing_case_leaves_the_standby_worker_running),
        WITH_FIXTURE(a_standby_worker_that_dies_is_restarted),
        WITH_FIXTURE(each_process_is_prepared_once),
        WITH_FIXTURE(without_a_standby_worker_every_case_has_its_own_process),
        cmocka_unit_test(the_memory_of_a_fork_is_known_while_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
