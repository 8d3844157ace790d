#include "core/stats/groups.h"

#include <math.h>

#include "base/random.h"
#include "unit.h"

enum { MOST = 64 };

// Epochs with a time in microseconds, and a layout.
struct made {
    struct bilanx_timing timing;
    struct bilanx_epoch epochs[MOST];
    double times[MOST];
};

static void add(struct made *made, uint64_t layout, double time_us)
{
    size_t at = made->timing.raw_count++;
    made->timing.epoch_count = made->timing.raw_count;
    made->times[at] = time_us * 1e-6;
    made->epochs[at] = (struct bilanx_epoch){
        .time = made->times[at], .p25 = made->times[at], .p75 = made->times[at], .layout = layout};
    made->timing.raw_times = made->times;
    made->timing.epochs = made->epochs;
    made->timing.number_per_run = 1;
    made->timing.method = (char *)"rigorous";
}

// Each layout twice; these many of 12 are fast.
static struct made measured_twice(unsigned fast)
{
    struct made made = {0};
    for (int repeat = 0; repeat < 2; repeat++)
        for (uint64_t i = 0; i < 12; i++)
            add(&made, i + 1,
                (i < fast ? 3.1 : 5.2) * (1 + .001 * (double)((i + (uint64_t)repeat) % 3)));
    return made;
}

// The timing points into the struct that has it.
static struct time_groups find(struct made *made)
{
    made->timing.raw_times = made->times;
    made->timing.epochs = made->epochs;
    return time_groups_find(&made->timing);
}

static void fast_and_slow_layouts_form_two_groups(void **state)
{
    (void)state;
    struct made made = measured_twice(5);
    struct time_groups groups = find(&made);
    assert_int_equal(groups.units, 12);
    assert_int_equal(groups.counts[0], 5);
    assert_int_equal(groups.counts[1], 7);
    assert_true(fabs(groups.times[0] - 3.1e-6) < .01e-6 && fabs(groups.times[1] - 5.2e-6) < .02e-6);
}

static void noise_forms_no_groups(void **state)
{
    (void)state;
    struct made made = {0};
    for (uint64_t i = 0; i < 32; i++)
        add(&made, i % 16 + 1, 3 * (1 + .003 * (double)(i * 7 % 32)));
    assert_int_equal(find(&made).by, GROUPS_NONE);
    assert_false(layout_groups_are_likely(&made.timing));
}

static void layouts_measured_once_form_no_groups(void **state)
{
    (void)state;
    struct made made = {0};
    for (uint64_t i = 0; i < 24; i++)
        add(&made, i + 1, i < 10 ? 3 : 6);
    assert_int_equal(find(&made).by, GROUPS_NONE);
    assert_true(layout_groups_are_likely(&made.timing));  // reason enough to repeat some
}

static void a_second_measurement_that_disagrees_refutes_groups(void **state)
{
    (void)state;
    struct made made = measured_twice(5);
    for (size_t i = 12; i < 24; i++)
        made.times[i] = made.times[35 - i];  // of another layout
    assert_int_equal(find(&made).by, GROUPS_NONE);
}

static void a_single_outlying_layout_is_not_a_group(void **state)
{
    (void)state;
    struct made made = {0};
    for (uint64_t i = 0; i < 12; i++)
        add(&made, i + 1, i ? 3 : 6);
    assert_int_equal(find(&made).by, GROUPS_NONE);
    assert_false(layout_groups_are_likely(&made.timing));
}

static void two_groups_need_six_epochs_to_be_likely(void **state)
{
    (void)state;
    struct made made = {0};
    for (uint64_t i = 0; i < 6; i++) {
        assert_false(layout_groups_are_likely(&made.timing));
        add(&made, i + 1, i % 2 ? 3 : 6);
    }
    assert_true(layout_groups_are_likely(&made.timing));
}

static void differences_caused_by_other_work_form_no_groups(void **state)
{
    (void)state;
    struct made made = measured_twice(5);
    for (size_t i = 0; i < 24; i++) {
        made.epochs[i].batches = 10;
        made.epochs[i].disturbed = i % 12 < 5 ? 0 : 8;
    }
    assert_int_equal(find(&made).by, GROUPS_NONE);
    for (size_t i = 0; i < 24; i++)
        made.epochs[i].disturbed = 2;
    assert_int_equal(find(&made).counts[1], 7);
}

