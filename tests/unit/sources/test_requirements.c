#include "sources/suite_cases/requirements.h"

#include "own_folder.h"

static struct statement_options options;

// Stand-ins for the tools that are asked; each notes the question in `asked`.
static const char PYTHON[] = "#!/bin/sh\necho \"python $3\" >>\"$HERE/asked\"\n"
                             "[ \"$1\" = -c ] && [ \"$3\" = there ]\n";
static const char PKG_CONFIG[] = "#!/bin/sh\necho \"pkg $2\" >>\"$HERE/asked\"\n"
                                 "[ \"$1\" = --exists ] && [ \"$2\" = there ]\n";
static const char CC[] = "#!/bin/sh\necho cc >>\"$HERE/asked\"\n"
                         "[ \"$1 $2\" = '-o /dev/null' ] || exit 1\n"
                         "grep -q 'int main' \"$3\" || exit 1\n"
                         "[ \"$4\" = -lthere ] && ! grep -q include \"$3\" && exit 0\n"
                         "[ $# = 3 ] && grep -qx '#include <there.h>' \"$3\"\n";

static int enter(void **state)
{
    static char path[4096];
    if (own_folder_enter(state) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *with_folder = mem_format("%s:%s", own_folder, path);
    options = (struct statement_options){.cc = "fake-cc"};
    program_make("python3", PYTHON);
    program_make("pkg-config", PKG_CONFIG);
    program_make("fake-cc", CC);
    program_make("there", "#!/bin/sh\n");
    file_make("asked", "");
    unsetenv("BILANX_PYTHON");
    setenv("HERE", own_folder, 1);
    return setenv("PATH", with_folder, 1);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, own_folder_leave)

// The reason that a case with one requirement is refused; "": it is not.
static char *reason_for(const char *word)
{
    AUTO(requirements) struct requirements known = {0};
    AUTO(text) struct text reason = {0};
    char *words[] = {(char *)word, NULL};
    struct bilanx_suite_case item = {.required = words, .task = {.language = (char *)"python"}};
    bool refused = requirements_refuse(&known, &item, &options, &reason);
    assert_int_equal(refused, reason.size > 0);
    return mem_text(text_get(&reason));
}

static void every_kind_of_requirement_is_looked_for(void **state)
{
    (void)state;
    static const struct {
        const char *word, *reason;
    } words[] = {
        {"program:there", ""},
        {"program:there --option", ""},
        {"program:no-such-program", "missing program 'no-such-program'"},
        {"program:'open", "missing program ''open'"},
        {"python:there", ""},
        {"python:absent", "missing Python module 'absent'"},
        {"pkg:there", ""},
        {"pkg:absent", "missing pkg-config package 'absent'"},
        {"header:there.h", ""},
        {"header:absent.h", "missing header 'absent.h'"},
        {"library:there", ""},
        {"library:absent", "missing library 'absent'"},
        {"torch", "PyTorch is not installed for python"},
    };
    for (size_t i = 0; i < LENGTH(words); i++) {
        AUTO(memory) char *reason = reason_for(words[i].word);
        assert_string_equal(reason, words[i].reason);
    }
}

static void the_interpreter_and_the_compiler_of_the_options_are_asked(void **state)
{
    (void)state;
    AUTO(memory) char *python = mem_format("%s/mine", own_folder);
    program_make("mine", "#!/bin/sh\n[ \"$3\" = absent ] || [ \"$3\" = torch ]\n");
    program_make("fake-cc", "#!/bin/sh\nexit 1\n");
    options.python = python;
    options.cc = "./mine-cc";
    program_make("mine-cc", "#!/bin/sh\n");
    static const char *const met[] = {"python:absent", "torch", "header:absent.h",
                                      "library:absent"};
    for (size_t i = 0; i < LENGTH(met); i++) {
        AUTO(memory) char *reason = reason_for(met[i]);
        assert_string_equal(reason, "");
    }
}

static void a_case_that_is_skipped_says_why(void **state)
{
    (void)state;
    AUTO(requirements) struct requirements known = {0};
    AUTO(text) struct text reason = {0};
    char *words[] = {(char *)"program:no-such-program", NULL};
    struct bilanx_suite_case item = {.required = words, .skip = (char *)"too slow"};
    assert_true(requirements_refuse(&known, &item, &options, &reason));
    assert_string_equal(text_get(&reason), "too slow");
    assert_int_equal(known.names.count, 0);
}

static void a_case_needs_as_many_cores_as_threads(void **state)
{
    (void)state;
    AUTO(requirements) struct requirements known = {0};
    AUTO(text) struct text none = {0}, reason = {0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct bilanx_suite_case item = {.task = {.num_threads = (uint64_t)cores}};
    assert_false(requirements_refuse(&known, &item, &options, &none));
    item.task.num_threads++;
    assert_true(requirements_refuse(&known, &item, &options, &reason));
    AUTO(memory) char *expected =
        mem_format("it needs %ld threads, but there are only %ld cores", cores + 1, cores);
    assert_string_equal(text_get(&reason), expected);
}

static void the_first_missing_requirement_is_the_reason(void **state)
{
    (void)state;
    AUTO(requirements) struct requirements known = {0};
    AUTO(text) struct text reason = {0};
    char *words[] = {(char *)"program:there", (char *)"pkg:one", (char *)"pkg:two", NULL};
    struct bilanx_suite_case item = {.required = words, .task = {.language = (char *)"c"}};
    assert_true(requirements_refuse(&known, &item, &options, &reason));
    assert_string_equal(text_get(&reason), "missing pkg-config package 'one'");
    assert_file("asked", "pkg one\n");
}

static void each_requirement_is_looked_for_once(void **state)
{
    (void)state;
    AUTO(requirements) struct requirements known = {0};
    char *words[] = {(char *)"pkg:there", (char *)"pkg:absent", NULL};
    struct bilanx_suite_case item = {.required = words, .task = {.language = (char *)"c"}};
    for (int i = 0; i < 3; i++) {
        AUTO(text) struct text reason = {0};
        assert_true(requirements_refuse(&known, &item, &options, &reason));
        assert_string_equal(text_get(&reason), "missing pkg-config package 'absent'");
    }
    assert_file("asked", "pkg there\npkg absent\n");
    AUTO(text) struct text reason = {0};
    item.task.language = (char *)"python";  // may have another PyTorch, for example
    assert_true(requirements_refuse(&known, &item, &options, &reason));
    assert_file("asked", "pkg there\npkg absent\npkg there\npkg absent\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_requirement_is_looked_for),
        TEST(the_interpreter_and_the_compiler_of_the_options_are_asked),
        TEST(a_case_that_is_skipped_says_why),
        TEST(a_case_needs_as_many_cores_as_threads),
        TEST(the_first_missing_requirement_is_the_reason),
        TEST(each_requirement_is_looked_for_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
