// No test waits for time to pass: the alarms only limit a test that fails.
#include "base/lineage.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { PATIENCE_S = 20 };

// A process that starts a lineage and becomes `script`, which writes a byte once it runs.
static pid_t start(uint64_t lineage, const char *script)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ready[1], STDOUT_FILENO);
        close(ready[0]);
        lineage_begin(lineage);
        execlp("sh", "sh", "-c", script, NULL);
        _exit(127);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void lineages_differ(void **state)
{
    (void)state;
    uint64_t one = lineage_new(), other = lineage_new();
    assert_true(one && other && one != other);
    assert_int_equal(lineage_count(one, 10), 0);
}

enum { THREADS = 4, EACH = 200000 };  // long enough to overlap, even on one core

static void *draw_many(void *context)
{
    uint64_t *lineages = context;
    for (size_t i = 0; i < EACH; i++)
        lineages[i] = lineage_new();
    return NULL;
}

static int compare(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static void threads_of_a_process_draw_distinct_lineages(void **state)
{
    (void)state;
    static uint64_t lineages[THREADS * EACH];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_many, lineages + i * EACH), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    qsort(lineages, THREADS * EACH, sizeof *lineages, compare);
    for (size_t i = 1; i < THREADS * EACH; i++)
        assert_int_equal(lineages[i], lineages[i - 1] + 1);
}

static void started_processes_belong_to_the_lineage_and_others_do_not(void **state)
{
    (void)state;
    uint64_t lineage = lineage_new(), other = lineage_new();
    pid_t pid = start(lineage, "sleep 20 & echo; wait"), stranger = start(other, "echo; sleep 20");
    assert_int_equal(lineage_count(lineage, 10), 2);
    assert_int_equal(lineage_count(lineage, 1), 1);  // stops at the limit
    lineage_kill(lineage);
    assert_int_equal(lineage_count(lineage, 10), 0);
    assert_true(lineage_count(other, 10) >= 1);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(kill(stranger, 0), 0);
    lineage_kill(other);
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
}

static void a_new_session_or_an_empty_environment_stays_in_the_lineage(void **state)
{
    (void)state;
    uint64_t lineage = lineage_new();
    pid_t pid = start(lineage, "(env -i setsid sleep 20 &) >/dev/null; echo");
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    lineage_kill(lineage);
    assert_int_equal(lineage_count(lineage, 10), 0);
}

static void a_zombie_does_not_count_as_running(void **state)
{
    (void)state;
    uint64_t lineage = lineage_new();
    pid_t pid = start(lineage, "echo");
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(lineage_count(lineage, 10), 0);
    lineage_kill(lineage);  // does not wait for it
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

// A controller: starts a process in a separate session and ends as `how` says.
static uint64_t control(void (*how)(void))
{
    int told[2];
    uint64_t lineage = 0;
    assert_int_equal(pipe(told), 0);
    fflush(NULL);  // otherwise it is printed twice
    pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE_S);
        lineage_guard();
        lineage_guard();  // does nothing
        lineage = lineage_new();
        start(lineage, "setsid sleep 20 & echo; wait");
        if (write(told[1], &lineage, sizeof lineage) == sizeof lineage)
            how();
        _exit(1);
    }
    assert_int_equal(read(told[0], &lineage, sizeof lineage), sizeof lineage);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(told[0]);
    close(told[1]);
    return lineage;
}

static void be_killed(void)
{
    raise(SIGKILL);
}

static void end_well(void)
{
    exit(0);
}

static void killing_a_controller_kills_its_lineages(void **state)
{
    (void)state;
    uint64_t lineage = control(be_killed);
    while (lineage_count(lineage, 1) > 0)
        usleep(1000);
}

static int reap_orphans(void)
{
    int count = 0;
    while (waitpid(-1, NULL, 0) > 0)
        count++;
    return count;
}

// This process adopts orphans, so a remaining guard would be its child.
static void a_controller_that_exits_dismisses_its_guard(void **state)
{
    (void)state;
    reap_orphans();
    uint64_t lineage = control(end_well);
    assert_true(lineage_count(lineage, 10) >= 1);  // ending these is up to the controller
    lineage_kill(lineage);
    assert_int_equal(reap_orphans(), 2);  // the shell and its child
}

int main(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    alarm(4 * PATIENCE_S);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lineages_differ),
        cmocka_unit_test(threads_of_a_process_draw_distinct_lineages),
        cmocka_unit_test(started_processes_belong_to_the_lineage_and_others_do_not),
        cmocka_unit_test(a_new_session_or_an_empty_environment_stays_in_the_lineage),
        cmocka_unit_test(a_zombie_does_not_count_as_running),
        cmocka_unit_test(killing_a_controller_kills_its_lineages),
        cmocka_unit_test(a_controller_that_exits_dismisses_its_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
