// The sides made from SPECs of all kinds except git:, with the installed shells.
#include "ab/sides/side.h"

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static struct text told;

static void keep_told(void *context, const char *text)
{
    (void)context;
    text_format(&told, "%s\n", text);
}

static const struct side_options options = {.timeout_s = 30, .tell = {.line = keep_told}};

static int reset(void **state)
{
    (void)state;
    text_clear(&told);
    return setenv("SHELL", "/bin/bash", 1) == 0 && setenv("OURS", "ours", 1) == 0 &&
                   chdir("/tmp") == 0
               ? 0
               : -1;
}

// Output of a child started in the side's surroundings.
static char *child_says(struct side *side, const char *script)
{
    const char *argv[] = {"/bin/bash", "-c", script, NULL};
    struct text output = {0};
    int status;
    assert_ok(capture_run(&(struct capture_options){.argv = argv,
                                                    .surroundings = &side->surroundings,
                                                    .timeout_s = 10},
                          &output, &status));
    return text_take(&output);
}

#define assert_says(spec, script, expected)                    \
    do {                                                       \
        AUTO(side) struct side side_ = {0};                    \
        assert_ok(side_open("A", spec, &options, &side_));     \
        AUTO(memory) char *said_ = child_says(&side_, script); \
        assert_string_equal(said_, expected);                  \
    } while (0)

static struct bilanx_error try(const char *spec)
{
    AUTO(side) struct side side = {0};
    return side_open("B", spec, &options, &side);
}

static void variables_and_directory_are_as_the_command_left_them(void **state)
{
    (void)state;
    assert_says("export X='a  b' Y=$((1 + 1)); cd /usr", "echo \"$X:$Y:$OURS:$PWD:$(pwd)\"",
                "a  b:2:ours:/usr:/usr\n");
    assert_null(getenv("X"));
    assert_says("unset OURS; NOT_EXPORTED=1", "echo \"${OURS-none}:${NOT_EXPORTED-none}\"",
                "none:none\n");
}

static void a_variable_may_contain_any_bytes(void **state)
{
    (void)state;
    assert_says("export X=$'two\nlines = \"quoted\\' \\xff'", "printf %s \"$X\" | od -An -c -w99",
                "   t   w   o  \\n   l   i   n   e   s       =       \"   q   u   o   t   e   d"
                "   '     377\n");
}

static void exported_bash_functions_are_kept(void **state)
{
    (void)state;
    assert_says("f() { echo \"f of $1\"; }; export -f f", "f side", "f of side\n");
}

