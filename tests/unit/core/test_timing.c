#include "bilanx/timing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/pace_effect.h"
#include "unit.h"

static struct bilanx_stats summarize(const char *method, uint64_t number, const double *raw,
                                     size_t count)
{
    const struct bilanx_timing timing = {.method = (char *)method,
                                         .number_per_run = number,
                                         .raw_times = (double *)raw,
                                         .raw_count = count};
    struct bilanx_stats stats = {.marginal = 42};
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.marginal, 42, 0);  // set elsewhere
    return stats;
}

static void blocks_are_summarized_by_their_median(void **state)
{
    (void)state;
    static const double raw[] = {8, 2, 1, 16, 4, 5};
    struct bilanx_stats stats = summarize("blocked", 10, raw, LENGTH(raw));
    assert_near(stats.estimate, 0.45, 1e-15);
    assert_near(stats.median, 0.45, 1e-15);
    assert_near(stats.mean, 0.6, 1e-15);
    assert_near(stats.stddev, sqrt(1.5 / 5), 1e-15);  // squares 6.4^2 ... over 100: 1.5 in all
    assert_near(stats.min, 0.1, 1e-15);
    assert_near(stats.p25, 0.25, 1e-15);
    assert_near(stats.p75, 0.725, 1e-15);
    assert_near(stats.iqr, 0.475, 1e-15);
    assert_near(stats.significant_figures, 1, 0);
    assert_near(stats.ci95[0], 0.1, 1e-15);  // first and last of six values
    assert_near(stats.ci95[1], 1.6, 1e-15);
    assert_true(isnan(stats.between) && isnan(stats.within));
}

static void too_few_blocks_have_no_interval(void **state)
{
    (void)state;
    static const double raw[] = {1, 2, 3, 4, 5};
    struct bilanx_stats stats = summarize("blocked", 1, raw, LENGTH(raw));
    assert_near(stats.estimate, 3, 0);
    assert_true(isnan(stats.ci95[0]) && isnan(stats.ci95[1]));
    stats = summarize("timeit", 4, raw + 1, 1);
    assert_near(stats.estimate, 0.5, 0);
    assert_near(stats.stddev, 0, 0);
    assert_true(isnan(stats.ci95[0]));
}

static void an_unknown_method_is_summarized_by_its_median(void **state)
{
    (void)state;
    static const double raw[] = {1, 2, 9};
    assert_near(summarize(NULL, 1, raw, 3).estimate, 2, 0);
    assert_near(summarize("another's", 1, raw, 3).estimate, 2, 0);
}

static void epochs_are_summarized_by_their_geometric_mean(void **state)
{
    (void)state;
    // ln: 0, 1, 2, 3 times ln 2 in some order; mean 1.5, deviation sqrt(5/3), t(.975, 3) = 3.182.
    static const double raw[] = {40, 10, 80, 20};
    struct bilanx_stats stats = summarize("rigorous", 10, raw, LENGTH(raw));
    assert_near(stats.estimate, pow(2, 1.5), 1e-14);
    assert_near(stats.median, 3, 1e-15);
    assert_near(stats.between, M_LN2 * sqrt(5.0 / 3), 1e-14);
    double half = 3.18244630528 * sqrt(5.0 / 12);
    assert_near(stats.ci95[0], pow(2, 1.5 - half), 1e-9);
    assert_near(stats.ci95[1], pow(2, 1.5 + half), 1e-8);
}

static void one_epoch_has_no_interval(void **state)
{
    (void)state;
    static const double raw[] = {6};
    struct bilanx_stats stats = summarize("rigorous", 2, raw, 1);
    assert_near(stats.estimate, 3, 1e-15);
    assert_true(isnan(stats.ci95[0]) && isnan(stats.ci95[1]));
}

static double log_width(const struct bilanx_stats *stats)
{
    return log(stats->ci95[1] / stats->ci95[0]);
}

