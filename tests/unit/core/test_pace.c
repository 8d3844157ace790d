#include "core/timer/pace.h"

#include "unit.h"

static const struct pace SLOW = {66, 45}, FAST = {64, 43.6}, SHARED = {66, 60};

// A log with four batches between readings, starting with a reading.
static struct pace_log log_of(const struct pace *readings, size_t count)
{
    struct pace_log log = {0};
    for (size_t i = 0; i < count; i++)
        pace_log_add(&log, readings[i], 4 * i);
    return log;
}
#define LOG(...)                               \
    log_of((const struct pace[]){__VA_ARGS__}, \
           sizeof((const struct pace[]){__VA_ARGS__}) / sizeof(struct pace))

static void a_change_in_frequency_is_another_pace(void **state)
{
    (void)state;
    assert_false(pace_same(SLOW, FAST));
    assert_false(pace_same(FAST, SLOW));
    assert_true(pace_same(SLOW, (struct pace){66.5, 45}));
    assert_true(pace_same(SLOW, (struct pace){65.5, 45}));
}

static void a_shared_core_is_another_pace(void **state)
{
    (void)state;
    assert_false(pace_same(SLOW, SHARED));
    assert_false(pace_same(SHARED, SLOW));
    assert_true(pace_same(SLOW, (struct pace){66, 46}));
}

static void an_unknown_pace_matches_any(void **state)
{
    (void)state;
    assert_true(pace_same(SLOW, (struct pace){0}));
    assert_true(pace_same((struct pace){0}, FAST));
    assert_true(pace_same(SHARED, (struct pace){.chain_ns = 66}));
    assert_false(pace_same(FAST, (struct pace){.chain_ns = 66}));
}

static void the_usual_pace_is_the_mode_of_the_readings_not_their_median(void **state)
{
    (void)state;
    static const struct pace readings[] = {{64, 44}, {70, 50}, {64.1, 44.1}, {80, 47},
                                           {66, 45}, {90, 48}, {63.9, 43.9}};
    struct pace usual = pace_usual(readings, LENGTH(readings));
    assert_near(usual.chain_ns, 64, 1e-9);
    assert_near(usual.wide_ns, 44, 1e-9);
}

static void among_readings_at_one_frequency_the_usual_share_is_chosen(void **state)
{
    (void)state;
    static const struct pace readings[] = {{66, 60}, {66, 45}, {66, 45.2}, {64, 43}, {64, 43}};
    struct pace usual = pace_usual(readings, LENGTH(readings));
    assert_near(usual.chain_ns, 66, 1e-9);
    assert_near(usual.wide_ns, 45.1, 1e-9);
}

static void without_readings_there_is_no_usual_pace(void **state)
{
    (void)state;
    struct pace usual = pace_usual(NULL, 0);
    assert_near(usual.chain_ns, 0, 0);
    assert_near(usual.wide_ns, 0, 0);
}

static void the_wanted_pace_is_chosen_if_a_quarter_ran_at_it(void **state)
{
    (void)state;
    AUTO(pace_log) struct pace_log log = LOG(FAST, FAST, SLOW, SLOW, SLOW);
    assert_near(pace_log_choose(&log, FAST).chain_ns, FAST.chain_ns, 0);  // 1 stretch of 4
    assert_near(pace_log_choose(&log, SLOW).chain_ns, SLOW.chain_ns, 0);
    assert_near(pace_log_choose(&log, (struct pace){0}).chain_ns, SLOW.chain_ns, 0);
    AUTO(pace_log) struct pace_log less = LOG(FAST, FAST, SLOW, SLOW, SLOW, SLOW);
    assert_near(pace_log_choose(&less, FAST).chain_ns, SLOW.chain_ns, 0);  // 1 of 5
}

static void if_the_pace_keeps_changing_everything_is_kept(void **state)
{
    (void)state;
    AUTO(pace_log) struct pace_log log = LOG(FAST, SLOW, FAST, SLOW, FAST);
    struct pace chosen = pace_log_choose(&log, SLOW);
    assert_near(chosen.chain_ns, 0, 0);
    double times[16] = {0};
    assert_int_equal(pace_log_keep(&log, chosen, times), 16);
}

