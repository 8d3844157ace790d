#include "core/timer/pace.h"

#include "unit.h"

// Ratios of .010, .010 at another frequency, and .015.
static const struct pace FREE = {50, .5}, SLOWER = {52, .52}, SHARED = {50, .75}, UNREAD = {0, 0};
static const double FLOOR = .01;

// A log with four batches between readings, starting with a reading.
static struct pace_log log_of(const struct pace *readings, size_t count)
{
    struct pace_log log = {0};
    for (size_t i = 0; i < count; i++)
        pace_log_add(&log, readings[i], 4 * i);
    return log;
}
#define READINGS(...) \
    (const struct pace[]){__VA_ARGS__}, sizeof((const struct pace[]){__VA_ARGS__}) / sizeof FREE
#define LOG(...) log_of(READINGS(__VA_ARGS__))

static void the_ratio_does_not_depend_on_the_frequency(void **state)
{
    (void)state;
    assert_near(pace_ratio(FREE), .01, 1e-15);
    assert_near(pace_ratio(SLOWER), .01, 1e-15);
    assert_near(pace_ratio(SHARED), .015, 1e-15);
}

static void without_both_kernels_there_is_no_ratio(void **state)
{
    (void)state;
    assert_near(pace_ratio(UNREAD), 0, 0);
    assert_near(pace_ratio((struct pace){.chain_ns = 50}), 0, 0);
    assert_near(pace_ratio((struct pace){.front_ns = .5}), 0, 0);
}

static void the_lowest_ratio_needs_four_readings_that_agree(void **state)
{
    (void)state;
    assert_near(pace_lowest(READINGS(SHARED, FREE, SHARED, FREE, SHARED, FREE, SHARED)), .015,
                1e-15);
    assert_near(pace_lowest(READINGS(SHARED, FREE, SHARED, FREE, FREE, FREE)), .01, 1e-15);
    assert_near(pace_lowest(READINGS({50, .5}, {50, .52}, {50, .54}, {50, .56})), 0, 0);
    assert_near(pace_lowest(READINGS({50, .5}, {50, .504}, {50, .508}, {50, .512})), .01012, 1e-15);
    assert_near(pace_lowest(NULL, 0), 0, 0);
    assert_near(pace_lowest(READINGS(UNREAD, UNREAD, UNREAD, UNREAD)), 0, 0);
}

// An interruption of the chain makes the ratio lower than any core can be.
static void an_interrupted_chain_does_not_lower_the_floor(void **state)
{
    (void)state;
    static const struct pace LATE = {60, .5};
    assert_near(pace_lowest(READINGS(FREE, LATE, FREE, LATE, FREE, LATE, FREE, LATE, FREE)), .01,
                1e-15);
    struct pace_summary summary =
        pace_summarize(READINGS(FREE, LATE, FREE, LATE, FREE, LATE, FREE, LATE, FREE), FLOOR);
    assert_near(summary.lowest, .01, 1e-15);
    assert_near(summary.low, .01, 1e-15);
    assert_int_equal(summary.readings, 5);
}

static void a_floor_is_lowered_only_by_more_than_the_error_of_a_reading(void **state)
{
    (void)state;
    static const struct {
        double known, seen, result;
    } table[] = {{0, .02, .02},   {.01, .0095, .01}, {.01, .009, .009},
                 {.01, .02, .01}, {.01, 0, .01},     {0, 0, 0}};
    for (size_t i = 0; i < LENGTH(table); i++)
        assert_near(pace_lower_floor(table[i].known, table[i].seen), table[i].result, 0);
}

static void a_batch_has_a_state_if_both_readings_agree(void **state)
{
    (void)state;
    assert_int_equal(pace_state(FREE, FREE, FLOOR), CORE_FREE);
    assert_int_equal(pace_state(FREE, SLOWER, FLOOR), CORE_FREE);
    assert_int_equal(pace_state(SHARED, SHARED, FLOOR), CORE_SHARED);
    assert_int_equal(pace_state(SHARED, FREE, FLOOR), CORE_UNKNOWN);
    assert_int_equal(pace_state(FREE, SHARED, FLOOR), CORE_UNKNOWN);
}

static void without_a_floor_or_a_reading_the_state_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(pace_state(FREE, FREE, 0), CORE_UNKNOWN);
    assert_int_equal(pace_state(UNREAD, FREE, FLOOR), CORE_UNKNOWN);
    assert_int_equal(pace_state(SHARED, UNREAD, FLOOR), CORE_UNKNOWN);
}