static void drifting_epochs_are_merged_before_they_count(void **state)
{
    (void)state;
    // Ten epochs in ascending order correlate (0.7): five pairs of means .5, 2.5 ... 8.5 count,
    // deviation sqrt 10, t(.975, 4) = 2.776. Shuffled, all ten do, and the interval is narrower.
    static const double drifting[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    static const double mixed[] = {16, 512, 1, 64, 4, 256, 2, 128, 8, 32};
    struct bilanx_stats merged = summarize("rigorous", 1, drifting, 10);
    struct bilanx_stats all = summarize("rigorous", 1, mixed, 10);
    assert_near(merged.estimate, all.estimate, 1e-12);
    assert_near(merged.between, all.between, 1e-14);
    assert_near(log_width(&merged), 2 * 2.7764451052 * M_LN2 * sqrt(10.0 / 5), 1e-8);
    assert_near(log_width(&all), 2 * 2.2621571628 * M_LN2 * sqrt(55.0 / 6 / 10), 1e-8);
}

static void epochs_are_never_merged_into_fewer_than_five(void **state)
{
    (void)state;
    static const double drifting[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    struct bilanx_stats stats = summarize("rigorous", 1, drifting, 9);
    assert_near(log_width(&stats), 2 * 2.30600413503 * M_LN2 * sqrt(7.5 / 9), 1e-8);
}

static void extremely_different_times_are_handled(void **state)
{
    (void)state;
    static const double raw[] = {1e-300, 1e300};
    struct bilanx_stats stats = summarize("rigorous", 1, raw, 2);
    assert_near(stats.estimate, 1, 1e-12);
    assert_true(stats.ci95[0] == 0 && stats.ci95[1] == INFINITY);
}

static void times_of_zero_are_handled(void **state)
{
    (void)state;
    static const double raw[] = {0, 0, 0};
    struct bilanx_stats stats = summarize("rigorous", 1, raw, 3);
    assert_near(stats.estimate, 0, 0);
    assert_true(isnan(stats.ci95[0]) && isnan(stats.between));
    double seconds[] = {0, 0, 4, 2};
    struct bilanx_epoch epoch = bilanx_epoch_make(seconds, 4, 2);
    assert_near(epoch.time, 0.5, 0);  // the midmean of 0, 0, 2, 4
}

static void the_spread_within_epochs_is_the_median_spread(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[] = {
        {.time = 10, .p25 = 9, .p75 = 10},  // 0.1
        {.time = 10, .p25 = 5, .p75 = 14},  // 0.9
        {.time = 10, .p25 = 8, .p75 = 10},  // 0.2
    };
    const struct bilanx_timing timing = {.number_per_run = 1,
                                         .raw_times = (double[]){10, 10, 10},
                                         .raw_count = 3,
                                         .epochs = epochs,
                                         .epoch_count = 3};
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.within, 0.2, 1e-15);
}

static void an_epoch_is_the_geometric_midmean_of_its_batches(void **state)
{
    (void)state;
    double seconds[] = {800, 200, 50, 100, 400, 50000, 100, 1};  // the middle: 50 .. 400 -> logs
    struct bilanx_epoch epoch = bilanx_epoch_make(seconds, LENGTH(seconds), 100);
    assert_near(epoch.time, pow(1.0 * 1.0 * 2.0 * 4.0, 0.25), 1e-14);
    assert_near(epoch.min, 0.01, 1e-15);
    assert_near(epoch.p25, 0.875, 1e-15);
    assert_near(epoch.p75, 5, 1e-14);
    assert_near(epoch.p99, 8 + 0.93 * (500 - 8), 1e-11);
    assert_int_equal(epoch.batches, 8);
    assert_int_equal(epoch.disturbed, 0);
    assert_null(epoch.extra);
}

enum { EPOCHS = 16 };

// Epochs at paces spread around `middle` times that of the reference, with times that grow with the
// pace to this power: 1 if the code waits for its own results, 0 if for memory.
static struct bilanx_stats at_paces(double middle, double spread, double power, double noise)
{
    struct bilanx_epoch epochs[EPOCHS] = {0};
    double raw[EPOCHS];
    static const double reference = 50e-9;
    for (size_t i = 0; i < EPOCHS; i++) {
        double pace = middle * (1 + spread * (double)(i * 7 % EPOCHS) / EPOCHS);
        raw[i] = 1e-6 * pow(pace, power) * (1 + noise * (double)(i * 5 % EPOCHS) / EPOCHS);
        epochs[i].reference = reference * pace;
    }
    const struct bilanx_timing timing = {.method = (char *)"rigorous",
                                         .number_per_run = 1,
                                         .raw_times = raw,
                                         .raw_count = EPOCHS,
                                         .epochs = epochs,
                                         .epoch_count = EPOCHS,
                                         .reference = reference};
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(&timing, &stats);
    return stats;
}

static void times_are_stated_at_the_pace_of_the_reference(void **state)
{
    (void)state;
    struct bilanx_stats stats = at_paces(1.03, .04, 1, 0);
    assert_near(stats.estimate, 1e-6, 1e-12);
    assert_near(stats.between, 0, 1e-9);
    assert_true(stats.median > 1.02e-6);  // as measured
    stats = at_paces(1.03, 0, 1, 0);      // without variation, the usual dependence is assumed
    assert_near(stats.estimate, 1e-6, 1e-12);
}

static void times_that_do_not_follow_the_pace_are_not_corrected(void **state)
{
    (void)state;
    struct bilanx_stats stats = at_paces(1.03, .04, 0, 0);
    assert_near(stats.estimate, 1e-6, .002e-6);  // proportional code would be 5 % off
    assert_true(stats.ci95[0] < 1e-6 && stats.ci95[1] > 1e-6);
    struct bilanx_stats half = at_paces(1.03, .04, .5, 0);
    assert_near(half.estimate, 1e-6, .004e-6);
}

static void times_are_never_corrected_by_more_than_the_pace(void **state)
{
    (void)state;
    assert_near(at_paces(1, .04, 2, 0).estimate, at_paces(1, .04, 1, 0).estimate * 1.02, .003e-6);
    assert_near(at_paces(1, .04, -1, 0).estimate, 1e-6 / 1.02, .003e-6);
}

static void the_interval_allows_for_the_error_of_the_correction(void **state)
{
    (void)state;
    struct bilanx_stats near = at_paces(1, 0, 1, .01), far = at_paces(1.05, 0, 1, .01);
    assert_near(near.between, far.between, 1e-9);
    assert_true(log_width(&far) > 2 * log_width(&near));
    assert_true(log_width(&far) > 4 * .35 * log(1.05) * .9);  // the slope is known to within .35
}

static void without_a_pace_in_every_epoch_times_are_as_measured(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[4] = {{.reference = 55e-9}, {.reference = 55e-9}, {0}, {0}};
    struct bilanx_timing timing = {.method = (char *)"rigorous",
                                   .number_per_run = 1,
                                   .raw_times = (double[]){1, 1, 1, 1},
                                   .raw_count = 4,
                                   .epochs = epochs,
                                   .epoch_count = 4,
                                   .reference = 50e-9};
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.estimate, 1, 1e-15);
    epochs[2].reference = epochs[3].reference = 55e-9;
    epochs[0].reference = 0;
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.estimate, 1, 1e-15);
    epochs[0].reference = 55e-9;
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.estimate, 1 / 1.1, 1e-12);
    timing.reference = 0;
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.estimate, 1, 1e-15);
}