// Draws epochs as a measurement does: every second repeats a layout.
static struct made simulated(struct random *random, size_t epochs, bool by_layout, double slow)
{
    struct made made = {0};
    bool is_slow[MOST + 1];
    uint64_t fresh = 1, again = 1;
    for (size_t i = 0; i <= MOST; i++)
        is_slow[i] = random_unit(random) < slow;
    for (size_t i = 0; i < epochs; i++) {
        bool repeats = i % 2 == 1;
        uint64_t layout = repeats ? again++ : fresh++;
        bool takes_long = by_layout ? is_slow[layout] : random_unit(random) < slow;
        add(&made, layout, (takes_long ? 4 : 3) * (1 + .004 * random_unit(random)));
    }
    return made;
}

static double share_with_groups(size_t epochs, bool by_layout, double slow)
{
    enum { RECORDS = 600 };
    struct random random;
    unsigned found = 0;
    random_init(&random, 11);
    for (unsigned i = 0; i < RECORDS; i++) {
        struct made made = simulated(&random, epochs, by_layout, slow);
        found += find(&made).by == GROUPS_BY_LAYOUT;
    }
    return (double)found / RECORDS;
}

static void two_speeds_independent_of_layout_are_hardly_ever_groups(void **state)
{
    (void)state;
    assert_true(share_with_groups(12, false, .2) <= .01);
    assert_true(share_with_groups(24, false, .5) <= .01);
    assert_true(share_with_groups(32, false, .1) <= .01);  // most pairs agree by chance
}

static void layouts_that_decide_the_speed_are_found(void **state)
{
    (void)state;
    assert_true(share_with_groups(24, true, .5) > .95);
    assert_true(share_with_groups(16, true, .5) > .5);
}

// Each of 32 processes takes 3 or 4 us, as chance decides, or for eight processes in a row.
static struct made of_processes(struct random *random, bool in_phases)
{
    struct made made = {0};
    bool slow = false;
    for (size_t i = 0; i < 32; i++) {
        if (!in_phases || i % 8 == 0)
            slow = in_phases ? !slow : random_unit(random) < .5;
        add(&made, 0, (slow ? 4 : 3) * (1 + .004 * random_unit(random)));
    }
    return made;
}

static void processes_that_keep_one_of_two_times_form_groups(void **state)
{
    (void)state;
    struct random random;
    unsigned found = 0;
    random_init(&random, 5);
    for (int i = 0; i < 200; i++) {
        struct made made = of_processes(&random, false);
        struct time_groups groups = find(&made);
        found += groups.by == GROUPS_BY_PROCESS;
        assert_true(groups.by == GROUPS_NONE || groups.counts[0] + groups.counts[1] == 32);
        assert_true(groups.by == GROUPS_NONE || (fabs(groups.times[0] - 3e-6) < .02e-6 &&
                                                 fabs(groups.times[1] - 4e-6) < .02e-6));
    }
    assert_in_range(found, 180, 199);  // a twentieth alternates too seldom by chance
}

static void a_speed_that_comes_and_goes_is_not_due_to_processes(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 6);
    for (int i = 0; i < 100; i++) {
        struct made made = of_processes(&random, true);
        assert_int_equal(find(&made).by, GROUPS_NONE);
    }
}

static void processes_that_change_their_speed_form_no_groups(void **state)
{
    (void)state;
    struct made made = {0};
    for (size_t i = 0; i < 24; i++)
        add(&made, 0, i * 7 % 5 < 2 ? 4 : 3);
    assert_int_equal(find(&made).by, GROUPS_BY_PROCESS);
    for (size_t i = 0; i < 24; i++)
        if (made.times[i] > 3.5e-6)
            made.epochs[i].p25 = 2.9e-6;  // as if it had been fast for a while
    assert_int_equal(find(&made).by, GROUPS_NONE);
}

