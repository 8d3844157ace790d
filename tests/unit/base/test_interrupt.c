#include "base/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

// Each runs in its own process, because a caught signal stays caught.
static int status_of(void (*body)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        body();
        _exit(interrupt_caught());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void catch_nothing(void)
{
    interrupt_catch();
}

static void catch_interrupt(void)
{
    interrupt_catch();
    raise(SIGINT);
}

static void catch_termination(void)
{
    interrupt_catch();
    raise(SIGTERM);
}

static void catch_hangup(void)
{
    signal(SIGHUP, SIG_DFL);  // ignored under nohup
    interrupt_catch();
    raise(SIGHUP);
    _exit(interrupt_caught() ? interrupt_status() : 0);
}

static void ignore_hangup(void)
{
    signal(SIGHUP, SIG_IGN);
    interrupt_catch();
    raise(SIGHUP);
}

static void catch_twice(void)
{
    interrupt_catch();
    raise(SIGINT);
    raise(SIGINT);
}

static void catch_and_release(void)
{
    interrupt_catch();
    interrupt_release();
    raise(SIGTERM);
}

static void without_a_signal_nothing_is_caught(void **state)
{
    (void)state;
    assert_int_equal(status_of(catch_nothing), 0);
}

static void the_first_signal_is_caught(void **state)
{
    (void)state;
    assert_int_equal(status_of(catch_interrupt), 1);
    assert_int_equal(status_of(catch_termination), 1);
}

static void a_hangup_is_like_ctrl_c_except_for_the_exit_status(void **state)
{
    (void)state;
    assert_int_equal(status_of(catch_hangup), 129);
}

static void an_ignored_hangup_stays_ignored(void **state)
{
    (void)state;
    assert_int_equal(status_of(ignore_hangup), 0);
}

static void the_second_signal_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(status_of(catch_twice), -SIGINT);
}

static void a_signal_after_release_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(status_of(catch_and_release), -SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_signal_nothing_is_caught),
        cmocka_unit_test(the_first_signal_is_caught),
        cmocka_unit_test(a_hangup_is_like_ctrl_c_except_for_the_exit_status),
        cmocka_unit_test(an_ignored_hangup_stays_ignored),
        cmocka_unit_test(the_second_signal_ends_the_process),
        cmocka_unit_test(a_signal_after_release_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
