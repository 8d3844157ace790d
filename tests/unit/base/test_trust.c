#include "base/trust.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-trust-XXXXXX";

// Each test has a folder with the folders a, b and c, and its own settings.
static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("a", 0700) != 0 || mkdir("b", 0700) != 0 ||
        mkdir("c", 0700) != 0)
        return -1;
    AUTO(memory) char *settings = mem_format("%s/c/settings", folder);
    return setenv("XDG_CONFIG_HOME", settings, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static void trust(const char *path)
{
    bool changed = false;
    assert_ok(trust_add(path, &changed));
    assert_true(changed);
}

static void nothing_is_trusted_at_first(void **state)
{
    (void)state;
    AUTO(text) struct text why = {0};
    assert_false(trust_has(".", &why));
    assert_int_equal(why.size, 0);
}

static void a_folder_is_trusted_by_any_path_but_not_what_is_in_it(void **state)
{
    (void)state;
    trust(".");
    assert_int_equal(symlink(folder, "b/link"), 0);
    assert_true(trust_has("a/..", NULL));
    assert_true(trust_has("b/link", NULL));
    assert_false(trust_has("a", NULL));
}

static void it_is_added_once_and_can_be_removed(void **state)
{
    (void)state;
    bool changed = true;
    trust("a");
    trust("b");
    assert_ok(trust_add("./a", &changed));
    assert_false(changed);
    assert_ok(trust_remove("a", &changed));
    assert_true(changed);
    assert_false(trust_has("a", NULL));
    assert_true(trust_has("b", NULL));
    assert_ok(trust_remove("a", &changed));
    assert_false(changed);
}

static void a_folder_that_is_gone_can_be_removed(void **state)
{
    (void)state;
    bool changed = false;
    AUTO(memory) char *path = mem_format("%s/a", folder);
    trust("a");
    assert_int_equal(rmdir("a"), 0);
    assert_ok(trust_remove(path, &changed));
    assert_true(changed);
}

static void what_is_not_a_folder_cannot_be_trusted(void **state)
{
    (void)state;
    bool changed;
    assert_error(trust_add("missing", &changed), BILANX_E_INPUT, "cannot find 'missing'");
    assert_error(trust_add("/dev/null", &changed), BILANX_E_INPUT, "is not a folder");
    assert_int_equal(mkdir("two\nlines", 0700), 0);
    assert_error(trust_add("two\nlines", &changed), BILANX_E_INPUT, "line break");
}

static void a_list_that_others_can_write_to_is_not_used(void **state)
{
    (void)state;
    AUTO(text) struct text first = {0}, second = {0};
    trust("a");
    assert_int_equal(chmod("c/settings/bilanx/trusted", 0666), 0);
    assert_false(trust_has("a", &first));
    assert_non_null(strstr(text_get(&first), "others may have written"));
    assert_int_equal(chmod("c/settings/bilanx/trusted", 0600), 0);
    assert_true(trust_has("a", NULL));
    assert_int_equal(chmod("c/settings", 0777), 0);
    assert_false(trust_has("a", &second));
    assert_non_null(strstr(text_get(&second), "other users can change the contents"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_trusted_at_first),
        TEST(a_folder_is_trusted_by_any_path_but_not_what_is_in_it),
        TEST(it_is_added_once_and_can_be_removed),
        TEST(a_folder_that_is_gone_can_be_removed),
        TEST(what_is_not_a_folder_cannot_be_trusted),
        TEST(a_list_that_others_can_write_to_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
