// Verdicts on records measured earlier.
#include "ab/verdict/stored.h"

#include <math.h>

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
    record_warn(&record, "busy-machine", "other work");
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

// The verdict on two records of the same times but for a factor, as the record says it.
static struct bilanx_record judged(const double *a, size_t a_count, const double *b, size_t b_count,
                                   const struct stored_hours *hours)
{
    struct bilanx_record out,
        before = {.timing = {.number_per_run = 2, .raw_times = (double *)a, .raw_count = a_count}},
        after = {.task = {.label = (char *)"l"},
                 .timing = {.number_per_run = 4, .raw_times = (double *)b, .raw_count = b_count}};
    stored_judge_times(&before, &after, hours, &default_margins, &out);
    return out;
}

static void a_stored_change_has_welchs_interval_and_the_spread_of_hours(void **state)
{
    (void)state;
    // In logarithms of the time per call: 0, 1, 2 and 3, 5, 7, with variances 1 and 4.
    const double a[] = {2, 2 * exp(1), 2 * exp(2)};
    const double b[] = {4 * exp(3), 4 * exp(5), 4 * exp(7)};
    const struct stored_hours hours = {.spread = .5, .cases = 9};
    AUTO(bilanx_record) struct bilanx_record out = judged(a, 3, b, 3, &hours);
    const struct bilanx_verdict *verdict = out.verdict;
    double va = 1 / 3., vb = 4 / 3., df = (va + vb) * (va + vb) / (va * va / 2 + vb * vb / 2);
    double half = stats_student(.995, df) * sqrt(va + vb) + .5;
    assert_near(verdict->change, exp(4) - 1, 1e-9);
    assert_near(verdict->interval[0], exp(4 - half) - 1, 1e-9);
    assert_near(verdict->interval[1] / (exp(4 + half) - 1), 1, 1e-9);
    assert_near(verdict->times[0], exp(1), 1e-12);
    assert_near(verdict->times[1], exp(5), 1e-9);
    assert_string_equal(verdict->verdict, "undecided");
    assert_near(verdict->detectable / (exp(half + .0025) - 1), 1, 1e-9);
    assert_string_equal(out.task.label, "l");
    assert_string_equal(out.kind, "verdict");
    assert_string_equal(verdict->reason,
                        "from 3 and 3 stored times, measured at different times, which may account "
                        "for 65 %, as the changes of all 9 cases show");
    assert_string_equal(out.warnings[0].code, "not-interleaved");
}

static void a_single_stored_time_has_no_interval(void **state)
{
    (void)state;
    const double one[] = {2}, two[] = {4, 4};
    const struct stored_hours hours = {.spread = .1};
    AUTO(bilanx_record) struct bilanx_record out = judged(one, 1, two, 2, &hours);
    assert_true(isinf(out.verdict->interval[0]) && isinf(out.verdict->interval[1]));
    assert_true(isnan(out.verdict->detectable));
    assert_string_equal(out.verdict->verdict, "undecided");
    AUTO(bilanx_record) struct bilanx_record other = judged(two, 2, one, 1, &hours);
    assert_true(isinf(other.verdict->interval[0]));
    AUTO(bilanx_record) struct bilanx_record both = judged(two, 2, two, 2, &hours);
    assert_near(both.verdict->interval[0], exp(log(.5) - .1) - 1, 1e-12);
    assert_string_equal(both.verdict->verdict, "seems-faster");
    assert_non_null(strstr(both.verdict->reason, "the records do not say whether they had the core "
                                                 "to themselves"));
}

static void times_that_hardly_differ_seem_the_same(void **state)
{
    (void)state;
    const double a[] = {2, 2}, b[] = {4, 4};
    const struct stored_hours steady = {.spread = .004, .free = true};
    AUTO(bilanx_record) struct bilanx_record out = judged(a, 2, b, 2, &steady);
    assert_string_equal(out.verdict->verdict, "seems-same");
    assert_true(isnan(out.verdict->detectable));
    struct bilanx_record before = record_of(1, 1), after = record_of(2, 1);
    assert_near(stored_change(&before, &after), log(2), 1e-12);
    bilanx_record_done(&before);
    bilanx_record_done(&after);
}

static void hours_vary_by_the_common_change_and_the_usual_distance_from_it(void **state)
{
    (void)state;
    // Median .1, and half of them .02 off: 2.576 standard deviations of 1.4826 times that.
    static const double changes[] = {.1, .12, .08, .1, .12, .08, .12, .08, .1};
    struct stored_hours hours = stored_hours(changes, 9, true);
    assert_near(hours.spread, .1 + 2.576 * 1.4826 * .02, 1e-12);
    assert_true(hours.free);
    double negative[9];
    for (size_t i = 0; i < 9; i++)
        negative[i] = -changes[i];
    assert_near(stored_hours(negative, 9, false).spread, hours.spread, 1e-12);
    assert_false(stored_hours(negative, 9, false).free);
}