static void cpu_time_is_the_median_per_call_if_known(void **state)
{
    (void)state;
    struct bilanx_timing timing = {.number_per_run = 4};
    assert_true(isnan(bilanx_timing_cpu(&timing)));
    timing.raw_cpu_times = (double[]){9, 2, 4};
    timing.raw_cpu_count = 3;
    assert_near(bilanx_timing_cpu(&timing), 1, 0);
    assert_near(timing.raw_cpu_times[0], 9, 0);  // order unchanged
}

static void done_frees_everything(void **state)
{
    (void)state;
    struct bilanx_timing timing = {
        .method = mem_text("latency"),
        .raw_times = mem_array(double, 3),
        .raw_count = 3,
        .raw_cpu_times = mem_array(double, 3),
        .epochs = mem_array(struct bilanx_epoch, 2),
        .epoch_count = 2,
        .latency = mem_new(struct bilanx_latency),
    };
    timing.epochs[1].extra = mem_text("{}");
    timing.latency->extra = mem_text("{}");
    bilanx_timing_done(&timing);  // the leak sanitizer detects what it misses
    static const struct bilanx_timing nothing;
    assert_memory_equal(&timing, &nothing, sizeof timing);
    bilanx_timing_done(&timing);
}

static void an_epoch_of_no_batches_is_empty(void **state)
{
    (void)state;
    static const struct bilanx_epoch empty;
    double one[] = {6};
    struct bilanx_epoch none = bilanx_epoch_make(one, 0, 1),
                        missing = bilanx_epoch_make(NULL, 3, 1);
    assert_memory_equal(&none, &empty, sizeof empty);
    assert_memory_equal(&missing, &empty, sizeof empty);
    struct bilanx_epoch epoch = bilanx_epoch_make(one, 1, 0);  // as if of one call
    assert_near(epoch.time, 6, 1e-14);
    assert_near(epoch.min, 6, 0);
    assert_int_equal(epoch.batches, 1);
}

