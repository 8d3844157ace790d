#include "ab/verdict/mapped_files.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static struct list list_of(const char *first, const char *second)
{
    struct list list = {0};
    list_add(&list, first);
    list_add(&list, second);
    return list;
}

static void a_library_that_both_sides_have_from_different_files_clashes(void **state)
{
    (void)state;
    AUTO(list) struct list a = list_of("8:1:5 /usr/lib/libc.so.6", "8:1:6 /old/libfoo.so.1");
    AUTO(list) struct list b = list_of("8:1:7 /new/libfoo.so.1", "8:1:5 /usr/lib/libc.so.6");
    AUTO(list) struct list rebuilt = list_of("8:1:9 /old/libfoo.so.1", "8:1:5 /usr/lib/libc.so.6");
    AUTO(list) struct list other = list_of("8:1:8 /new/libbar.so.1", "8:1:5 /usr/lib/libc.so.6");
    AUTO(list) struct list none = {0};
    assert_string_equal(mapped_files_clash(&a, &b), "libfoo.so.1");
    assert_string_equal(mapped_files_clash(&a, &rebuilt),
                        "libfoo.so.1");  // same path, another file
    assert_null(mapped_files_clash(&a, &other));
    assert_null(mapped_files_clash(&a, &a));
    assert_null(mapped_files_clash(&a, &none));
    assert_null(mapped_files_clash(&none, &a));
}

static void files_of_one_side_are_listed_by_their_paths(void **state)
{
    (void)state;
    AUTO(list) struct list a = list_of("8:1:5 /usr/lib/libc.so.6", "8:1:6 /old folder/libfoo.so");
    AUTO(list) struct list b = list_of("8:1:5 /usr/lib/libc.so.6", "8:1:7 /new/libfoo.so");
    AUTO(list) struct list none = {0};
    AUTO(memory) char *both = mapped_files_unshared(&a, &b);
    assert_string_equal(both, "/old folder/libfoo.so\n/new/libfoo.so\n");
    AUTO(memory) char *first = mapped_files_unshared(&a, &none);
    assert_string_equal(first, "/usr/lib/libc.so.6\n/old folder/libfoo.so\n");
    assert_null(mapped_files_unshared(&a, &a));
    assert_null(mapped_files_unshared(&none, &none));
}

static bool has_end(const struct list *list, const char *end)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t size = strlen(list->items[i]);
        if (size >= strlen(end) && strcmp(list->items[i] + size - strlen(end), end) == 0)
            return true;
    }
    return false;
}

static void a_process_has_its_program_and_its_libraries_once_each(void **state)
{
    (void)state;
    AUTO(list) struct list files = {0};
    struct hash places = {0};
    mapped_files_read(getpid(), &files, &places);
    assert_true(has_end(&files, "/test_mapped_files"));
    assert_true(has_end(&files, "/libc.so.6"));
    for (size_t i = 0; i < files.count; i++) {
        assert_non_null(strchr(files.items[i], ':'));
        assert_int_equal(strchr(files.items[i], ' ')[1], '/');  // no stack, no heap
        if (i > 0)
            assert_string_not_equal(files.items[i], files.items[i - 1]);
    }
}

// A fork has everything where its parent has it. A program that starts anew draws its addresses.
static void places_are_equal_in_a_fork(void **state)
{
    (void)state;
    struct hash own, forked, again;
    AUTO(list) struct list files = {0}, of_fork = {0}, twice = {0};
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    mapped_files_read(getpid(), &files, &own);
    mapped_files_read(getpid(), &twice, &again);
    mapped_files_read(child, &of_fork, &forked);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_memory_equal(&own, &again, sizeof own);
    assert_memory_equal(&own, &forked, sizeof own);
    assert_int_equal(files.count, of_fork.count);
}

static void another_program_has_other_files_at_other_places(void **state)
{
    (void)state;
    struct hash own, other;
    AUTO(list) struct list files = {0}, of_other = {0};
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ready[1], STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", "echo; read x </dev/zero", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    mapped_files_read(getpid(), &files, &own);
    mapped_files_read(child, &of_other, &other);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    assert_true(own.a != other.a || own.b != other.b);
    assert_true(of_other.count > 0);
    assert_false(has_end(&of_other, "/test_mapped_files"));
}

static void a_process_that_is_gone_has_no_files(void **state)
{
    (void)state;
    AUTO(list) struct list files = {0};
    struct hash places = {1, 2}, none = hash_start();
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    mapped_files_read(child, &files, &places);
    assert_int_equal(files.count, 0);
    assert_memory_equal(&places, &none, sizeof none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_both_sides_have_from_different_files_clashes),
        cmocka_unit_test(files_of_one_side_are_listed_by_their_paths),
        cmocka_unit_test(a_process_has_its_program_and_its_libraries_once_each),
        cmocka_unit_test(places_are_equal_in_a_fork),
        cmocka_unit_test(another_program_has_other_files_at_other_places),
        cmocka_unit_test(a_process_that_is_gone_has_no_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
