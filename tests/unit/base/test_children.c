// No test waits for time to pass: the alarms only limit a test that fails.
#include "base/children.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { PATIENCE_S = 20 };

static pid_t linger(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE_S);
        for (;;)
            pause();
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void assert_childless(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_process_without_children_has_none(void **state)
{
    (void)state;
    struct children children;
    children_note(&children);
    assert_true(children.known);
    assert_int_equal(children.count, 0);
    assert_false(children_came(&children));
    children_end(&children);
}

static void a_new_child_is_noticed_until_it_is_reaped(void **state)
{
    (void)state;
    struct children before;
    children_note(&before);
    pid_t pid = linger();
    assert_true(children_came(&before));
    end(pid);
    assert_false(children_came(&before));
    pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_true(children_came(&before));
    end(pid);
}

static void earlier_children_are_left_alone(void **state)
{
    (void)state;
    struct children before;
    pid_t first = linger(), second = linger();
    children_note(&before);
    assert_int_equal(before.count, 2);
    assert_false(children_came(&before));
    linger();
    linger();
    assert_true(children_came(&before));
    children_end(&before);
    assert_false(children_came(&before));
    assert_int_equal(kill(first, 0), 0);
    end(first);
    end(second);
    assert_childless();
}

static void *linger_in_thread(void *pid)
{
    *(pid_t *)pid = linger();
    return NULL;
}

static void children_of_other_threads_count(void **state)
{
    (void)state;
    pthread_t thread;
    pid_t pid = 0;
    struct children children;
    assert_int_equal(pthread_create(&thread, NULL, linger_in_thread, &pid), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    children_list(getpid(), &children);
    assert_int_equal(children.count, 1);
    assert_int_equal(children.pids[0], pid);
    end(pid);
}

// Two generations, the younger in a separate session, with the process between them gone.
static void adopted_orphans_are_killed_with_the_other_children(void **state)
{
    (void)state;
    struct children before;
    children_adopt();
    children_note(&before);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            setsid();
            linger();
            linger();
            alarm(PATIENCE_S);
            for (;;)
                pause();
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(children_came(&before));
    children_end(&before);
    assert_childless();
}

static void count_one(pid_t pid, void *count)
{
    assert_true(pid > 0);
    ++*(int *)count;
}

static void all_descendants_are_visited(void **state)
{
    (void)state;
    int count = 0, ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        linger();
        linger();
        alarm(PATIENCE_S);
        _exit(write(ready[1], "", 1) == 1 && pause());
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    children_each_below(getpid(), count_one, &count);
    assert_int_equal(count, 3);
    struct children none = {.known = true};
    children_end(&none);
    assert_childless();
    close(ready[0]);
    close(ready[1]);
}

static void the_children_of_a_missing_process_are_unknown(void **state)
{
    (void)state;
    struct children children;
    children_list(0, &children);
    assert_false(children.known);
    assert_int_equal(children.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_children_has_none),
        cmocka_unit_test(a_new_child_is_noticed_until_it_is_reaped),
        cmocka_unit_test(earlier_children_are_left_alone),
        cmocka_unit_test(children_of_other_threads_count),
        cmocka_unit_test(adopted_orphans_are_killed_with_the_other_children),
        cmocka_unit_test(all_descendants_are_visited),
        cmocka_unit_test(the_children_of_a_missing_process_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