// The intervals of ten values, merged to five or not, by the correlation of neighbours.
static void neighbours_are_merged_if_they_correlate_by_three_tenths(void **state)
{
    (void)state;
    static const struct {
        double exponents[10];
        bool merged;
    } cases[] = {
        {{3, 8, 9, 4, 0, 1, 5, 7, 6, 2}, true},   // .312
        {{9, 7, 8, 6, 1, 5, 2, 3, 4, 0}, false},  // .288
        {{9, 8, 2, 0, 1, 3, 6, 4, 5, 7}, true},   // .452
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double raw[10], mean[5] = {0}, squares = 0;
        for (size_t k = 0; k < 10; k++) {
            raw[k] = pow(2, cases[i].exponents[k]);
            mean[k / 2] += cases[i].exponents[k] / 2;
        }
        for (size_t k = 0; k < 5; k++)
            squares += (mean[k] - 4.5) * (mean[k] - 4.5);
        struct bilanx_stats stats = summarize("rigorous", 1, raw, 10);
        double expected = cases[i].merged ? 2.7764451052 * sqrt(squares / 4 / 5)
                                          : 2.2621571628 * sqrt(82.5 / 9 / 10);
        assert_near(log_width(&stats), 2 * M_LN2 * expected, 1e-8);
    }
}

static void the_correction_of_the_pace_adds_to_the_interval_like_an_independent_error(void **state)
{
    (void)state;
    struct bilanx_stats near = at_paces(1, 0, 1, .01), far = at_paces(1.05, 0, 1, .01);
    double half = log_width(&near) / 2, error = .35 * log(1.05);
    assert_near(log_width(&far) / 2, sqrt(half * half + 4 * error * error), 1e-9);
}

static void the_spread_within_ignores_epochs_without_quartiles(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[] = {{.time = 10, .p25 = NAN, .p75 = NAN},
                                    {.time = 10, .p25 = 9, .p75 = 12},
                                    {.time = 0, .p25 = 1, .p75 = 2}};  // took no time: no spread
    const struct bilanx_timing timing = {.number_per_run = 1,
                                         .raw_times = (double[]){10, 10, 10},
                                         .raw_count = 3,
                                         .epochs = epochs,
                                         .epoch_count = 3};
    struct bilanx_stats stats = {0};
    bilanx_timing_summarize(&timing, &stats);
    assert_near(stats.within, .15, 1e-15);
    epochs[1].p25 = epochs[2].p25 = NAN;
    epochs[2].time = 1;
    bilanx_timing_summarize(&timing, &stats);
    assert_true(isnan(stats.within));
}

static void nothing_measured_leaves_the_statistics_alone(void **state)
{
    (void)state;
    struct bilanx_stats stats = {.median = 7};
    const struct bilanx_timing nothing = {.number_per_run = 1};
    bilanx_timing_summarize(&nothing, &stats);
    bilanx_timing_summarize(NULL, &stats);
    bilanx_timing_summarize(&nothing, NULL);
    bilanx_timing_done(NULL);
    assert_near(stats.median, 7, 0);
    assert_true(isnan(bilanx_timing_cpu(NULL)));
}

// The share of each epoch, applied to the estimate: the middle one of 1/4, 1/2 and 3/4.
static void the_cpu_time_of_epochs_is_their_share_of_the_estimate(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[3] = {{.layout = 0}};
    struct bilanx_timing timing = {.method = (char *)"rigorous",
                                   .number_per_run = 10,
                                   .raw_times = (double[]){40, 40, 40},
                                   .raw_count = 3,
                                   .raw_cpu_times = (double[]){30, 10, 20},
                                   .raw_cpu_count = 3,
                                   .epochs = epochs,
                                   .epoch_count = 3};
    assert_near(bilanx_timing_cpu(&timing), 2, 1e-12);
    timing.raw_count = 2;  // not one for each CPU time
    assert_near(bilanx_timing_cpu(&timing), 2, 1e-12);
    timing.raw_cpu_times = (double[]){30, 10, 50};
    assert_near(bilanx_timing_cpu(&timing), 3, 1e-12);
    timing.raw_cpu_times = (double[]){30, 10, 20};
    timing.raw_count = 3;
    timing.raw_times = (double[]){0, 40, 40};  // no share
    timing.method = (char *)"timeit";
    assert_near(bilanx_timing_cpu(&timing), 4 * .25, 1e-12);
}

