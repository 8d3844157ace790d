#include "core/stats/steps.h"

#include "core/stats/stats.h"
#include "unit.h"

enum { COUNT = 100 };
static const double STEP = 20;

// What a clock with such steps makes of batches of this duration, begun at evenly spread moments.
static void read_clock(double duration, double *out)
{
    for (int i = 0; i < COUNT; i++) {
        double begin = STEP * (i + .5) / COUNT, end = begin + duration;
        out[i] = STEP * floor(end / STEP);
    }
    stats_sort(out, COUNT);
}

static void the_midmean_of_two_readings_is_the_duration(void **state)
{
    (void)state;
    double worst_as_read = 0;
    for (int i = 0; i <= 20; i++) {
        double times[COUNT], duration = 50000 + STEP * i / 20;
        read_clock(duration, times);
        worst_as_read = fmax(worst_as_read, fabs(stats_midmean(times, COUNT) - duration));
        steps_blur(times, COUNT);
        assert_near(stats_midmean(times, COUNT), duration, .03 * STEP);
    }
    assert_true(worst_as_read > .2 * STEP);  // there is something to improve
}

static void an_outlier_between_steps_does_not_matter_if_it_is_far(void **state)
{
    (void)state;
    double times[COUNT];
    read_clock(50005, times);
    times[COUNT - 1] = 50000 + 2000.4 * STEP;
    steps_blur(times, COUNT);
    assert_near(stats_midmean(times, COUNT), 50005, .05 * STEP);
}

static void blurred_values_stay_sorted_and_within_a_step(void **state)
{
    (void)state;
    double times[] = {4000, 4000, 4000, 4000, 4020, 4020, 4020, 4020};
    steps_blur(times, LENGTH(times));
    static const double expected[] = {3985, 3995, 4005, 4005, 4015, 4015, 4025, 4035};
    for (size_t i = 0; i < LENGTH(times); i++)
        assert_near(times[i], expected[i], 1e-12);
}

static void times_that_share_no_step_are_left_alone(void **state)
{
    (void)state;
    static const double given[][8] = {
        {50, 50, 50, 50, 50, 51, 51, 51},       // two speeds, not two readings
        {1, 2, 3, 4, 5, 6, 7, 8},               // hardly any is shared
        {7, 7, 7, 7, 7, 7, 7, 7},               // what the step is cannot be known
        {10, 10, 10, 11, 11, 11, 12.5, 12.5}};  // not multiples
    for (size_t i = 0; i < LENGTH(given); i++) {
        double times[8];
        memcpy(times, given[i], sizeof times);
        steps_blur(times, 8);
        assert_memory_equal(times, given[i], sizeof times);
    }
    steps_blur(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_midmean_of_two_readings_is_the_duration),
        cmocka_unit_test(an_outlier_between_steps_does_not_matter_if_it_is_far),
        cmocka_unit_test(blurred_values_stay_sorted_and_within_a_step),
        cmocka_unit_test(times_that_share_no_step_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
