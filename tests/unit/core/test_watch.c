#include "core/run/watch.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

static const uint64_t BURNT_NS = 200000000, TICK_NS = 10000000;

static void burn(void)
{
    struct timespec used = {0};
    while ((uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec < BURNT_NS)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
}

// Forks a process that computes for a while, says so, and stays.
static pid_t start_busy(bool below)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        if (below && fork() != 0) {
            pause();
            _exit(0);
        }
        burn();
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void check_that_work_is_our_own(bool below)
{
    uint64_t before_ns = watch_own_ns();
    pid_t child = start_busy(below);
    uint64_t own_ns = watch_own_ns() - before_ns;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(own_ns >= BURNT_NS - 3 * TICK_NS);
}

static void a_running_child_is_our_own_work(void **state)
{
    (void)state;
    check_that_work_is_our_own(false);
}

static void a_fork_of_a_running_child_is_our_own_work(void **state)
{
    (void)state;
    check_that_work_is_our_own(true);
}

static void a_child_that_has_ended_counts_once(void **state)
{
    (void)state;
    uint64_t before_ns = watch_own_ns();
    pid_t child = start_busy(false);
    uint64_t running_ns = watch_own_ns() - before_ns;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    uint64_t ended_ns = watch_own_ns() - before_ns;
    assert_true(ended_ns + 3 * TICK_NS >= running_ns);
    assert_true(ended_ns < running_ns + BURNT_NS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_child_is_our_own_work),
        cmocka_unit_test(a_fork_of_a_running_child_is_our_own_work),
        cmocka_unit_test(a_child_that_has_ended_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
