#include "sources/statements/compile_commands.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-commands-XXXXXX";

static void write_file(const char *path, const char *text)
{
    AUTO(file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
}

static int enter_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("src", 0700) != 0)
        return -1;
    write_file("src/a.c", "");
    write_file("src/b c.c", "");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void add_words(struct text *out, const struct list *words)
{
    for (size_t i = 0; i < words->count; i++)
        text_format(out, "[%s]", words->items[i]);
}

// The flags for a source from a database with this one entry: "directory: [flag][flag]".
static void assert_flags(const char *entry, const char *source, const char *expected)
{
    AUTO(memory) char *database = mem_format("[%s]", entry);
    AUTO(compile_flags) struct compile_flags read = {0};
    AUTO(text) struct text joined = {0};
    write_file("commands.json", database);
    assert_ok(compile_commands_read("commands.json", source, NULL, false, &read));
    text_format(&joined, "%s: ", read.directory);
    add_words(&joined, &read.flags);
    assert_string_equal(text_get(&joined), expected);
    assert_int_equal(read.left_out.count, 0);
}

// Which flags of a command are kept, and which are left out unless the database is trusted.
static void assert_sorted(const char *flags, const char *kept, const char *left_out)
{
    AUTO(memory) char *database = mem_format(
        "[{\"directory\": \"src\", \"file\": \"a.c\", \"command\": \"cc %s a.c\"}]", flags);
    AUTO(compile_flags) struct compile_flags careful = {0}, trusting = {0};
    AUTO(text) struct text first = {0}, second = {0};
    write_file("commands.json", database);
    assert_ok(compile_commands_read("commands.json", "src/a.c", NULL, false, &careful));
    assert_ok(compile_commands_read("commands.json", "src/a.c", NULL, true, &trusting));
    add_words(&first, &careful.flags);
    add_words(&second, &careful.left_out);
    assert_string_equal(text_get(&first), kept);
    assert_string_equal(text_get(&second), left_out);
    assert_int_equal(trusting.left_out.count, 0);
    assert_int_equal(trusting.flags.count, careful.flags.count + careful.left_out.count);
}

static void assert_refused(const char *database, const char *part)
{
    AUTO(compile_flags) struct compile_flags flags = {0};
    write_file("commands.json", database);
    assert_error(compile_commands_read("commands.json", "src/a.c", NULL, false, &flags),
                 BILANX_E_INPUT, part);
    assert_null(flags.directory);
}

static void a_command_is_split_as_a_shell_would(void **state)
{
    (void)state;
    assert_flags("{\"directory\": \"src\", \"file\": \"a.c\","
                 " \"command\": \"cc -O3 -DX='a b' -I\\\"my dir\\\" a.c\"}",
                 "src/a.c", "src: [-O3][-DX=a b][-Imy dir]");
}

static void arguments_are_used_as_is(void **state)
{
    (void)state;
    assert_flags("{\"directory\": \"src\", \"file\": \"b c.c\","
                 " \"arguments\": [\"cc\", \"-DX='a b'\", \"b c.c\", \"-I\", \"x\"]}",
                 "src/b c.c", "src: [-DX='a b'][-I][x]");
}

static void options_that_name_files_are_left_out(void **state)
{
    (void)state;
    assert_flags("{\"directory\": \"src\", \"file\": \"a.c\", \"command\":"
                 " \"cc -MD -MQ a.o -MF a.d -MT x -c -o a.o -O1 -ofoo.o -MMD -MP ./a.c -g\"}",
                 "src/a.c", "src: [-O1][-g]");
}

// Our code may not satisfy a project's warning flags, and a warning is no reason not to measure.
static void warnings_are_not_errors(void **state)
{
    (void)state;
    assert_flags("{\"directory\": \"src\", \"file\": \"a.c\", \"command\":"
                 " \"cc -Wall -Werror -Werror=shadow -pedantic-errors -fopenmp a.c\"}",
                 "src/a.c", "src: [-Wall][-fopenmp]");
}

static void a_file_is_recognised_by_any_path(void **state)
{
    (void)state;
    AUTO(memory) char *absolute = mem_format("%s/src/a.c", folder);
    AUTO(memory) char *entry = mem_format("{\"directory\": \"%s/src\", \"file\": \"../src/./a.c\","
                                          " \"command\": \"cc -O3 %s\"}",
                                          folder, absolute);
    AUTO(memory) char *expected = mem_format("%s/src: [-O3]", folder);
    assert_flags(entry, "src/a.c", expected);
    assert_flags(entry, "./src/../src/a.c", expected);
    assert_flags(entry, absolute, expected);
}

