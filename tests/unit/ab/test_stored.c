// Verdicts on records measured earlier.
#include "ab/verdict/stored.h"

#include "base/mem.h"
#include "core/record/warnings.h"
#include "unit.h"

enum { TIMES = 10 };

static struct bilanx_record record_of(double seconds, uint64_t number)
{
    struct bilanx_record record = {.kind = mem_text("measurement")};
    record.timing.number_per_run = number;
    record.timing.raw_times = mem_array(double, TIMES);
    record.timing.raw_count = TIMES;
    for (int i = 0; i < TIMES; i++)
        record.timing.raw_times[i] = seconds * (1 + i * 1e-5);
    return record;
}

static void assert_verdict(struct bilanx_record before, struct bilanx_record after,
                           const char *verdict, const char *reason)
{
    struct bilanx_record out;
    const struct stored_hours hours = {.spread = .058, .free = true};
    stored_judge_times(&before, &after, &hours, &default_margins, &out);
    assert_string_equal(out.verdict->verdict, verdict);
    assert_non_null(strstr(out.verdict->reason, reason));
    bilanx_record_done(&before);
    bilanx_record_done(&after);
    bilanx_record_done(&out);
}

static void twice_the_time_only_seems_slower(void **state)
{
    (void)state;
    assert_verdict(record_of(1e-3, 10), record_of(2e-3, 10), "seems-slower",
                   "from 10 and 10 stored times, measured at different times, which may account "
                   "for 6 %: the frequency may have changed");
    assert_verdict(record_of(2e-3, 10), record_of(1e-3, 10), "seems-faster", "stored times");
}

static void a_change_within_the_variation_between_hours_is_undecided(void **state)
{
    (void)state;
    assert_verdict(record_of(1e-3, 10), record_of(1.055e-3, 10), "undecided", "6 %");
    assert_verdict(record_of(1e-3, 10), record_of(1.07e-3, 10), "seems-slower", "6 %");
}

static void the_changes_of_all_cases_show_the_variation_between_hours(void **state)
{
    (void)state;
    // A common shift, a little scatter, and one case that has really changed.
    static const double changes[] = {.1, .11, .09, .1, .105, .095, .1, .9};
    struct stored_hours hours = stored_hours(changes, LENGTH(changes), false);
    assert_int_equal(hours.cases, LENGTH(changes));
    assert_true(hours.spread > .1 && hours.spread < .15);
    assert_true(stored_hours((double[10]){0}, 10, false).spread == 0);
}

static void a_few_cases_show_nothing_about_hours(void **state)
{
    (void)state;
    struct stored_hours free = stored_hours((double[7]){0}, 7, true);
    struct stored_hours unknown = stored_hours((double[7]){0}, 7, false);
    assert_int_equal(free.cases, 0);
    assert_true(free.spread > .05 && free.spread < .07);
    assert_true(unknown.spread > .6 && unknown.spread < .7);  // a neighbour: 1.9 times
}

static struct bilanx_record noisy(void)
{
    struct bilanx_record record = record_of(1e-3, 10);
    for (int i = 0; i < TIMES; i += 2)
        record.timing.raw_times[i] *= 10;
    return record;
}

static void times_that_vary_by_ten_are_undecided(void **state)
{
    (void)state;
    assert_verdict(noisy(), noisy(), "undecided", "stored times");
}

static struct bilanx_record coarse(double seconds)
{
    struct bilanx_record record = record_of(seconds, 1u << 31);
    record_warn(&record, "clock-too-coarse", "under 100 steps of the clock");
    return record;
}

static void times_below_the_clocks_resolution_are_undecided(void **state)
{
    (void)state;
    assert_verdict(coarse(20e-9), coarse(40e-9), "undecided", "below the clock's resolution");
    assert_verdict(record_of(1e-3, 10), coarse(40e-9), "undecided", "below the clock's resolution");
    assert_verdict(coarse(1e-6), coarse(2e-6), "seems-slower", "stored times");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_time_only_seems_slower),
        cmocka_unit_test(a_change_within_the_variation_between_hours_is_undecided),
        cmocka_unit_test(the_changes_of_all_cases_show_the_variation_between_hours),
        cmocka_unit_test(a_few_cases_show_nothing_about_hours),
        cmocka_unit_test(times_that_vary_by_ten_are_undecided),
        cmocka_unit_test(times_below_the_clocks_resolution_are_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
