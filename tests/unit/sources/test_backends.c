#include "sources/operator_cases/backends.h"

#include <string.h>

#include "unit.h"

static void a_name_has_a_configuration_after_a_colon(void **state)
{
    (void)state;
    AUTO(ops_backends) struct ops_backends backends = {0};
    assert_ok(ops_backends_add(&backends, "torch", NULL));
    assert_ok(ops_backends_add(&backends, "inductor:a=1,b=2", NULL));
    assert_ok(ops_backends_add(&backends, "inductor:autotune", "autotune"));
    assert_ok(ops_backends_add(&backends, "python:dir/file.py", NULL));
    assert_string_equal(backends.items[0].name, "torch");
    assert_null(backends.items[0].config);
    assert_string_equal(backends.items[1].name, "inductor:a=1,b=2");
    assert_string_equal(backends.items[1].kind, "inductor");
    assert_string_equal(backends.items[1].config, "a=1,b=2");
    assert_true(backends.items[1].python);
    assert_string_equal(backends.items[2].name, "autotune");
    assert_string_equal(backends.items[3].config, "dir/file.py");
}

static void a_path_is_a_module(void **state)
{
    (void)state;
    AUTO(ops_backends) struct ops_backends backends = {0};
    char self[4096], spec[5000];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0';
    snprintf(spec, sizeof spec, "%s", self);
    assert_ok(ops_backends_add(&backends, spec, NULL));
    assert_string_equal(backends.items[0].module, self);
    assert_true(backends.items[0].own_file);
    struct bilanx_error error = ops_backends_add(&backends, "./missing.so:fast", NULL);
    assert_int_equal(error.status, BILANX_E_INPUT);
    assert_string_equal(error.text, "cannot find the backend './missing.so'");
    assert_int_equal(backends.count, 1);
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    AUTO(ops_backends) struct ops_backends backends = {0};
    struct bilanx_error error = ops_backends_add(&backends, "onedn", NULL);
    assert_int_equal(error.status, BILANX_E_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'onednn'?"));
    assert_ok(ops_backends_add(&backends, "torch", NULL));
    error = ops_backends_add(&backends, "torch", NULL);
    assert_string_equal(error.text,
                        "the backend 'torch' is given twice: give one another name, as in "
                        "NAME=torch");
    assert_ok(ops_backends_add(&backends, "again=torch", NULL));
    assert_string_equal(backends.items[backends.count - 1].name, "again");
    assert_string_equal(backends.items[backends.count - 1].kind, "torch");
}

static void the_baseline_is_first(void **state)
{
    (void)state;
    AUTO(ops_backends) struct ops_backends backends = {0};
    assert_ok(ops_backends_add(&backends, "inductor", NULL));
    assert_ok(ops_backends_add(&backends, "torch", NULL));
    assert_ok(ops_backends_baseline(&backends, "eager"));
    assert_int_equal(backends.count, 2);
    assert_string_equal(backends.items[0].name, "torch");
    assert_string_equal(backends.items[1].name, "inductor");
    assert_ok(ops_backends_baseline(&backends, "torchscript"));
    assert_int_equal(backends.count, 3);
    assert_string_equal(backends.items[0].name, "torchscript");
    assert_string_equal(backends.items[2].name, "inductor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_a_configuration_after_a_colon),
        cmocka_unit_test(a_path_is_a_module),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(the_baseline_is_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