static void only_coarse_times_below_200_ns_are_too_short(void **state)
{
    (void)state;
    assert_verdict(coarse(199e-9), coarse(400e-9), "undecided", "below the clock's resolution");
    assert_verdict(coarse(201e-9), coarse(400e-9), "seems-slower", "stored times");
    assert_verdict(coarse(400e-9), coarse(199e-9), "undecided", "below the clock's resolution");
    assert_verdict(record_of(20e-9, 1), record_of(40e-9, 1), "seems-slower", "stored times");
}

static struct bilanx_record counts_of(double per_iteration, const char *hwcaps)
{
    struct bilanx_record record = {.kind = mem_text("counts")};
    record.counts = mem_new(struct bilanx_counts);
    record.counts->per_iteration = per_iteration;
    record.counts->hwcaps = mem_text(hwcaps);
    return record;
}

static void instructions_are_exact(void **state)
{
    (void)state;
    static const struct {
        double before, after;
        const char *hwcaps, *verdict, *reason;
    } cases[] = {
        {1000, 1003, "x86-64-v2", "slower", "instructions, not times: 1000 and 1003"},
        {1000, 997, "x86-64-v2", "faster", "instructions, not times: 1000 and 997"},
        {1000, 1002, "x86-64-v2", "same", "instructions, not times: 1000 and 1002"},
        {1000, 998, "x86-64-v2", "same", "instructions, not times: 1000 and 998"},
        {1000, 2000, "x86-64-v3", "undecided",
         "instructions, not times: 1000 and 2000; counts are of different variants of glibc's "
         "functions: x86-64-v2, and x86-64-v3"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(bilanx_record) struct bilanx_record before = counts_of(cases[i].before, "x86-64-v2");
        AUTO(bilanx_record) struct bilanx_record after = counts_of(cases[i].after, cases[i].hwcaps);
        AUTO(bilanx_record) struct bilanx_record out;
        stored_judge_counts(&before, &after, &default_margins, &out);
        assert_string_equal(out.verdict->verdict, cases[i].verdict);
        assert_string_equal(out.verdict->reason, cases[i].reason);
        double change = cases[i].after / cases[i].before - 1;
        assert_near(out.verdict->change, change, 1e-15);
        assert_near(out.verdict->interval[0], change, 1e-15);
        assert_near(out.verdict->interval[1], change, 1e-15);
        assert_true(isnan(out.verdict->detectable));
    }
}

static void a_task_is_the_same_whatever_the_compiler_and_the_environment(void **state)
{
    (void)state;
#define S(text) ((char *)(text))
    const struct bilanx_task task = {.stmt = S("f"),
                                     .setup = S("s"),
                                     .global_setup = S("g"),
                                     .language = S("c"),
                                     .label = S("l"),
                                     .sub_label = S("u"),
                                     .description = S("d"),
                                     .num_threads = 2,
                                     .parameters = S("{}"),
                                     .command = S("[]")};
    struct bilanx_task other = task;
    struct bilanx_compile compile = {.cc = S("gcc")};
    other.env = S("e");
    other.compile = &compile;
    assert_true(stored_is_same_task(&task, &other));
    char **const texts[] = {&other.stmt,        &other.setup,      &other.global_setup,
                            &other.language,    &other.label,      &other.sub_label,
                            &other.description, &other.parameters, &other.command};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        char *before = *texts[i];
        *texts[i] = S("other");
        assert_false(stored_is_same_task(&task, &other));
        *texts[i] = before;
    }
    other.num_threads = 3;
    assert_false(stored_is_same_task(&task, &other));
}

static void the_shortest_time_decides_whether_times_are_too_short(void **state)
{
    (void)state;
    for (int at = 0; at < 2; at++) {
        struct bilanx_record one = coarse(400e-9);
        one.timing.raw_times[at ? TIMES - 1 : 0] = 150e-9;
        assert_verdict(one, coarse(900e-9), "undecided", "below the clock's resolution");
    }
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
        cmocka_unit_test(a_stored_change_has_welchs_interval_and_the_spread_of_hours),
        cmocka_unit_test(a_single_stored_time_has_no_interval),
        cmocka_unit_test(times_that_hardly_differ_seem_the_same),
        cmocka_unit_test(hours_vary_by_the_common_change_and_the_usual_distance_from_it),
        cmocka_unit_test(only_coarse_times_below_200_ns_are_too_short),
        cmocka_unit_test(instructions_are_exact),
        cmocka_unit_test(a_task_is_the_same_whatever_the_compiler_and_the_environment),
        cmocka_unit_test(the_shortest_time_decides_whether_times_are_too_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
