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

static void the_estimate_follows_a_slower_pace_slowly_and_a_faster_one_at_once(void **state)
{
    (void)state;
    struct progress_estimate estimate = {.left = -1};
    progress_estimate(&estimate, .019, 1);
    assert_true(estimate.left < 0);
    progress_estimate(&estimate, .02, 1);
    assert_float_equal(estimate.left, 49, 1e-9);
    progress_estimate(&estimate, .5, 2);  // faster than thought
    assert_float_equal(estimate.left, 2, 1e-9);
    progress_estimate(&estimate, .5, 3);  // nothing was done: 3 instead of 1
    assert_float_equal(estimate.left, 1 + .1 * (3 - 1), 1e-9);
    assert_float_equal(estimate.estimated_at, 3, 0);
    progress_estimate(&estimate, .5, 10);  // expected to be done for long
    assert_true(estimate.left >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_never_jumps_back),
        cmocka_unit_test(the_estimate_follows_a_slower_pace_slowly_and_a_faster_one_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
