#include "sources/suite_cases/versions.h"

#include "own_folder.h"

static struct statement_options options;

// A folder that comes first on the PATH, whose programs note how often they are asked.
static int enter(void **state)
{
    static char path[4096];
    if (own_folder_enter(state) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *with_folder = mem_format("%s:%s", own_folder, path);
    options = (struct statement_options){0};
    unsetenv("BILANX_PYTHON");
    setenv("HERE", own_folder, 1);
    return setenv("PATH", with_folder, 1);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, own_folder_leave)

// Whether a case for these versions is allowed, with a program that answers so.
static bool allows(const char *answer, const char *since, const char *until)
{
    AUTO(versions) struct versions versions = {0};
    struct bilanx_suite_case item = {
        .subject = (char *)"program:tool", .since = (char *)since, .until = (char *)until};
    AUTO(memory) char *script = mem_format("#!/bin/sh\necho '%s'\n", answer);
    bool allowed = !*answer;
    program_make("tool", script);
    assert_ok(versions_allow(&versions, &item, &options, &allowed));
    return allowed;
}

static void since_is_inclusive_and_until_is_exclusive(void **state)
{
    (void)state;
    assert_true(allows("1.4", "1.4", NULL));
    assert_true(allows("1.10", "1.4", NULL));
    assert_false(allows("1.3.9", "1.4", NULL));
    assert_true(allows("1.3.9", NULL, "1.4"));
    assert_false(allows("1.4", NULL, "1.4"));
    assert_false(allows("1.10", NULL, "1.4"));
    assert_true(allows("1.3", "1.2", "1.4"));
    assert_false(allows("1.4", "1.2", "1.4"));
    assert_false(allows("1.1", "1.2", "1.4"));
}

static void the_first_number_of_an_answer_counts(void **state)
{
    (void)state;
    assert_true(allows("tool (Debian 12.2.0-14) 9.0", "12.2", "12.2.1"));
    assert_true(allows("tool 3", "3", "3.1"));
    assert_true(allows("v2.1.", "2.1", "2.1.1"));
    assert_true(allows("2.0.1+cpu", "2.0.1", "2.0.2"));
}

static void a_case_for_all_versions_needs_none(void **state)
{
    (void)state;
    AUTO(versions) struct versions versions = {0};
    struct bilanx_suite_case item = {.subject = (char *)"program:no-such-program"};
    bool allowed = false;
    assert_ok(versions_allow(&versions, &item, &options, &allowed));
    assert_true(allowed);
}

static void a_version_that_is_unknown_is_an_error(void **state)
{
    (void)state;
    static const char *const scripts[] = {NULL, "#!/bin/sh\necho none\n",
                                          "#!/bin/sh\necho 1.2\nexit 1\n"};
    for (size_t i = 0; i < LENGTH(scripts); i++) {
        AUTO(versions) struct versions versions = {0};
        struct bilanx_suite_case item = {.subject = (char *)"program:tool-x",
                                         .since = (char *)"1",
                                         .name = (char *)"add",
                                         .file = (char *)"s.yaml",
                                         .line = 7};
        bool allowed;
        if (scripts[i])
            program_make("tool-x", scripts[i]);
        assert_error(versions_allow(&versions, &item, &options, &allowed), BILANX_E_FAILED,
                     "s.yaml:7: the version of 'program:tool-x' is unknown, but 'add' is for some "
                     "versions only");
    }
}

static void each_kind_of_subject_is_asked_in_its_way(void **state)
{
    (void)state;
    static const struct {
        const char *subject, *asked;
    } kinds[] = {
        {"program:tool", "tool --version\n"},
        {"pkg:zlib", "pkg-config --modversion zlib\n"},
        {"python:numpy", "python3 numpy\n"},
        {NULL, "python3 torch\n"},
    };
    static const char program[] = "#!/bin/sh\necho \"${0##*/} $*\" >>\"$HERE/asked\"\necho 5.1\n";
    program_make("tool", program);
    program_make("pkg-config", program);
    program_make("python3", "#!/bin/sh\n[ \"$1\" = -c ] || exit 1\n"
                            "echo \"${0##*/} $3\" >>\"$HERE/asked\"\n"
                            "echo 'warning 9.9'; echo; echo bilanx-version 5.1\n");
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        AUTO(versions) struct versions versions = {0};
        struct bilanx_suite_case item = {
            .subject = (char *)kinds[i].subject, .since = (char *)"5.1", .until = (char *)"5.2"};
        bool allowed = false;
        assert_ok(versions_allow(&versions, &item, &options, &allowed));
        assert_true(allowed);
        assert_file("asked", kinds[i].asked);
        assert_int_equal(unlink("asked"), 0);
    }
}

static void the_interpreter_of_the_options_is_asked(void **state)
{
    (void)state;
    AUTO(versions) struct versions versions = {0};
    AUTO(memory) char *python = mem_format("%s/mine", own_folder);
    struct bilanx_suite_case item = {.subject = (char *)"python:numpy", .since = (char *)"2"};
    bool allowed = true;
    program_make("mine", "#!/bin/sh\necho; echo bilanx-version 1.9\n");
    options.python = python;
    assert_ok(versions_allow(&versions, &item, &options, &allowed));
    assert_false(allowed);
}

static void a_module_that_does_not_answer_has_no_version(void **state)
{
    (void)state;
    AUTO(versions) struct versions versions = {0};
    struct bilanx_suite_case item = {.subject = (char *)"python:numpy",
                                     .since = (char *)"2",
                                     .file = (char *)"f",
                                     .name = (char *)"n"};
    bool allowed;
    program_make("python3", "#!/bin/sh\necho 'numpy 3.0'\n");
    assert_error(versions_allow(&versions, &item, &options, &allowed), BILANX_E_FAILED, "unknown");
}

static void each_subject_is_asked_once(void **state)
{
    (void)state;
    AUTO(versions) struct versions versions = {0};
    program_make("one", "#!/bin/sh\necho one >>\"$HERE/asked\"\necho 1.0\n");
    program_make("two", "#!/bin/sh\necho two >>\"$HERE/asked\"\necho 2.0\n");
    for (int i = 0; i < 6; i++) {
        bool allowed, second = i % 2;
        struct bilanx_suite_case item = {
            .subject = (char *)(second ? "program:two" : "program:one"), .since = (char *)"1.5"};
        assert_ok(versions_allow(&versions, &item, &options, &allowed));
        assert_int_equal(allowed, second);
    }
    assert_file("asked", "one\ntwo\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(since_is_inclusive_and_until_is_exclusive),
        TEST(the_first_number_of_an_answer_counts),
        TEST(a_case_for_all_versions_needs_none),
        TEST(a_version_that_is_unknown_is_an_error),
        TEST(each_kind_of_subject_is_asked_in_its_way),
        TEST(the_interpreter_of_the_options_is_asked),
        TEST(a_module_that_does_not_answer_has_no_version),
        TEST(each_subject_is_asked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
