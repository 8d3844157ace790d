#include "base/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "unit.h"

// Runs it to completion and appends its output to `output`. Returns its status.
static int run(struct spawn_options options, struct text *output)
{
    int pipes[2], status = -1;
    pid_t pid = 0;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    options.streams = (struct spawn_streams){.out = pipes[1], .err = pipes[1]};
    assert_ok(spawn(&options, &pid));
    close(pipes[1]);
    assert_ok(file_read_fd(pipes[0], "pipe", output));
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_prints(struct spawn_options options, const char *expected)
{
    AUTO(text) struct text output = {0};
    assert_int_equal(run(options, &output), 0);
    assert_string_equal(text_get(&output), expected);
}

static const char **shell(const char *script)
{
    static const char *argv[4] = {"sh", "-c"};
    argv[2] = script;
    return argv;
}

static void a_zeroed_option_means_the_default(void **state)
{
    (void)state;
    assert_prints((struct spawn_options){.argv = shell("cat; echo $0")}, "sh\n");
    pid_t pid = 0;
    int status = -1;  // all streams are /dev/null
    assert_ok(spawn(&(struct spawn_options){.argv = shell("cat && echo x && echo y >&2")}, &pid));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void variables_are_added_and_replaced(void **state)
{
    (void)state;
    setenv("KEPT", "kept", 1);
    setenv("REPLACED", "old", 1);
    char *words[] = {(char[]){"REPLACED=new"}, (char[]){"KEPT_NOT=added"}, NULL};
    assert_prints((struct spawn_options){.argv = shell("echo $KEPT $REPLACED $KEPT_NOT; "
                                                       "env | grep -c ^REPLACED="),
                                         .environment = words},
                  "kept new added\n1\n");
}

static void a_program_may_have_a_different_name_from_its_file(void **state)
{
    (void)state;
    const char *argv[] = {"another", "-c", "echo $0", NULL};
    assert_prints((struct spawn_options){.argv = argv, .program = "/bin/sh"}, "another\n");
}

static void a_directory_may_be_relative_to_the_surroundings(void **state)
{
    (void)state;
    AUTO(list) struct list none = {0};
    AUTO(surroundings) struct surroundings usr = {0};
    assert_ok(surroundings_init(&usr, &none, "/usr"));
    assert_prints(
        (struct spawn_options){.argv = shell("pwd"), .surroundings = &usr, .directory = "share"},
        "/usr/share\n");
}

static void a_script_without_a_shebang_runs_in_sh_unless_strict(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/script", folder.path);
    assert_ok(file_write(path, "echo hello\n", 11));
    chmod(path, 0700);
    const char *argv[] = {path, NULL};
    assert_prints((struct spawn_options){.argv = argv}, "hello\n");
    pid_t pid = 42;
    assert_error(spawn(&(struct spawn_options){.argv = argv, .strict = true}, &pid),
                 BILANX_E_SYSTEM, "a script needs a first line");
    assert_int_equal(pid, 42);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // no child left to reap
}

static int print_variable(void *name)
{
    return printf("%s in %s\n", getenv(name), getcwd((char[100]){0}, 100)) > 0 ? 3 : 4;
}

static void a_body_runs_in_a_fork_with_the_same_options(void **state)
{
    (void)state;
    AUTO(text) struct text output = {0};
    char *words[] = {(char[]){"ADDED=added"}, NULL};
    int status = run((struct spawn_options){.body = print_variable,
                                            .context = (char[]){"ADDED"},
                                            .environment = words,
                                            .directory = "/usr"},
                     &output);
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(text_get(&output), "added in /usr\n");
    assert_null(getenv("ADDED"));
}

static void a_child_leads_a_group_or_a_session(void **state)
{
    (void)state;
    for (int session = 0; session < 2; session++) {
        pid_t pid = 0;
        assert_ok(
            spawn(&(struct spawn_options){.argv = shell("sleep 60"), .session = session}, &pid));
        assert_int_equal(getpgid(pid), pid);
        assert_int_equal(getsid(pid), session ? pid : getsid(0));
        assert_false(spawn_has_ended(pid));
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_true(spawn_has_ended(pid));
    }
}

static void do_nothing(int number)
{
    (void)number;
}

static void a_child_starts_with_default_signal_actions(void **state)
{
    (void)state;
    sigset_t before, after;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, do_nothing);
    sigprocmask(SIG_SETMASK, NULL, &before);
    AUTO(text) struct text output = {0};
    assert_int_equal(run((struct spawn_options){.argv = shell("kill -PIPE $$; sleep 60")}, &output),
                     SIGPIPE);
    assert_int_equal(run((struct spawn_options){.argv = shell("kill -INT $$; sleep 60")}, &output),
                     SIGINT);
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zeroed_option_means_the_default),
        cmocka_unit_test(variables_are_added_and_replaced),
        cmocka_unit_test(a_program_may_have_a_different_name_from_its_file),
        cmocka_unit_test(a_directory_may_be_relative_to_the_surroundings),
        cmocka_unit_test(a_script_without_a_shebang_runs_in_sh_unless_strict),
        cmocka_unit_test(a_body_runs_in_a_fork_with_the_same_options),
        cmocka_unit_test(a_child_leads_a_group_or_a_session),
        cmocka_unit_test(a_child_starts_with_default_signal_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
