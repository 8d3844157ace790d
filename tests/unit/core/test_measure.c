#include "core/timer/measure.h"

#include <stdlib.h>

#include "unit.h"

enum { READ_COST_NS = 30 };

#define PLAN(...) plan(&(struct measure_options){__VA_ARGS__})

static struct stepper_options plan(const struct measure_options *options)
{
    struct stepper_options out;
    measure_plan(options, READ_COST_NS, &out);
    assert_ptr_equal(out.method, options->method);
    return out;
}

static void blocked_has_the_defaults_of_torch(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(.method = &method_blocked);
    assert_near(options.min_ns, 0.2e9, 0);
    assert_near(options.target_ns, 3e5, 0);  // the clock's cost is 1e-4 of a block
    assert_near(options.warmup_ns, 0, 0);
    assert_int_equal(options.number, 0);
    assert_near(PLAN(.method = &method_blocked, .min_run_time = 2).target_ns, 2e6, 0);
}

static void adaptive_has_the_defaults_of_torch(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(.method = &method_adaptive);
    assert_near(options.min_ns, 0.01e9, 0);
    assert_near(options.max_ns, 10e9, 0);
    assert_near(options.threshold, 0.1, 0);
}

static void timeit_chooses_the_calls_of_its_single_block(void **state)
{
    (void)state;
    struct stepper_options options = PLAN(.method = &method_timeit);
    assert_int_equal(options.number, 0);
    assert_near(options.target_ns, 0.2e9, 0);
    assert_int_equal(options.max_blocks, 1);
    options = PLAN(.method = &method_timeit, .number = 5, .repeats = 3);
    assert_int_equal(options.number, 5);
    assert_int_equal(options.max_blocks, 3);
}

static void latency_takes_half_a_second(void **state)
{
    (void)state;
    assert_near(PLAN(.method = &method_latency).max_ns, 0.5e9, 0);
}

static void explicit_options_override_the_defaults(void **state)
{
    (void)state;
    struct stepper_options options =
        PLAN(.method = &method_adaptive, .number = 12, .min_run_time = 0.5, .max_run_time = 2,
             .warmup = 0.25, .threshold = 0.05);
    assert_int_equal(options.number, 12);
    assert_near(options.min_ns, 0.5e9, 0);
    assert_near(options.max_ns, 2e9, 0);
    assert_near(options.warmup_ns, 0.25e9, 0);
    assert_near(options.threshold, 0.05, 0);
}

static void an_explicit_limit_moves_the_other_default(void **state)
{
    (void)state;
    assert_near(PLAN(.method = &method_latency, .min_run_time = 3).max_ns, 3e9, 0);
    assert_near(PLAN(.method = &method_adaptive, .min_run_time = 30).max_ns, 30e9, 0);
    assert_near(PLAN(.method = &method_blocked, .max_run_time = 0.05).min_ns, 0.05e9, 0);
    struct stepper_options both =
        PLAN(.method = &method_blocked, .min_run_time = 3, .max_run_time = 1);
    assert_near(both.min_ns, 1e9, 0);
    assert_near(both.max_ns, 1e9, 0);
}

// The result of a stepper with these measurements.
static struct bilanx_timing result(const struct method *method, uint64_t n, const double *ns,
                                   size_t count)
{
    struct stepper stepper;
    stepper_init(&stepper, &(struct stepper_options){
                               .method = method, .number = n, .max_blocks = count, .max_ns = 1e99});
    stepper_next(&stepper, NULL);
    for (size_t i = 0; i < count; i++)
        stepper_next(&stepper, &(struct batch){.n = n, .ns = ns[i], .cpu_ns = ns[i] / 4});
    struct bilanx_timing timing;
    measure_result(&stepper, READ_COST_NS, &timing);
    stepper_done(&stepper);
    return timing;
}

static void blocks_become_raw_times(void **state)
{
    (void)state;
    struct bilanx_timing timing = result(&method_timeit, 8, (const double[]){3e9, 1e9, 2e9}, 3);
    assert_string_equal(timing.method, "timeit");
    assert_int_equal(timing.number_per_run, 8);
    assert_int_equal(timing.raw_count, 3);
    assert_near(timing.raw_times[0], 3, 0);  // in original order
    assert_near(timing.raw_times[1], 1, 0);
    assert_int_equal(timing.raw_cpu_count, 3);
    assert_near(timing.raw_cpu_times[2], 0.5, 0);
    assert_null(timing.latency);
    bilanx_timing_done(&timing);
}

static void latency_becomes_percentiles(void **state)
{
    (void)state;
    double ns[101];
    for (size_t i = 0; i < LENGTH(ns); i++)
        ns[i] = (double)((i * 37) % LENGTH(ns)) * 1e9;  // 0 to 100, shuffled
    struct bilanx_timing timing = result(&method_latency, 1, ns, LENGTH(ns));
    assert_non_null(timing.latency);
    assert_near(timing.latency->p50, 50, 0);
    assert_near(timing.latency->p90, 90, 0);
    assert_near(timing.latency->p99, 99, 0);
    assert_near(timing.latency->p999, 99.9, 1e-9);
    assert_near(timing.latency->max, 100, 0);
    assert_near(timing.latency->clock_cost, 30e-9, 0);
    assert_int_equal(timing.latency->samples, 101);
    assert_int_equal(timing.raw_count, 101);
    assert_int_equal(timing.number_per_run, 1);
    assert_null(timing.raw_cpu_times);
    bilanx_timing_done(&timing);
}

static void many_latencies_are_thinned_by_rank(void **state)
{
    (void)state;
    enum { SAMPLES = 50000 };
    double *ns = calloc(SAMPLES, sizeof *ns);
    for (size_t i = 0; i < SAMPLES; i++)
        ns[i] = (double)((i * 7919) % SAMPLES) * 1e9;
    struct bilanx_timing timing = result(&method_latency, 1, ns, SAMPLES);
    free(ns);
    assert_int_equal(timing.latency->samples, SAMPLES);
    assert_near(timing.latency->max, SAMPLES - 1, 0);
    assert_int_equal(timing.raw_count, 1000);
    for (size_t i = 0; i < timing.raw_count; i++)
        assert_near(timing.raw_times[i], 25 + 50.0 * (double)i, 0);
    bilanx_timing_done(&timing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_has_the_defaults_of_torch),
        cmocka_unit_test(adaptive_has_the_defaults_of_torch),
        cmocka_unit_test(timeit_chooses_the_calls_of_its_single_block),
        cmocka_unit_test(latency_takes_half_a_second),
        cmocka_unit_test(explicit_options_override_the_defaults),
        cmocka_unit_test(an_explicit_limit_moves_the_other_default),
        cmocka_unit_test(blocks_become_raw_times),
        cmocka_unit_test(latency_becomes_percentiles),
        cmocka_unit_test(many_latencies_are_thinned_by_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