static void few_processes_form_no_groups(void **state)
{
    (void)state;
    struct made made = {0};
    for (size_t i = 0; i < 11; i++)
        add(&made, 0, i * 7 % 5 < 2 ? 4 : 3);
    assert_int_equal(find(&made).by, GROUPS_NONE);
    add(&made, 0, 4);
    assert_int_equal(find(&made).by, GROUPS_BY_PROCESS);
    struct made lonely = {0};
    for (size_t i = 0; i < 24; i++)
        add(&lonely, 0, i % 12 == 5 ? 4 : 3);
    assert_int_equal(find(&lonely).by, GROUPS_NONE);  // two of 24
}

static void times_of_zero_form_no_groups(void **state)
{
    (void)state;
    struct made made = {0};
    for (size_t i = 0; i < 24; i++)
        add(&made, 0, i * 7 % 5 < 2 ? 4 : 0);
    assert_int_equal(find(&made).by, GROUPS_NONE);
}

static void epochs_of_one_layout_count_once(void **state)
{
    (void)state;
    struct made made = {0};
    double logs[] = {1, 2, 5, 4};
    add(&made, 3, 1);
    add(&made, 9, 1);
    add(&made, 3, 1);
    add(&made, 7, 1);
    assert_int_equal(layout_means(&made.timing, logs, 4), 3);
    assert_true(logs[0] == 3 && logs[1] == 2 && logs[2] == 4);
}

static void the_interval_is_computed_over_layouts(void **state)
{
    (void)state;
    struct made once = {0}, thrice = {0};
    struct bilanx_stats few, many;
    for (int repeat = 0; repeat < 3; repeat++)
        for (uint64_t i = 0; i < 8; i++) {
            if (repeat == 0)
                add(&once, i + 1, 3 + (double)i);
            add(&thrice, i + 1, 3 + (double)i);
        }
    bilanx_timing_summarize(&once.timing, &few);
    bilanx_timing_summarize(&thrice.timing, &many);
    assert_true(fabs(few.ci95[0] - many.ci95[0]) < 1e-12 &&
                fabs(few.ci95[1] - many.ci95[1]) < 1e-12);
}

static void spread_between_layouts_is_separated_from_spread_between_epochs(void **state)
{
    (void)state;
    struct made by_layout = {0}, by_epoch = {0};
    struct bilanx_stats stats;
    for (int repeat = 0; repeat < 2; repeat++)
        for (uint64_t i = 0; i < 8; i++) {
            add(&by_layout, i + 1, i % 2 ? 3 : 3.3);
            add(&by_epoch, i + 1, (i + (uint64_t)repeat) % 2 ? 3 : 3.3);
        }
    bilanx_timing_summarize(&by_layout.timing, &stats);
    assert_true(fabs(stats.layout - stats.between) < 1e-9 && stats.layout > .04);
    bilanx_timing_summarize(&by_epoch.timing, &stats);
    assert_true(isnan(stats.layout) && stats.between > .04);  // the layout is not the reason
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_slow_layouts_form_two_groups),
        cmocka_unit_test(noise_forms_no_groups),
        cmocka_unit_test(layouts_measured_once_form_no_groups),
        cmocka_unit_test(a_second_measurement_that_disagrees_refutes_groups),
        cmocka_unit_test(a_single_outlying_layout_is_not_a_group),
        cmocka_unit_test(two_groups_need_six_epochs_to_be_likely),
        cmocka_unit_test(two_speeds_independent_of_layout_are_hardly_ever_groups),
        cmocka_unit_test(layouts_that_decide_the_speed_are_found),
        cmocka_unit_test(differences_caused_by_other_work_form_no_groups),
        cmocka_unit_test(processes_that_keep_one_of_two_times_form_groups),
        cmocka_unit_test(a_speed_that_comes_and_goes_is_not_due_to_processes),
        cmocka_unit_test(processes_that_change_their_speed_form_no_groups),
        cmocka_unit_test(few_processes_form_no_groups),
        cmocka_unit_test(times_of_zero_form_no_groups),
        cmocka_unit_test(epochs_of_one_layout_count_once),
        cmocka_unit_test(the_interval_is_computed_over_layouts),
        cmocka_unit_test(spread_between_layouts_is_separated_from_spread_between_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
