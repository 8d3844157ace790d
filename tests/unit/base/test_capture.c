#include "base/capture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "unit.h"

enum { PATIENCE_S = 20 };

static struct bilanx_error shell(const char *script, double timeout_s, struct text *output,
                                 int *status)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    return capture_run(&(struct capture_options){.argv = argv, .timeout_s = timeout_s}, output,
                       status);
}

static void assert_shell(const char *script, int status, const char *output)
{
    AUTO(text) struct text got = {0};
    int ended = -1;
    assert_ok(shell(script, PATIENCE_S, &got, &ended));
    assert_int_equal(ended, status);
    assert_string_equal(text_get(&got), output);
}

static void output_and_status_are_returned(void **state)
{
    (void)state;
    assert_shell("echo out; echo err >&2; exit 3", 3, "out\nerr\n");
    assert_shell("true", 0, "");
}

static void a_signal_is_a_status_above_128(void **state)
{
    (void)state;
    assert_shell("kill -TERM $$", 128 + SIGTERM, "");
}

static void output_is_appended(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = 0;
    text_add(&got, "before ");
    assert_ok(shell("echo after", PATIENCE_S, &got, &status));
    assert_string_equal(text_get(&got), "before after\n");
}

static void stdin_is_empty(void **state)
{
    (void)state;
    assert_shell("cat; echo end", 0, "end\n");
}

static void too_much_output_is_truncated_and_the_program_still_exits(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = -1;
    assert_ok(shell("head -c 5000000 /dev/zero; exit 7", PATIENCE_S, &got, &status));
    assert_int_equal(status, 7);
    assert_in_range(got.size, 1 << 20, 2 << 20);
}

static struct bilanx_error run_in(const char *directory, const char *const *argv,
                                  struct text *output, int *status)
{
    return capture_run(
        &(struct capture_options){.argv = argv, .directory = directory, .timeout_s = PATIENCE_S},
        output, status);
}

static void a_program_runs_in_the_given_directory(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = -1;
    const char *argv[] = {"pwd", NULL};
    assert_ok(run_in("/usr", argv, &got, &status));
    assert_string_equal(text_get(&got), "/usr\n");
    assert_error(run_in("/no/where", argv, &got, &status), BILANX_E_SYSTEM,
                 "cannot change to '/no/where': No such file");
}

static void a_missing_program_is_named(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = 42;
    const char *argv[] = {"/no/such/compiler", NULL};
    assert_error(run_in(NULL, argv, &got, &status), BILANX_E_SYSTEM,
                 "cannot run '/no/such/compiler': No such file");
    assert_int_equal(status, 42);
}

// Its children die as well: only then is the pipe that they share closed.
static void a_program_that_takes_too_long_is_killed_with_its_children(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = 0, held[2];
    assert_int_equal(pipe(held), 0);
    assert_error(shell("sleep 60 & sleep 60", 0.05, &got, &status), BILANX_E_TIMED_OUT,
                 "not done in 0.05 s");
    close(held[1]);
    char byte;
    assert_int_equal(read(held[0], &byte, 1), 0);
    close(held[0]);
}

static void a_program_may_close_its_output_and_keep_running(void **state)
{
    (void)state;
    AUTO(text) struct text got = {0};
    int status = 0;
    assert_error(shell("exec >&- 2>&-; sleep 60", 0.2, &got, &status), BILANX_E_TIMED_OUT,
                 "not done");
    assert_shell("exec >&- 2>&-; sleep 0.2; exit 5", 5, "");
}

static void an_interrupt_ends_the_run(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        AUTO(text) struct text got = {0};
        int status = 0;
        interrupt_catch();
        raise(SIGINT);
        _exit(shell("sleep 60", PATIENCE_S, &got, &status).status == BILANX_E_INTERRUPTED ? 0 : 1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_are_returned),
        cmocka_unit_test(a_signal_is_a_status_above_128),
        cmocka_unit_test(output_is_appended),
        cmocka_unit_test(stdin_is_empty),
        cmocka_unit_test(too_much_output_is_truncated_and_the_program_still_exits),
        cmocka_unit_test(a_program_runs_in_the_given_directory),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(a_program_that_takes_too_long_is_killed_with_its_children),
        cmocka_unit_test(a_program_may_close_its_output_and_keep_running),
        cmocka_unit_test(an_interrupt_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
