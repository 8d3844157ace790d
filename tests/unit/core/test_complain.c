#include "core/show/complain.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

// Redirects stderr of a test to a file.
struct catch
{
    int stderr_fd, file_fd;
};

static struct catch catch_start(void)
{
    fflush(stderr);
    struct catch catch = {dup(STDERR_FILENO), memfd_create("stderr", 0)};
    assert_true(catch.stderr_fd >= 0 && catch.file_fd >= 0);
    dup2(catch.file_fd, STDERR_FILENO);
    return catch;
}

static void assert_caught(struct catch catch, const char *expected)
{
    fflush(stderr);
    dup2(catch.stderr_fd, STDERR_FILENO);
    AUTO(text) struct text text = {0};
    lseek(catch.file_fd, 0, SEEK_SET);
    assert_ok(file_read_fd(catch.file_fd, "stderr", &text));
    close(catch.stderr_fd);
    close(catch.file_fd);
    assert_string_equal(text_get(&text), expected);
}

static void a_complaint_is_one_line_without_control_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"no such case", "bilanx: no such case\n"},
        {"'\033[31m\r\xff' is wrong", "bilanx: '\\x1b[31m\\x0d\\xff' is wrong\n"},
        {"100%d%n", "bilanx: 100%d%n\n"},
        {"", "bilanx: \n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct catch catch = catch_start();
        complain(cases[i].text);
        assert_caught(catch, cases[i].expected);
    }
}

static void further_lines_cannot_pass_for_complaints(void **state)
{
    (void)state;
    struct catch catch = catch_start();
    complain("it printed\nbilanx: all is well\n\n\033[2J\n");
    assert_caught(catch, "bilanx: it printed\n    bilanx: all is well\n    \n    \\x1b[2J\n");
}

static void a_program_complains_under_its_own_name(void **state)
{
    (void)state;
    struct catch catch = catch_start();
    complain_as("./co\033py", "unexpected argument 'x'");
    assert_caught(catch, "./co\\x1bpy: unexpected argument 'x'\n");
}

static void an_error_determines_the_exit_code(void **state)
{
    (void)state;
    static const struct {
        enum bilanx_status status;
        enum exit_code code;
    } cases[] = {
        {BILANX_E_USAGE, EXIT_USAGE},
        {BILANX_E_INTERRUPTED, EXIT_INTERRUPTED},
        {BILANX_E_SYSTEM, EXIT_FAILED},
        {BILANX_E_INPUT, EXIT_FAILED},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct catch catch = catch_start();
        int code = complain_error(bilanx_error_make(cases[i].status, "cause %zu", i));
        AUTO(memory) char *expected = mem_format("bilanx: cause %zu\n", i);
        assert_caught(catch, expected);
        assert_int_equal(code, cases[i].code);
    }
    struct catch catch = catch_start();
    int code = complain_error(BILANX_SUCCESS);
    assert_caught(catch, "");
    assert_int_equal(code, EXIT_DONE);
}

static void a_long_complaint_is_wrapped_at_words(void **state)
{
    (void)state;
    struct catch catch = catch_start();
    setenv("COLUMNS", "20", 1);
    complain("one two three four\nfive six seven eight");
    unsetenv("COLUMNS");
    assert_caught(catch, "bilanx: one two\n    three four\n    five six seven\n    eight\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_complaint_is_one_line_without_control_characters),
        cmocka_unit_test(a_long_complaint_is_wrapped_at_words),
        cmocka_unit_test(further_lines_cannot_pass_for_complaints),
        cmocka_unit_test(a_program_complains_under_its_own_name),
        cmocka_unit_test(an_error_determines_the_exit_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