static void a_command_may_end_in_any_way(void **state)
{
    (void)state;
    const char *const texts[] = {
        "export X=1",
        "export X=1 # a remark",
        "export X=1 \\",
        "export X=1;",
        "export X=1\n\n",
        "export X=1; exit 0",
        "export X=1; exit",
        "trap 'echo bye' EXIT; export X=1",
        "trap 'echo bye' EXIT; export X=1; true",
        "set -eu -o noclobber; export X=1",
        "export X=1; cat <<END\nnever ends",
        "exec 3>&1 8>&1 9>&1; export X=1",
        "  export X=1  ",
        "export X=1; PATH=/nowhere",
        "export X=1; [ $# -eq 0 ]",
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        assert_says(texts[i], "PATH=/bin:/usr/bin; echo $X", "1\n");
}

static void capturing_the_environment_leaves_no_trace(void **state)
{
    (void)state;
    setenv("SHLVL", "7", 1);
    AUTO(side) struct side side = {0};
    assert_ok(side_open("A", "true", &options, &side));
    AUTO(memory) char *variables = child_says(&side, "tr '\\0' '\\n' </proc/$$/environ");
    assert_null(strstr(variables, "/dd"));
    assert_non_null(strstr(variables, "SHLVL=7"));
    AUTO(memory) char *before = child_says(&(struct side){0}, "echo /proc/self/fd/*");
    assert_says("export SEEN=$(echo /proc/self/fd/*)", "echo $SEEN", before);
    assert_says("true", "echo /proc/self/fd/*", before);
}

static void output_is_reported_and_kept_out_of_the_environment(void **state)
{
    (void)state;
    assert_says("echo NOISE=1; echo more >&2; export X=1", "echo \"$NOISE:$X\"", ":1\n");
    assert_string_equal(text_get(&told), "side A printed: NOISE=1 | more\n");
}

static void a_failing_command_is_reported_with_its_output(void **state)
{
    (void)state;
    assert_error(try("echo first; source /nowhere/activate"), BILANX_E_EXITED,
                 "side B ('echo first; source /nowhere/activate'): exited with status 1: first | ");
    assert_error(try("source /nowhere/activate"), BILANX_E_EXITED, "No such file or directory");
    assert_error(try("exit 3"), BILANX_E_EXITED, "exited with status 3");
    assert_error(try("export X=1; (exit 9)"), BILANX_E_EXITED, "exited with status 9");
    assert_error(try("set -e; false; true"), BILANX_E_EXITED, "exited with status 1");
    assert_error(try("export X='never closed"), BILANX_E_EXITED, "matching");
    assert_error(try("kill -9 $$"), BILANX_E_EXITED, "exited with status 137");
    assert_error(try("exec true"), BILANX_E_EXITED, "exited before the environment could be read");
    assert_error(try("printf '\\033[31mred\\n'; false"), BILANX_E_EXITED, "\\x1b[31mred");
}

static void only_the_end_of_long_output_is_shown(void **state)
{
    (void)state;
    struct bilanx_error error = try("seq 100000; echo the end; false");
    assert_int_equal(error.status, BILANX_E_EXITED);
    assert_string_equal(error.text + strlen(error.text) - strlen("100000 | the end"),
                        "100000 | the end");
    error = try("head -c 100000 /dev/zero | tr '\\0' x; echo; false");
    assert_non_null(strstr(error.text, "status 1: xxxx"));
}

static void a_command_that_reads_stdin_gets_nothing(void **state)
{
    (void)state;
    assert_says("read answer; export X=\"got:$answer\"", "echo $X", "got:\n");
    assert_error(try("read answer"), BILANX_E_EXITED, "exited with status 1");
}

static void a_command_that_opens_the_terminal_finds_none(void **state)
{
    (void)state;
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child == 0) {
        struct bilanx_error error = try("read answer </dev/tty");
        _exit(error.status != BILANX_E_EXITED || !strstr(error.text, "/dev/tty"));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(terminal);
}

static void a_command_that_hangs_is_killed(void **state)
{
    (void)state;
    AUTO(side) struct side side = {0};
    const struct side_options short_of_time = {.timeout_s = .2};
    assert_error(side_open("B", "echo hm; sleep 1000 & sleep 1000; true", &short_of_time, &side),
                 BILANX_E_TIMED_OUT, "not done in 0.2 s, so it was killed: hm");
    assert_error(side_open("B", "yes", &short_of_time, &side), BILANX_E_TIMED_OUT, "y | y");
}

static void background_processes_keep_running(void **state)
{
    (void)state;
    AUTO(side) struct side side = {0};
    assert_ok(side_open("A", "sleep 1000 & export AGENT=$!", &options, &side));
    // Not SIGTERM: until it becomes `sleep`, it is a bash, which might run our EXIT trap.
    AUTO(memory) char *said = child_says(&side, "kill -9 $AGENT && echo was there");
    assert_string_equal(said, "was there\n");
}

static void umask_and_limits_are_kept(void **state)
{
    (void)state;
    AUTO(memory) char *before = child_says(&(struct side){0}, "umask; ulimit -s; ulimit -n");
    assert_says("umask 027; ulimit -s 3000; ulimit -n 999", "umask; ulimit -s; ulimit -n",
                "0027\n3000\n999\n");
    AUTO(memory) char *after = child_says(&(struct side){0}, "umask; ulimit -s; ulimit -n");
    assert_string_equal(before, after);
}

static void an_empty_command_leaves_the_environment_unchanged(void **state)
{
    (void)state;
    setenv("SHELL", "/nowhere/sh", 1);
    assert_says("", "echo $OURS:$(pwd)", "ours:/tmp\n");
    assert_says(" \n", "echo $OURS:$(pwd)", "ours:/tmp\n");
}

static void a_missing_shell_is_named_and_an_unset_one_is_bash(void **state)
{
    (void)state;
    setenv("SHELL", "/nowhere/sh", 1);
    assert_error(try("true"), BILANX_E_SYSTEM, "cannot run '/nowhere/sh'");
    setenv("SHELL", "", 1);
    assert_says("export X=$BASH_VERSION", "test \"$X\" && echo bash", "bash\n");
    unsetenv("SHELL");
    assert_says("export X=$BASH_VERSION", "test \"$X\" && echo bash", "bash\n");
}

static void every_common_shell_works(void **state)
{
    (void)state;
    setenv("SHLVL", "7", 1);
    static const struct {
        const char *shell, *set, *fail;
    } shells[] = {
        {"dash", "cd /usr && export X='a b' # so", "cd /usr; (exit 9)"},
        {"zsh", "cd /usr && export X='a b' # so", "cd /usr; (exit 9)"},
        {"mksh", "cd /usr && export X='a b' # so", "cd /usr; (exit 9)"},
        {"ksh93", "cd /usr && export X='a b' # so", "cd /usr; (exit 9)"},
        {"fish", "cd /usr; and set -x X 'a b' # so", "sh -c 'exit 9'"},
        {"tcsh", "cd /usr && setenv X 'a b' # so", "sh -c 'exit 9'"},
    };
    for (size_t i = 0; i < LENGTH(shells); i++) {
        AUTO(memory) char *path = file_find_program(shells[i].shell);
        if (!path)
            continue;
        setenv("SHELL", path, 1);
        assert_says(shells[i].set, "echo $X:$(pwd)", "a b:/usr\n");
        assert_says(shells[i].set, "grep -az '/dd$\\|^SHLVL=' /proc/$$/environ | tr '\\0' ' '",
                    "SHLVL=7 ");
        assert_error(try(shells[i].fail), BILANX_E_EXITED, "exited");
    }
}

static void cc_takes_a_compiler_and_its_flags(void **state)
{
    (void)state;
    AUTO(side) struct side side = {0};
    assert_ok(side_open("A", "cc: sh -O2  \"-DX=a b\" -g ", &options, &side));
    assert_string_equal(side.cc, "sh");
    assert_string_equal(side.cflags, "-O2 '-DX=a b' -g");
    assert_string_equal(side.title, "sh -O2  \"-DX=a b\" -g");
    assert_ptr_equal(side.kind, &side_compiler);
    assert_true(side.kind->can_share);
    assert_error(try("cc:gcc-99 -O2"), BILANX_E_USAGE,
                 "side B ('cc:gcc-99 -O2'): cannot find the compiler 'gcc-99' on the PATH");
    assert_error(try("cc:/nowhere/cc"), BILANX_E_USAGE, "cannot find the compiler '/nowhere/cc'");
    assert_error(try("cc:sh 'open"), BILANX_E_USAGE, "unclosed");
    assert_error(try("cc: "), BILANX_E_USAGE, "nothing follows the prefix: cc:COMPILER FLAGS");
    // Text that would be dangerous in a shell is a word like any other.
    side_done(&side);
    assert_ok(side_open("A", "cc:sh -DX=$(exit) ;", &options, &side));
    assert_string_equal(side.cflags, "'-DX=$(exit)' ';'");
}

static void bin_cmd_and_file_take_programs_commands_and_records(void **state)
{
    (void)state;
    char folder[] = "/tmp/bilanx-side-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    AUTO(file) FILE *file = fopen("a file", "w");
    assert_non_null(file);
    AUTO(memory) char *path = mem_format("%s/a file", folder);
    AUTO(side) struct side records = {0};
    assert_ok(side_open("A", "file:a file", &options, &records));
    assert_string_equal(records.path, path);
    assert_string_equal(records.title, "a file");
    assert_error(try("bin:a file"), BILANX_E_USAGE, "'a file' cannot be executed");
    chmod("a file", 0755);
    AUTO(side) struct side program = {0};
    assert_ok(side_open("A", "bin:a file", &options, &program));
    assert_string_equal(program.path, path);
    assert_ptr_equal(program.kind, &side_program);
    AUTO(side) struct side command = {0};
    assert_ok(side_open("A", "cmd: ls  -l | wc ", &options, &command));
    assert_string_equal(command.command, "ls  -l | wc");
    assert_error(try("bin:/nowhere"), BILANX_E_USAGE, "cannot open '/nowhere': No such file");
    assert_error(try("file:/tmp"), BILANX_E_USAGE, "'/tmp' is a directory");
    assert_error(try("cmd:"), BILANX_E_USAGE, "nothing follows the prefix: cmd:COMMAND");
    unlink("a file");
    rmdir(folder);
}

static void a_mistyped_prefix_is_not_run_as_a_command(void **state)
{
    (void)state;
    assert_error(try("gti:HEAD"), BILANX_E_USAGE, "did you mean 'git:'?");
    assert_error(try("GIT:HEAD"), BILANX_E_USAGE, "did you mean 'git:'?");
    assert_error(try("c:gcc"), BILANX_E_USAGE, "did you mean 'cc:'?");
    assert_error(try("files:x"), BILANX_E_USAGE, "did you mean 'file:'?");
    assert_error(try("somewhere:x"), BILANX_E_USAGE, "use git:, cc:, bin:, cmd: or file:");
    assert_error(try(" gti:HEAD"), BILANX_E_EXITED, "exited with status 127");
    assert_ok(try(": nothing to do"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(variables_and_directory_are_as_the_command_left_them),
        TEST(a_variable_may_contain_any_bytes),
        TEST(exported_bash_functions_are_kept),
        TEST(a_command_may_end_in_any_way),
        TEST(capturing_the_environment_leaves_no_trace),
        TEST(output_is_reported_and_kept_out_of_the_environment),
        TEST(a_failing_command_is_reported_with_its_output),
        TEST(only_the_end_of_long_output_is_shown),
        TEST(a_command_that_reads_stdin_gets_nothing),
        TEST(a_command_that_opens_the_terminal_finds_none),
        TEST(a_command_that_hangs_is_killed),
        TEST(background_processes_keep_running),
        TEST(umask_and_limits_are_kept),
        TEST(an_empty_command_leaves_the_environment_unchanged),
        TEST(a_missing_shell_is_named_and_an_unset_one_is_bash),
        TEST(every_common_shell_works),
        TEST(cc_takes_a_compiler_and_its_flags),
        TEST(bin_cmd_and_file_take_programs_commands_and_records),
        TEST(a_mistyped_prefix_is_not_run_as_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
