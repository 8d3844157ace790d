#include "sources/suite_cases/preload.h"

#include "own_folder.h"

// A compiler that notes its words and writes a library.
static const char CC[] = "#!/bin/sh\nfor word; do echo \"$word\"; done >>\"$HERE/words\"\n"
                         "while [ \"$1\" != -o ]; do shift; done\necho >\"$2\"\n";

static int enter(void **state)
{
    if (own_folder_enter(state) != 0)
        return -1;
    program_make("fake-cc", CC);
    setenv("HERE", own_folder, 1);
    unsetenv("LD_PRELOAD");
    return setenv("TMPDIR", own_folder, 1);
}

static int leave(void **state)
{
    unsetenv("TMPDIR");
    unsetenv("LD_PRELOAD");
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static size_t count_of(const struct surroundings *surroundings, const char *start)
{
    size_t count = 0;
    for (char *const *each = surroundings_variables(surroundings); *each; each++)
        count += text_starts(*each, start);
    return count;
}

static void without_files_nothing_changes(void **state)
{
    (void)state;
    struct preload preload = {0};
    struct list files = {0};
    struct statement_options options = {.cc = "./fake-cc"};
    assert_ok(preload_build(&preload, &files, &options));
    assert_null(options.surroundings);
    assert_null(preload.folder.path);
    preload_done(&preload);
}

static void each_file_becomes_a_library_that_is_loaded_first(void **state)
{
    (void)state;
    struct preload preload = {0};
    AUTO(list) struct list files = {0};
    struct statement_options options = {
        .cc = "./fake-cc -m64", .cflags = "-DX=1 -g", .ldflags = "-lm"};
    list_add(&files, "a.c");
    list_add(&files, "b.c");
    assert_ok(preload_build(&preload, &files, &options));
    assert_ptr_equal(options.surroundings, &preload.surroundings);
    AUTO(memory) char *first = mem_format("%s/0.so", preload.folder.path);
    AUTO(memory) char *second = mem_format("%s/1.so", preload.folder.path);
    AUTO(memory) char *both = mem_format("%s:%s", first, second);
    assert_string_equal(surroundings_variable(options.surroundings, "LD_PRELOAD"), both);
    assert_int_equal(count_of(options.surroundings, "LD_PRELOAD="), 1);
    assert_string_equal(surroundings_variable(options.surroundings, "HERE"), own_folder);
    assert_true(text_starts(first, own_folder));
    AUTO(memory) char *words =
        mem_format("-m64\n-O2\n-fPIC\n-shared\n-o\n%s\na.c\n-DX=1\n-g\n-lm\n"
                   "-m64\n-O2\n-fPIC\n-shared\n-o\n%s\nb.c\n-DX=1\n-g\n-lm\n",
                   first, second);
    assert_file("words", words);
    preload_done(&preload);
    assert_false(file_exists(first));
}

static void libraries_that_are_loaded_anyway_stay(void **state)
{
    (void)state;
    struct preload preload = {0};
    AUTO(list) struct list files = {0}, variables = {0};
    AUTO(surroundings) struct surroundings given = {0};
    list_add(&variables, "LD_PRELOAD=/lib/mine.so");
    list_add(&variables, "LD_PRELOADED=no");
    list_take(&variables, mem_format("HERE=%s", own_folder));
    list_take(&variables, mem_format("TMPDIR=%s", own_folder));
    list_take(&variables, mem_format("PATH=%s", getenv("PATH")));
    assert_ok(surroundings_init(&given, &variables, NULL));
    struct statement_options options = {.cc = "./fake-cc", .surroundings = &given};
    list_add(&files, "a.c");
    assert_ok(preload_build(&preload, &files, &options));
    AUTO(memory) char *both = mem_format("%s/0.so:/lib/mine.so", preload.folder.path);
    assert_string_equal(surroundings_variable(options.surroundings, "LD_PRELOAD"), both);
    assert_int_equal(count_of(options.surroundings, "LD_PRELOAD="), 1);
    assert_string_equal(surroundings_variable(options.surroundings, "LD_PRELOADED"), "no");
    assert_string_equal(surroundings_variable(&given, "LD_PRELOAD"), "/lib/mine.so");
    preload_done(&preload);
}

static void a_file_that_does_not_compile_is_an_error(void **state)
{
    (void)state;
    struct preload preload = {0}, unquoted = {0};
    AUTO(list) struct list files = {0};
    struct statement_options options = {.cc = "./fake-cc"}, open_quote = {.cc = "'cc"};
    list_add(&files, "bad.c");
    program_make("fake-cc", "#!/bin/sh\n[ \"$6\" = bad.c ] && echo 'bad.c:1: wrong'\nexit 1\n");
    assert_error(preload_build(&preload, &files, &options), BILANX_E_FAILED,
                 "cannot compile 'bad.c': bad.c:1: wrong");
    assert_null(options.surroundings);
    preload_done(&preload);
    assert_true(preload_build(&unquoted, &files, &open_quote).status != BILANX_OK);
    preload_done(&unquoted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_files_nothing_changes),
        TEST(each_file_becomes_a_library_that_is_loaded_first),
        TEST(libraries_that_are_loaded_anyway_stay),
        TEST(a_file_that_does_not_compile_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
