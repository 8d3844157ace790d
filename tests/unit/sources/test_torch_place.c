// Where PyTorch is, and with which ABI it was compiled.
#include <stdlib.h>
#include <sys/stat.h>

#include "../unit.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "sources/torch_module/torch_module.h"

static void make_folder(const char *root, const char *name)
{
    AUTO(memory) char *path = mem_format("%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const char *root, const char *name, const char *text, mode_t mode)
{
    AUTO(memory) char *path = mem_format("%s/%s", root, name);
    assert_ok(file_write(path, text, strlen(text)));
    assert_int_equal(chmod(path, mode), 0);
}

static void make_torch(const char *root, const char *library)
{
    make_folder(root, "include");
    make_folder(root, "include/ATen");
    make_folder(root, "lib");
    make_file(root, "include/ATen/ATen.h", "", 0600);
    make_file(root, "lib/libc10.so", library, 0600);
}

static void the_variable_says_where_it_is(void **unused)
{
    (void)unused;
    AUTO(temporary) struct temporary folder = {0};
    AUTO(torch_place) struct torch_place place = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_torch(folder.path, "_ZNSt7__cxx1112basic_string");
    setenv("TORCH_ROOT", folder.path, 1);
    assert_ok(torch_place_find(&(struct torch_module_options){0}, &place));
    unsetenv("TORCH_ROOT");
    assert_string_equal(place.root, folder.path);
    assert_false(place.is_old_abi);
}

static void a_library_without_new_names_has_the_old_abi(void **unused)
{
    (void)unused;
    AUTO(temporary) struct temporary folder = {0};
    AUTO(torch_place) struct torch_place place = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_torch(folder.path, "_ZNSs4_Rep");
    setenv("TORCH_ROOT", folder.path, 1);
    assert_ok(torch_place_find(&(struct torch_module_options){0}, &place));
    unsetenv("TORCH_ROOT");
    assert_true(place.is_old_abi);
}

static void an_interpreter_says_it_on_its_last_line(void **unused)
{
    (void)unused;
    AUTO(temporary) struct temporary folder = {0};
    AUTO(torch_place) struct torch_place place = {0};
    assert_ok(temporary_init(&folder, NULL));
    make_torch(folder.path, "__cxx11");
    AUTO(memory) char *script = mem_format("#!/bin/sh\necho welcome\necho %s\n", folder.path);
    AUTO(memory) char *python = mem_format("%s/python", folder.path);
    make_file(folder.path, "python", script, 0700);
    assert_ok(torch_place_find(&(struct torch_module_options){.python = python}, &place));
    assert_string_equal(place.root, folder.path);
}

static void what_is_missing_is_said(void **unused)
{
    (void)unused;
    AUTO(temporary) struct temporary folder = {0};
    struct torch_place place = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *python = mem_format("%s/python", folder.path);
    make_file(folder.path, "python", "#!/bin/sh\nexit 3\n", 0700);
    assert_error(torch_place_find(&(struct torch_module_options){.python = python}, &place),
                 BILANX_E_SKIPPED, "has no PyTorch: apt-get install libtorch-dev");
    setenv("TORCH_ROOT", folder.path, 1);
    assert_error(torch_place_find(&(struct torch_module_options){0}, &place), BILANX_E_SKIPPED,
                 "has no headers: apt-get install libtorch-dev");
    unsetenv("TORCH_ROOT");
    assert_error(torch_place_find(&(struct torch_module_options){.python = "/nowhere"}, &place),
                 BILANX_E_SKIPPED, "PyTorch is not installed");
    assert_null(place.root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_says_where_it_is),
        cmocka_unit_test(a_library_without_new_names_has_the_old_abi),
        cmocka_unit_test(an_interpreter_says_it_on_its_last_line),
        cmocka_unit_test(what_is_missing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
