#include "base/surroundings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/temporary.h"
#include "unit.h"

static char *child_says(const struct surroundings *surroundings, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct text output = {0};
    int status;
    assert_ok(capture_run(
        &(struct capture_options){.argv = argv, .surroundings = surroundings, .timeout_s = 20},
        &output, &status));
    return output.size ? text_take(&output) : mem_text("");
}

// The variables PATH and SIDE.
static void surround(struct surroundings *out, const char *path, const char *name,
                     const char *directory)
{
    AUTO(list) struct list variables = {0};
    list_take(&variables, mem_format("PATH=%s", path));
    list_take(&variables, mem_format("SIDE=%s", name));
    assert_ok(surroundings_init(out, &variables, directory));
}

// The umask and limits of a process that sets them.
static void limit(struct surroundings *out, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    AUTO(process) struct process process = {0};
    AUTO(text) struct text line = {0};
    struct process_options options = {.argv = argv, .channel = "TEST_CHANNEL"};
    assert_ok(process_start(&options, &process));
    assert_ok(process_receive(&process, monotonic_ns() + 20000000000u, &line));
    assert_ok(surroundings_take_limits(out, process.pid));
}

struct own {  // state of a process
    char *variables, *directory;
    mode_t umask;
    struct rlimit stack, files;
};

static struct own look_at_own(void)
{
    struct own own = {.directory = getcwd(NULL, 0)};
    struct text variables = {0};
    for (char **variable = environ; *variable; variable++)
        text_format(&variables, "%s\n", *variable);
    own.variables = text_take(&variables);
    own.umask = umask(0);
    umask(own.umask);
    getrlimit(RLIMIT_STACK, &own.stack);
    getrlimit(RLIMIT_NOFILE, &own.files);
    return own;
}

static void a_child_starts_in_its_surroundings_and_ours_stay_the_same(void **state)
{
    (void)state;
    setenv("OURS", "1", 1);
    struct own before = look_at_own();
    AUTO(surroundings) struct surroundings side = {0};
    surround(&side, "/usr/bin:/bin", "A", "/usr");
    limit(&side, "umask 027; ulimit -S -s 3000; ulimit -S -n 999; echo "
                 ">/dev/fd/${TEST_CHANNEL#*,}; sleep 60");
    AUTO(memory) char *inside =
        child_says(&side, "echo $SIDE:$OURS:$(pwd):$(umask):$(ulimit -s):$(ulimit -n)");
    assert_string_equal(inside, "A::/usr:0027:3000:999\n");
    struct own after = look_at_own();
    assert_string_equal(before.variables, after.variables);
    assert_string_equal(before.directory, after.directory);
    assert_int_equal(before.umask, after.umask);
    assert_int_equal(before.stack.rlim_cur, after.stack.rlim_cur);
    assert_int_equal(before.files.rlim_cur, after.files.rlim_cur);
    AUTO(memory) char *outside = child_says(NULL, "echo $SIDE:$OURS");
    assert_string_equal(outside, ":1\n");
    struct own *both[] = {&before, &after};
    for (size_t i = 0; i < 2; i++) {
        free(both[i]->variables);
        free(both[i]->directory);
    }
}

static void two_children_can_have_different_surroundings_at_once(void **state)
{
    (void)state;
    static const char script[] = "exec </dev/fd/${TEST_CHANNEL%,*} >/dev/fd/${TEST_CHANNEL#*,}\n"
                                 "while read line; do echo $SIDE $ADDED $(pwd); done";
    static const char *const directories[] = {"/usr", "/tmp"};
    struct process children[2] = {0};
    struct surroundings sides[2] = {0};
    const char *argv[] = {"sh", "-c", script, NULL};
    for (size_t i = 0; i < 2; i++) {
        surround(&sides[i], "/usr/bin:/bin", i ? "B" : "A", directories[i]);
        struct process_options options = {.argv = argv,
                                          .channel = "TEST_CHANNEL",
                                          .environment = (char *[]){(char[]){"ADDED=added"}, NULL},
                                          .surroundings = &sides[i]};
        assert_ok(process_start(&options, &children[i]));
    }
    for (size_t turn = 0; turn < 4; turn++) {
        AUTO(text) struct text line = {0};
        struct process *child = &children[turn % 2];
        assert_ok(process_send(child, "\n", 1));
        assert_ok(process_receive(child, monotonic_ns() + 20000000000u, &line));
        assert_string_equal(text_get(&line), turn % 2 ? "B added /tmp" : "A added /usr");
    }
    for (size_t i = 0; i < 2; i++) {
        process_done(&children[i]);
        surroundings_done(&sides[i]);
    }
}

// A folder bin with a program `greet` in it.
static void make_program(const char *folder, mode_t mode)
{
    static const char text[] = "#!/bin/sh\necho hello from $SIDE\n";
    AUTO(memory) char *bin = mem_format("%s/bin", folder);
    AUTO(memory) char *program = mem_format("%s/greet", bin);
    assert_int_equal(mkdir(bin, 0700), 0);
    assert_ok(file_write(program, text, sizeof text - 1));
    assert_int_equal(chmod(program, mode), 0);
}