static void the_first_entry_for_the_file_is_used(void **state)
{
    (void)state;
    assert_flags("{\"directory\": \"src\", \"file\": \"b c.c\", \"command\": \"cc -O1\"},"
                 "{\"file\": \"a.c\"}, {}, 3, null, \"x\", {\"directory\": 1, \"file\": 2},"
                 "{\"directory\": \"src\", \"file\": \"a.c\", \"command\": \"cc -O3\"},"
                 "{\"directory\": \"src\", \"file\": \"a.c\", \"command\": \"cc -O2\"}",
                 "src/a.c", "src: [-O3]");
}

static void mistakes_in_the_database_are_reported(void **state)
{
    (void)state;
    assert_refused("[]", "no entry for 'src/a.c'");
    assert_refused("{}", "must be an array, not");
    assert_refused("[", "commands.json:1");
    assert_refused("", "commands.json");
    assert_refused("[{\"directory\": \"src\", \"file\": \"a.c\"}]", "neither 'command' nor");
    assert_refused("[{\"directory\": \"src\", \"file\": \"a.c\", \"arguments\": 3}]",
                   "neither 'command' nor");
    AUTO(compile_flags) struct compile_flags flags = {0};
    assert_error(compile_commands_read("missing.json", "src/a.c", NULL, false, &flags),
                 BILANX_E_SYSTEM, "missing.json");
    write_file("commands.json",
               "[{\"directory\": \"src\", \"file\": \"a.c\", \"command\": \"cc 'a\"}]");
    assert_error(compile_commands_read("commands.json", "src/a.c", NULL, false, &flags),
                 BILANX_E_USAGE, "unclosed");
}

static void flags_that_run_programs_or_write_files_are_left_out(void **state)
{
    (void)state;
    assert_sorted("-O3 -wrapper ./evil,--x -march=native", "[-O3][-march=native]",
                  "[-wrapper][./evil,--x]");
    assert_sorted("-fplugin=./x.so -fvisibility=hidden -fno-plt", "[-fvisibility=hidden][-fno-plt]",
                  "[-fplugin=./x.so]");
    assert_sorted("-fdump-tree-all=/tmp/x -fopt-info-vec=y -fprofile-dir=z -g", "[-g]",
                  "[-fdump-tree-all=/tmp/x][-fopt-info-vec=y][-fprofile-dir=z]");
    assert_sorted("-Wl,-plugin,x -Wa,-adhln=y -Wp,-MD,z -Wall", "[-Wall]",
                  "[-Wl,-plugin,x][-Wa,-adhln=y][-Wp,-MD,z]");
    assert_sorted("-B. -specs=x @more -Xclang -load -I inc -isystem /opt/x -DA=b",
                  "[-I][inc][-isystem][/opt/x][-DA=b]", "[-B.][-specs=x][@more][-Xclang][-load]");
    assert_sorted("-fmodule-mapper=|evil -fuse-ld=./evil -mllvm -stats -flto=auto", "[-flto=auto]",
                  "[-fmodule-mapper=|evil][-fuse-ld=./evil][-mllvm][-stats]");
}

static void paths_are_relative_to_the_surroundings(void **state)
{
    (void)state;
    AUTO(surroundings) struct surroundings side = {0};
    AUTO(list) struct list none = {0};
    AUTO(compile_flags) struct compile_flags read = {0};
    write_file("commands.json",
               "[{\"directory\": \"src\", \"file\": \"a.c\", \"command\": \"cc -O1 a.c\"}]");
    assert_ok(surroundings_init(&side, &none, "."));
    assert_int_equal(chdir("/"), 0);
    struct bilanx_error error =
        compile_commands_read("commands.json", "src/a.c", &side, false, &read);
    assert_int_equal(chdir(folder), 0);
    assert_ok(error);
    assert_string_equal(read.directory, "src");
    assert_int_equal(read.flags.count, 1);
    assert_string_equal(read.flags.items[0], "-O1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_split_as_a_shell_would),
        cmocka_unit_test(arguments_are_used_as_is),
        cmocka_unit_test(options_that_name_files_are_left_out),
        cmocka_unit_test(warnings_are_not_errors),
        cmocka_unit_test(a_file_is_recognised_by_any_path),
        cmocka_unit_test(the_first_entry_for_the_file_is_used),
        cmocka_unit_test(mistakes_in_the_database_are_reported),
        cmocka_unit_test(flags_that_run_programs_or_write_files_are_left_out),
        cmocka_unit_test(paths_are_relative_to_the_surroundings),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
