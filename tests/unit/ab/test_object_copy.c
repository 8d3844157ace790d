#include "ab/verdict/object_copy.h"

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-object-copy-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static void a_copy_has_the_same_bytes_and_takes_the_place_of_the_object(void **state)
{
    (void)state;
    static const char bytes[] = "\x7f"
                                "ELF\0and more";
    assert_ok(file_write("statement.so", bytes, sizeof bytes));
    struct run_case item = {.open = (char *)" object=statement.so symbol=f%20g",
                            .rival = (char *)" rival=statement.so rival_symbol=f"};
    struct object_copy copy = {0};
    assert_ok(object_copy_init(&copy, &item, "copy.so"));
    assert_string_equal(copy.path, "copy.so");
    assert_string_equal(copy.open, " object=copy.so symbol=f%20g");
    assert_string_equal(copy.rival, " rival=copy.so rival_symbol=f");
    AUTO(text) struct text copied = {0};
    assert_ok(file_read("copy.so", &copied));
    assert_int_equal(copied.size, sizeof bytes);
    assert_memory_equal(text_get(&copied), bytes, sizeof bytes);
    assert_int_equal(access("copy.so", R_OK | W_OK | X_OK), 0);
    object_copy_done(&copy);
    assert_int_not_equal(access("copy.so", F_OK), 0);
    assert_int_equal(access("statement.so", F_OK), 0);
    assert_null(copy.path);
    object_copy_done(&copy);
}

static void an_object_that_is_gone_is_an_error(void **state)
{
    (void)state;
    struct run_case item = {.open = (char *)" object=absent.so",
                            .rival = (char *)" rival=absent.so"};
    struct object_copy copy = {0};
    assert_error(object_copy_init(&copy, &item, "copy.so"), BILANX_E_SYSTEM, "absent.so");
    object_copy_done(&copy);
    assert_int_not_equal(access("copy.so", F_OK), 0);
}

static void words_that_are_no_words_are_an_error(void **state)
{
    (void)state;
    assert_ok(file_write("statement.so", "x", 1));
    struct run_case item = {.open = (char *)" object", .rival = (char *)" rival=statement.so"};
    struct object_copy copy = {0};
    assert_error(object_copy_init(&copy, &item, "copy.so"), BILANX_E_INPUT, "not key=value");
    object_copy_done(&copy);
    assert_int_not_equal(access("copy.so", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_the_same_bytes_and_takes_the_place_of_the_object),
        cmocka_unit_test(an_object_that_is_gone_is_an_error),
        cmocka_unit_test(words_that_are_no_words_are_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