static void assert_greets(const struct surroundings *surroundings, const char *name)
{
    const char *argv[] = {name, NULL};
    AUTO(text) struct text output = {0};
    int status = -1;
    assert_ok(capture_run(
        &(struct capture_options){.argv = argv, .surroundings = surroundings, .timeout_s = 20},
        &output, &status));
    assert_string_equal(text_get(&output), "hello from A\n");
    assert_int_equal(status, 0);
}

static void a_program_is_found_on_the_path_of_the_surroundings(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_program(folder.path, 0700);
    AUTO(memory) char *path = mem_format("/nowhere:%s/bin:/usr/bin", folder.path);
    AUTO(memory) char *expected = mem_format("%s/bin/greet", folder.path);
    AUTO(surroundings) struct surroundings side = {0};
    surround(&side, path, "A", NULL);
    assert_greets(&side, "greet");
    AUTO(memory) char *found = surroundings_find_program(&side, "greet");
    assert_string_equal(found, expected);
    assert_null(surroundings_find_program(NULL, "greet"));
    const char *argv[] = {"greet", NULL};
    AUTO(text) struct text output = {0};
    assert_error(capture_run(&(struct capture_options){.argv = argv}, &output, &(int){0}),
                 BILANX_E_SYSTEM, "cannot run 'greet': No such file or directory");
}

static void a_relative_program_is_found_in_the_directory_of_the_surroundings(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_program(folder.path, 0700);
    AUTO(surroundings) struct surroundings side = {0};
    surround(&side, "bin:/usr/bin", "A", folder.path);
    assert_greets(&side, "./bin/greet");
    assert_greets(&side, "bin/greet");
    assert_greets(&side, "greet");
    AUTO(memory) char *found = surroundings_find_program(&side, "greet");
    assert_string_equal(found, "bin/greet");
    AUTO(memory) char *named = surroundings_find_program(&side, "./bin/greet");
    assert_string_equal(named, "./bin/greet");
    assert_null(surroundings_find_program(&side, "./greet"));
}

static void a_file_that_is_not_executable_differs_from_a_missing_one(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_program(folder.path, 0600);
    AUTO(surroundings) struct surroundings side = {0};
    surround(&side, "bin:/usr/bin", "A", folder.path);
    const char *argv[] = {"greet", NULL};
    AUTO(text) struct text output = {0};
    assert_error(capture_run(&(struct capture_options){.argv = argv, .surroundings = &side},
                             &output, &(int){0}),
                 BILANX_E_SYSTEM, "cannot run 'greet': Permission denied");
}

static void relative_paths_are_resolved_in_the_surroundings(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *real = realpath(folder.path, NULL);
    AUTO(surroundings) struct surroundings side = {0};
    surround(&side, "/usr/bin", "A", folder.path);
    AUTO(memory) char *expected = mem_format("%s/a/b.c", real);
    AUTO(memory) char *relative = surroundings_path(&side, "a/b.c");
    AUTO(memory) char *absolute = surroundings_path(&side, "/a/b.c");
    AUTO(memory) char *ours = surroundings_path(NULL, "a/b.c");
    assert_string_equal(relative, expected);
    assert_string_equal(absolute, "/a/b.c");
    assert_string_equal(ours, "a/b.c");
}

static void variables_of_the_surroundings_hide_ours(void **state)
{
    (void)state;
    setenv("OURS", "1", 1);
    AUTO(surroundings) struct surroundings side = {0}, empty = {0};
    surround(&side, "/usr/bin", "A", NULL);
    assert_string_equal(surroundings_variable(&side, "SIDE"), "A");
    assert_null(surroundings_variable(&side, "OURS"));
    assert_null(surroundings_variable(&side, "SID"));
    assert_string_equal(surroundings_variable(&empty, "OURS"), "1");
    assert_string_equal(surroundings_variable(NULL, "OURS"), "1");
}

static void a_missing_directory_is_an_error(void **state)
{
    (void)state;
    AUTO(list) struct list none = {0};
    struct surroundings side = {0};
    assert_error(surroundings_init(&side, &none, "/nowhere/at/all"), BILANX_E_SYSTEM,
                 "/nowhere/at/all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_starts_in_its_surroundings_and_ours_stay_the_same),
        cmocka_unit_test(two_children_can_have_different_surroundings_at_once),
        cmocka_unit_test(a_program_is_found_on_the_path_of_the_surroundings),
        cmocka_unit_test(a_relative_program_is_found_in_the_directory_of_the_surroundings),
        cmocka_unit_test(a_file_that_is_not_executable_differs_from_a_missing_one),
        cmocka_unit_test(relative_paths_are_resolved_in_the_surroundings),
        cmocka_unit_test(variables_of_the_surroundings_hide_ours),
        cmocka_unit_test(a_missing_directory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
