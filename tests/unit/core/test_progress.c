#include "core/show/progress.h"

#include "unit.h"

static void progress_never_jumps_back(void **state)
{
    (void)state;
    struct progress_estimate estimate = {.left = -1};
    progress_estimate(&estimate, 0.01, 1);
    assert_true(estimate.left < 0);  // too early to tell
    progress_estimate(&estimate, 0.5, 10);
    assert_float_equal(estimate.left, 10, 1e-9);
    progress_estimate(&estimate, 0.4, 11);  // a case took longer than thought
    assert_float_equal(estimate.share, 0.5, 1e-9);
    assert_float_equal(estimate.left, 9 + 0.1 * (16.5 - 9), 1e-9);
    progress_estimate(&estimate, 1.2, 12);
    assert_float_equal(estimate.share, 1, 1e-9);
    assert_float_equal(estimate.left, 0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_never_jumps_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
