// Threads of privately loaded libraries, as extension modules load theirs.
#include "core/worker/libraries.h"

#include <dlfcn.h>

#include "unit.h"

static void threads_are_set_in_every_loaded_library(void **state)
{
    (void)state;
    assert_int_equal(libraries_set_threads(3), 0);
    void *handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    int (*threads)(void);
    *(void **)&threads = dlsym(handle, "omp_get_max_threads");
    assert_int_equal(libraries_set_threads(3), 1);
    assert_int_equal(threads(), 3);
    assert_int_equal(libraries_set_threads(1), 1);
    assert_int_equal(threads(), 1);
}

static void threads_of_openblas_count_as_safe(void **state)
{
    (void)state;
    assert_int_equal(libraries_safe_threads(), 0);
    void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    int (*threads)(void);
    *(void **)&threads = dlsym(handle, "openblas_get_num_threads");
    libraries_set_threads(3);
    assert_int_equal(threads(), 3);
    assert_int_equal(libraries_safe_threads(), 2);
    libraries_set_threads(1);
    assert_int_equal(libraries_safe_threads(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_set_in_every_loaded_library),
        cmocka_unit_test(threads_of_openblas_count_as_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
