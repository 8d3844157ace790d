#include "sources/commands/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit.h"

static int nothing;

static struct bilanx_error run_shell(const char *script, int out, double timeout_s,
                                     struct child *child)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)script, NULL};
    struct child_options options = {.program = "/bin/sh",
                                    .argv = argv,
                                    .streams = {nothing, out, out},
                                    .timeout_ns = (uint64_t)(timeout_s * 1e9),
                                    .watched = out};
    struct clock clock;
    clock_open_monotonic(&clock);
    return child_run(&options, &clock, child);
}

static void the_exit_status_or_signal_is_reported(void **state)
{
    (void)state;
    const struct {
        const char *script;
        enum bilanx_status status;
        const char *text;
    } cases[] = {{"exit 0", BILANX_OK, ""},
                 {"exit 3", BILANX_E_EXITED, "exited with status 3"},
                 {"exit 255", BILANX_E_EXITED, "exited with status 255"},
                 {"kill -11 $$", BILANX_E_CRASHED, "killed by signal 11, Segmentation fault"},
                 {"kill -9 $$", BILANX_E_CRASHED, "killed by signal 9"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(child) struct child child = {0};
        assert_ok(run_shell(cases[i].script, nothing, 60, &child));
        assert_error(child_fate(child.status), cases[i].status, cases[i].text);
        assert_true(child.wall > 0 && child.max_rss > 0);
    }
}

static void the_cpu_time_of_the_child_is_measured(void **state)
{
    (void)state;
    AUTO(child) struct child child = {0};
    assert_ok(
        run_shell("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done", nothing, 60, &child));
    double used = child.user + child.system;
    assert_true(used > 0);
    // A shell has one thread; the kernel counts in ticks.
    assert_true(used <= child.wall + 0.1);
}

static void a_program_that_cannot_run_says_why(void **state)
{
    (void)state;
    const struct {
        const char *program, *text;
    } cases[] = {{"/nowhere/at-all", "cannot run '/nowhere/at-all': No such file or directory"},
                 {"/dev/null", "cannot run '/dev/null': Permission denied"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *argv[] = {(char[]){"x"}, NULL};
        struct child_options options = {.program = cases[i].program,
                                        .argv = argv,
                                        .streams = {nothing, nothing, nothing},
                                        .timeout_ns = 1000000000,
                                        .watched = -1};
        struct clock clock;
        clock_open_monotonic(&clock);
        AUTO(child) struct child child = {0};
        assert_error(child_run(&options, &clock, &child), BILANX_E_SYSTEM, cases[i].text);
    }
}

// Members of a killed group disappear when init reaps them, which may take a moment.
static bool group_is_gone(pid_t group)
{
    for (int i = 0; i < 500 && kill(-group, 0) == 0; i++)
        usleep(10000);
    return kill(-group, 0) != 0;
}

static void a_child_that_takes_too_long_is_killed(void **state)
{
    (void)state;
    struct child child = {0};
    assert_error(run_shell("sleep 600 & sleep 600", nothing, 0.05, &child), BILANX_E_TIMED_OUT,
                 "ran longer than 0.05 s");
    pid_t pid = child.pid;
    child_done(&child);
    assert_true(group_is_gone(pid));
    assert_int_equal(waitpid(pid, NULL, 0), -1);
}

static void processes_left_behind_are_killed(void **state)
{
    (void)state;
    struct child child = {0};
    assert_ok(run_shell("sleep 600 & sleep 600 & exit 0", nothing, 60, &child));
    pid_t pid = child.pid;
    assert_int_equal(kill(-pid, 0), 0);  // alive until child_done()
    child_done(&child);
    assert_true(group_is_gone(pid));
}

static void output_goes_where_it_was_sent(void **state)
{
    (void)state;
    AUTO(fd) int out = memfd_create("out", MFD_CLOEXEC);
    AUTO(child) struct child child = {0};
    assert_ok(run_shell("read x; echo \"[$x]\"; echo err >&2", out, 60, &child));
    char text[64] = "";
    assert_true(pread(out, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "[]\nerr\n");
}

static void a_child_starts_in_its_surroundings(void **state)
{
    (void)state;
    AUTO(fd) int out = memfd_create("out", MFD_CLOEXEC);
    AUTO(list) struct list variables = {0};
    AUTO(surroundings) struct surroundings side = {0};
    list_add(&variables, "SIDE=A");
    assert_ok(surroundings_init(&side, &variables, "/bin"));
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"cd / && echo $SIDE $HOME."}, NULL};
    struct child_options options = {.program = "./sh",
                                    .argv = argv,
                                    .surroundings = &side,
                                    .streams = {nothing, out, out},
                                    .timeout_ns = 60000000000u,
                                    .watched = -1};
    struct clock clock;
    clock_open_monotonic(&clock);
    AUTO(child) struct child child = {0};
    assert_ok(child_run(&options, &clock, &child));
    char text[64] = "";
    assert_true(pread(out, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "A .\n");
}

static void excessive_output_is_discarded(void **state)
{
    (void)state;
    AUTO(fd) int out = memfd_create("out", MFD_CLOEXEC);
    assert_int_equal(fcntl(out, F_SETFL, O_APPEND), 0);
    AUTO(child) struct child child = {0};
    // Writes 4 MB, waits for truncation, and writes again.
    assert_ok(run_shell("head -c 4000000 /dev/zero; sleep 1; echo last", out, 60, &child));
    struct stat status;
    assert_int_equal(fstat(out, &status), 0);
    assert_int_equal(status.st_size, 5);
}

int main(void)
{
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_status_or_signal_is_reported),
        cmocka_unit_test(the_cpu_time_of_the_child_is_measured),
        cmocka_unit_test(a_program_that_cannot_run_says_why),
        cmocka_unit_test(a_child_that_takes_too_long_is_killed),
        cmocka_unit_test(processes_left_behind_are_killed),
        cmocka_unit_test(output_goes_where_it_was_sent),
        cmocka_unit_test(a_child_starts_in_its_surroundings),
        cmocka_unit_test(excessive_output_is_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