static void raw_times_can_be_stated_at_the_pace_of_the_reference(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[] = {{.reference = 55e-9}, {.reference = 55e-9}};
    double raw[] = {11, 22};
    struct bilanx_timing timing = {.number_per_run = 1,
                                   .raw_times = raw,
                                   .raw_count = 2,
                                   .epochs = epochs,
                                   .epoch_count = 2,
                                   .reference = 50e-9};
    pace_effect_remove_from_times(&timing);
    assert_near(raw[0], 10, 1e-12);
    assert_near(raw[1], 20, 1e-12);
    raw[0] = 0;
    pace_effect_remove_from_times(&timing);
    assert_near(raw[0], 0, 0);  // a time without a logarithm: as measured
    assert_near(raw[1], 20, 1e-12);
}

// The usual dependence counts as much as epochs whose paces vary by noise / .35, docs/method.
static void the_dependence_on_the_pace_is_estimated_from_few_epochs(void **state)
{
    (void)state;
    struct bilanx_epoch epochs[] = {{.reference = 50e-9}, {.reference = 0}};
    epochs[1].reference = 50e-9 * exp(.2);
    const struct bilanx_timing timing = {.epochs = epochs, .epoch_count = 2, .reference = 50e-9};
    double usual = .002 * .002 / (.35 * .35), logs[] = {1, 1};
    double slope = usual / (.02 + usual), error = sqrt(.002 * .002 / (.02 + usual));
    assert_near(pace_effect_remove(&timing, logs, 2), .1 * error, 1e-12);
    assert_near(logs[0], 1, 1e-12);
    assert_near(logs[1], 1 - .2 * slope, 1e-12);
    epochs[1].reference = 50e-9 * exp(-.2);
    double before[] = {1, 1};
    assert_near(pace_effect_remove(&timing, before, 2), .1 * error, 1e-12);
    epochs[1].reference = 50e-9 * exp(2);
    double faster[] = {1, .9};  // although the core was slower
    pace_effect_remove(&timing, faster, 2);
    assert_near(faster[1], .9, 1e-12);
    double slower[] = {1, 3.5};  // by far more than the core
    pace_effect_remove(&timing, slower, 2);
    assert_near(slower[0], 1, 1e-12);
    assert_near(slower[1], 1.5, 1e-12);
    double alone[] = {1};
    const struct bilanx_timing one = {.epochs = &epochs[1], .epoch_count = 1, .reference = 50e-9};
    assert_near(pace_effect_remove(&one, alone, 1), 0, 0);
    assert_near(alone[0], 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_summarized_by_their_median),
        cmocka_unit_test(too_few_blocks_have_no_interval),
        cmocka_unit_test(an_unknown_method_is_summarized_by_its_median),
        cmocka_unit_test(epochs_are_summarized_by_their_geometric_mean),
        cmocka_unit_test(one_epoch_has_no_interval),
        cmocka_unit_test(drifting_epochs_are_merged_before_they_count),
        cmocka_unit_test(epochs_are_never_merged_into_fewer_than_five),
        cmocka_unit_test(extremely_different_times_are_handled),
        cmocka_unit_test(times_of_zero_are_handled),
        cmocka_unit_test(the_spread_within_epochs_is_the_median_spread),
        cmocka_unit_test(an_epoch_is_the_geometric_midmean_of_its_batches),
        cmocka_unit_test(times_are_stated_at_the_pace_of_the_reference),
        cmocka_unit_test(times_that_do_not_follow_the_pace_are_not_corrected),
        cmocka_unit_test(times_are_never_corrected_by_more_than_the_pace),
        cmocka_unit_test(the_interval_allows_for_the_error_of_the_correction),
        cmocka_unit_test(without_a_pace_in_every_epoch_times_are_as_measured),
        cmocka_unit_test(cpu_time_is_the_median_per_call_if_known),
        cmocka_unit_test(done_frees_everything),
        cmocka_unit_test(an_epoch_of_no_batches_is_empty),
        cmocka_unit_test(neighbours_are_merged_if_they_correlate_by_three_tenths),
        cmocka_unit_test(the_correction_of_the_pace_adds_to_the_interval_like_an_independent_error),
        cmocka_unit_test(the_spread_within_ignores_epochs_without_quartiles),
        cmocka_unit_test(nothing_measured_leaves_the_statistics_alone),
        cmocka_unit_test(the_cpu_time_of_epochs_is_their_share_of_the_estimate),
        cmocka_unit_test(raw_times_can_be_stated_at_the_pace_of_the_reference),
        cmocka_unit_test(the_dependence_on_the_pace_is_estimated_from_few_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
