#include "base/preloadable.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "unit.h"

static char path[] = "/tmp/bilanx-preloadable-XXXXXX";

static bool with_content(const void *bytes, size_t size)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    AUTO(fd) int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    bool can = preloadable(path);
    unlink(path);
    return can;
}

static bool with_text(const char *text)
{
    return with_content(text, strlen(text));
}

static void this_program_and_the_shell_are_preloadable(void **state)
{
    (void)state;
    assert_true(preloadable("/bin/sh"));
    assert_true(preloadable("/proc/self/exe"));
}

static void a_script_is_if_its_interpreter_is(void **state)
{
    (void)state;
    assert_true(with_text("#!/bin/sh\nexit\n"));
    assert_true(with_text("#! /bin/sh -e\nexit\n"));
    assert_false(with_text("#!/dev/null\n"));
    assert_false(with_text("#!/nowhere/sh\n"));
}

static void other_files_are_not(void **state)
{
    (void)state;
    assert_false(preloadable("/nowhere/program"));
    assert_false(with_text(""));
    assert_false(with_text("echo\n"));
    assert_false(with_text("\177ELF"));
}

// Replaces the first occurrence of a text by another of the same length.
static void replace(struct text *content, const char *from, const char *to)
{
    char *at = memmem(content->data, content->size, from, strlen(from));
    assert_non_null(at);
    memcpy(at, to, strlen(to));
}

static void a_program_with_another_loader_is_not(void **state)
{
    (void)state;
    AUTO(text) struct text content = {0};
    assert_ok(file_read("/bin/true", &content));
    assert_true(with_content(content.data, content.size));
    replace(&content, "/ld-linux", "/xd-linux");
    assert_false(with_content(content.data, content.size));
}

static void a_program_with_a_sanitizer_is_not(void **state)
{
    (void)state;
    AUTO(text) struct text content = {0};
    assert_ok(file_read("/bin/true", &content));
    replace(&content, "libc.so.6", "libasan.so");
    assert_false(with_content(content.data, content.size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_program_and_the_shell_are_preloadable),
        cmocka_unit_test(a_script_is_if_its_interpreter_is),
        cmocka_unit_test(other_files_are_not),
        cmocka_unit_test(a_program_with_another_loader_is_not),
        cmocka_unit_test(a_program_with_a_sanitizer_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