static void the_core_is_free_within_eight_percent_of_the_floor(void **state)
{
    (void)state;
    static const struct pace NEAR = {50, .535}, FAR = {50, .545}, BELOW = {50, .45};
    assert_int_equal(pace_state(NEAR, NEAR, FLOOR), CORE_FREE);
    assert_int_equal(pace_state(FAR, FAR, FLOOR), CORE_SHARED);
    assert_int_not_equal(pace_state(BELOW, BELOW, FLOOR), CORE_FREE);  // no core does that
}

static void assert_marked(const struct pace_log *log, enum core_state state, const char *expected,
                          double expected_chain_ns)
{
    bool marked[64];
    double chain_ns = -1;
    size_t count = 0, stretches = strlen(expected);
    memset(marked, 7, sizeof marked);
    for (size_t i = 0; i < 4 * stretches; i++)
        count += expected[i / 4] == '1';
    assert_int_equal(pace_log_mark(log, FLOOR, state, marked, &chain_ns), count);
    for (size_t i = 0; i < 4 * stretches; i++)
        assert_int_equal(marked[i], expected[i / 4] == '1');
    assert_near(chain_ns, expected_chain_ns, 1e-12);
}

static void batches_between_two_readings_of_a_state_are_marked(void **state)
{
    (void)state;
    AUTO(pace_log) struct pace_log log =
        LOG(FREE, FREE, SHARED, SHARED, SHARED, SLOWER, SLOWER, FREE);
    assert_marked(&log, CORE_FREE, "1000011", (50 + 52 + 51) / 3.);
    assert_marked(&log, CORE_SHARED, "0011000", 50);
    assert_marked(&log, CORE_UNKNOWN, "1111111", (.25 * 50 + 50 + 50 + 51 + .25 * 51) / 3.5);
}

static void a_state_that_never_was_marks_nothing(void **state)
{
    (void)state;
    AUTO(pace_log) struct pace_log shared = LOG(SHARED, SHARED, SHARED), once = LOG(FREE);
    assert_marked(&shared, CORE_FREE, "00", 0);
    assert_marked(&once, CORE_FREE, "", 0);
    assert_marked(&once, CORE_UNKNOWN, "", 0);
}

static void a_summary_tells_how_often_the_core_was_free_and_how_fast(void **state)
{
    (void)state;
    struct pace_summary summary =
        pace_summarize(READINGS(SHARED, FREE, SLOWER, SHARED, FREE, SLOWER, SHARED, SHARED), FLOOR);
    assert_int_equal(summary.readings, 8);
    assert_near(summary.free, .5, 1e-15);
    assert_near(summary.chain_ns, 51, 1e-12);
    assert_near(summary.lowest, .01, 1e-15);
    assert_near(summary.low, .01, 1e-15);
    assert_near(summary.high, .015, 1e-15);
    summary = pace_summarize(READINGS(SHARED, SHARED, SHARED, SHARED), FLOOR);
    assert_near(summary.free, 0, 0);
    assert_near(summary.chain_ns, 0, 0);
    assert_near(summary.lowest, .015, 1e-15);
}

static void a_single_reading_near_the_floor_is_not_a_free_core(void **state)
{
    (void)state;
    struct pace_summary summary =
        pace_summarize(READINGS(FREE, SHARED, FREE, SHARED, FREE, FREE, SHARED, SHARED), FLOOR);
    assert_near(summary.free, .25, 1e-15);
}

static void a_summary_of_nothing_is_empty(void **state)
{
    (void)state;
    static const struct pace_summary nothing;
    struct pace_summary summary = pace_summarize(NULL, 0, FLOOR);
    assert_memory_equal(&summary, &nothing, sizeof nothing);
    summary = pace_summarize(READINGS(UNREAD, UNREAD), FLOOR);
    assert_memory_equal(&summary, &nothing, sizeof nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_does_not_depend_on_the_frequency),
        cmocka_unit_test(without_both_kernels_there_is_no_ratio),
        cmocka_unit_test(the_lowest_ratio_needs_four_readings_that_agree),
        cmocka_unit_test(an_interrupted_chain_does_not_lower_the_floor),
        cmocka_unit_test(a_floor_is_lowered_only_by_more_than_the_error_of_a_reading),
        cmocka_unit_test(a_batch_has_a_state_if_both_readings_agree),
        cmocka_unit_test(without_a_floor_or_a_reading_the_state_is_unknown),
        cmocka_unit_test(the_core_is_free_within_eight_percent_of_the_floor),
        cmocka_unit_test(batches_between_two_readings_of_a_state_are_marked),
        cmocka_unit_test(a_state_that_never_was_marks_nothing),
        cmocka_unit_test(a_summary_tells_how_often_the_core_was_free_and_how_fast),
        cmocka_unit_test(a_single_reading_near_the_floor_is_not_a_free_core),
        cmocka_unit_test(a_summary_of_nothing_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
