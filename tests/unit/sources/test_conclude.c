#include "sources/commands/conclude.h"

#include "unit.h"

enum { RUNS = 20 };

// Runs of about 10 ms.
static void fill(double times[RUNS])
{
    for (size_t i = 0; i < RUNS; i++)
        times[i] = 0.01 + 0.0001 * (double)(i % 5);
}

static void steady_runs_have_no_outliers(void **state)
{
    (void)state;
    double times[RUNS];
    fill(times);
    struct outliers found = conclude_outliers(times, RUNS);
    assert_false(found.slow_first);
    assert_int_equal(found.count, 0);
}

static void a_slow_first_run_is_not_an_outlier(void **state)
{
    (void)state;
    double times[RUNS];
    fill(times);
    times[0] = 0.05;
    struct outliers found = conclude_outliers(times, RUNS);
    assert_true(found.slow_first);
    assert_int_equal(found.count, 0);
    assert_near(found.median, 0.0102, 1e-12);
}

static void outlying_runs_are_counted(void **state)
{
    (void)state;
    double times[RUNS];
    fill(times);
    times[4] = 0.03;
    times[9] = 0.08;
    times[0] = 0.001;  // too fast is an outlier too
    struct outliers found = conclude_outliers(times, RUNS);
    assert_false(found.slow_first);
    assert_int_equal(found.count, 3);
    assert_near(found.slowest, 0.08, 0);
}

static void a_first_run_is_slow_only_above_five_percent(void **state)
{
    (void)state;
    double times[RUNS];
    for (size_t i = 0; i < RUNS; i++)
        times[i] = 0.01;
    times[0] = 0.01049;
    assert_false(conclude_outliers(times, RUNS).slow_first);
    times[0] = 0.01051;
    assert_true(conclude_outliers(times, RUNS).slow_first);
}

static void few_runs_are_not_enough_to_find_outliers(void **state)
{
    (void)state;
    double times[] = {1, 0.01, 0.01, 0.01, 0.01, 0.9};
    assert_false(conclude_outliers(times, 4).slow_first);
    assert_true(conclude_outliers(times, 6).slow_first);
    assert_int_equal(conclude_outliers(times, 6).count, 0);
}

static struct commands_item measured_item(struct commands_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        runs[i] = (struct commands_run){
            .wall = 0.01, .user = 0.002, .system = 0.001 * (double)(i % 3), .round = i + 1};
    return (struct commands_item){.measured.name = (char[]){"x"}, .runs = runs, .run_count = count};
}

static bool warned(const struct bilanx_record *record, const char *code)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (strcmp(record->warnings[i].code, code) == 0)
            return true;
    return false;
}

static void a_record_contains_what_was_measured(void **state)
{
    (void)state;
    static char name[] = "first";
    struct commands_run runs[2][RUNS];
    struct commands_item items[2] = {measured_item(runs[0], RUNS), measured_item(runs[1], RUNS)};
    items[0].measured.name = name;
    for (size_t i = 0; i < RUNS; i++)
        runs[1][i].wall *= 2;
    runs[1][0].wall = 1;
    struct exit_count exits[] = {{3 << 8, 4}, {9, 1}};
    items[1].exits = exits;
    items[1].exit_count = 2;
    items[1].template_index = 1;
    struct commands commands = {.items = items, .count = 2};
    struct commands_options options = {0};
    conclude_item(&commands, &items[1], &options, &(struct warning_facts){0});
    struct bilanx_record *record = &items[1].record;
    assert_string_equal(record->kind, "measurement");
    assert_string_equal(record->timing.method, "runs");
    assert_int_equal(record->timing.number_per_run, 1);
    assert_int_equal(record->timing.raw_count, RUNS);
    assert_near(record->timing.raw_cpu_times[2], 0.004, 1e-15);
    assert_near(record->stats.estimate, 0.02, 1e-15);
    assert_string_equal(record->counters,
                        "{\"user_time\":0.002,\"system_time\":0.001,\"exit_3\":4,\"signal_9\":1}");
    assert_true(warned(record, "slow-first-run"));
    assert_false(warned(record, "outliers"));
    assert_string_equal(record->ratio->to, "first");
    assert_near(record->ratio->estimate, 2, 1e-12);
    assert_int_equal(record->ratio->pairs, RUNS);
    conclude_item(&commands, &items[0], &options, &(struct warning_facts){0});
    assert_null(items[0].record.ratio);
    bilanx_record_done(&items[0].record);
    bilanx_record_done(record);
}

static void precision_is_the_half_width_of_the_interval_of_the_median(void **state)
{
    (void)state;
    struct commands_run runs[RUNS];
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = (struct commands_run){.wall = 10 + (double)(RUNS - i)};
    // Of 20 values, the 6th from each end bounds the median: 16 to 25 around 20.5.
    assert_near(conclude_precision(runs, RUNS), 4.5 / 20.5, 1e-12);
    assert_true(isinf(conclude_precision(runs, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_runs_have_no_outliers),
        cmocka_unit_test(a_slow_first_run_is_not_an_outlier),
        cmocka_unit_test(outlying_runs_are_counted),
        cmocka_unit_test(a_first_run_is_slow_only_above_five_percent),
        cmocka_unit_test(few_runs_are_not_enough_to_find_outliers),
        cmocka_unit_test(a_record_contains_what_was_measured),
        cmocka_unit_test(precision_is_the_half_width_of_the_interval_of_the_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