static void batches_between_two_readings_at_the_pace_are_kept(void **state)
{
    (void)state;
    AUTO(pace_log) struct pace_log log = LOG(SLOW, SLOW, FAST, SLOW, SLOW, SHARED);
    double times[20];
    for (size_t i = 0; i < LENGTH(times); i++)
        times[i] = (double)i;
    assert_int_equal(pace_log_keep(&log, SLOW, times), 8);
    static const double kept[] = {0, 1, 2, 3, 12, 13, 14, 15};
    for (size_t i = 0; i < LENGTH(kept); i++)
        assert_near(times[i], kept[i], 0);
}

static void the_first_epoch_sets_the_wanted_pace(void **state)
{
    (void)state;
    struct pace_tracker tracker = {0};
    pace_tracker_add(&tracker, FAST);
    assert_true(pace_same(tracker.wanted, FAST));
    pace_tracker_add(&tracker, SLOW);  // one against one
    assert_true(pace_same(tracker.wanted, FAST));
}

static void a_majority_of_epochs_outvotes_the_first(void **state)
{
    (void)state;
    struct pace_tracker tracker = {0};
    pace_tracker_add(&tracker, FAST);
    pace_tracker_add(&tracker, SLOW);
    pace_tracker_add(&tracker, SLOW);
    assert_near(tracker.wanted.chain_ns, SLOW.chain_ns, 0);
    assert_near(tracker.wanted.wide_ns, SLOW.wide_ns, 0);
}

static void a_short_change_does_not_alter_the_pace_of_a_run(void **state)
{
    (void)state;
    struct pace_tracker tracker = {0};
    enum { WINDOW = sizeof tracker.recent / sizeof *tracker.recent };
    for (int i = 0; i < 2 * WINDOW; i++)
        pace_tracker_add(&tracker, SLOW);
    for (int i = 0; i < WINDOW / 2; i++)
        pace_tracker_add(&tracker, FAST);
    assert_true(pace_same(tracker.wanted, SLOW));
    pace_tracker_add(&tracker, FAST);  // more than half of the recent ones
    assert_true(pace_same(tracker.wanted, FAST));
}

static void epochs_of_unknown_pace_do_not_vote(void **state)
{
    (void)state;
    struct pace_tracker tracker = {0};
    pace_tracker_add(&tracker, (struct pace){0});
    assert_int_equal(tracker.seen, 0);
    assert_near(tracker.wanted.chain_ns, 0, 0);
}

static void a_later_epoch_completes_a_partly_known_pace(void **state)
{
    (void)state;
    struct pace_tracker tracker = {0};
    pace_tracker_add(&tracker, (struct pace){.chain_ns = 66});
    pace_tracker_add(&tracker, FAST);
    assert_near(tracker.wanted.wide_ns, 0, 0);
    pace_tracker_add(&tracker, SLOW);
    assert_near(tracker.wanted.wide_ns, SLOW.wide_ns, 0);
    assert_near(tracker.wanted.chain_ns, 66, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_in_frequency_is_another_pace),
        cmocka_unit_test(a_shared_core_is_another_pace),
        cmocka_unit_test(an_unknown_pace_matches_any),
        cmocka_unit_test(the_usual_pace_is_the_mode_of_the_readings_not_their_median),
        cmocka_unit_test(among_readings_at_one_frequency_the_usual_share_is_chosen),
        cmocka_unit_test(without_readings_there_is_no_usual_pace),
        cmocka_unit_test(the_wanted_pace_is_chosen_if_a_quarter_ran_at_it),
        cmocka_unit_test(if_the_pace_keeps_changing_everything_is_kept),
        cmocka_unit_test(batches_between_two_readings_at_the_pace_are_kept),
        cmocka_unit_test(the_first_epoch_sets_the_wanted_pace),
        cmocka_unit_test(a_majority_of_epochs_outvotes_the_first),
        cmocka_unit_test(a_short_change_does_not_alter_the_pace_of_a_run),
        cmocka_unit_test(epochs_of_unknown_pace_do_not_vote),
        cmocka_unit_test(a_later_epoch_completes_a_partly_known_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
