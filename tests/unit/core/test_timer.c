// Checks the form of a measurement, never a duration.
#include "bilanx/timer.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "own_cache.h"

static void count_calls(void *context, uint64_t n)
{
    *(volatile uint64_t *)context += n;
}

static struct bilanx_timer counting(uint64_t *calls)
{
    return (struct bilanx_timer){.body = count_calls, .context = calls};
}

static void assert_whole(const struct bilanx_timing *timing, const char *method)
{
    assert_string_equal(timing->method, method);
    assert_true(timing->number_per_run >= 1);
    assert_true(timing->raw_count >= 1);
    for (size_t i = 0; i < timing->raw_count; i++)
        assert_true(timing->raw_times[i] >= 0 && isfinite(timing->raw_times[i]));
    assert_true(timing->overhead > 0);
    assert_true(timing->reference > timing->overhead);
}

static void timeit_makes_exactly_the_requested_calls(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls);
    struct bilanx_timing timing;
    assert_ok(bilanx_timeit(&timer, 1234, &timing));
    assert_whole(&timing, "timeit");
    assert_int_equal(calls, 1234);
    assert_int_equal(timing.number_per_run, 1234);
    assert_int_equal(timing.raw_count, 1);
    bilanx_timing_done(&timing);
}

static void repeat_takes_several_blocks(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls);
    struct bilanx_timing timing;
    assert_ok(bilanx_repeat(&timer, 5, 100, &timing));
    assert_int_equal(calls, 500);
    assert_int_equal(timing.raw_count, 5);
    assert_int_equal(timing.raw_cpu_count, 5);
    bilanx_timing_done(&timing);
}

struct heard {
    uint64_t blocks, calls;
    double seconds;
};

static void hear(void *context, uint64_t number, double seconds)
{
    struct heard *heard = context;
    heard->blocks++;
    heard->calls += number;
    heard->seconds += seconds;
}

static void the_callback_is_called_for_every_block_and_nothing_else(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct heard heard = {0};
    struct bilanx_timer timer = counting(&calls);
    timer.callback = hear;
    timer.callback_context = &heard;
    struct bilanx_timing timing;
    assert_ok(bilanx_blocked_autorange(&timer, 0.002, &timing));
    assert_whole(&timing, "blocked");
    assert_int_equal(heard.blocks, timing.raw_count);
    assert_int_equal(heard.calls, timing.raw_count * timing.number_per_run);
    assert_true(calls > heard.calls);  // calibration calls are not reported
    double total = 0;
    for (size_t i = 0; i < timing.raw_count; i++)
        total += timing.raw_times[i];
    assert_near(heard.seconds, total, 1e-12);
    assert_true(total >= 0.002);
    bilanx_timing_done(&timing);
}

static void adaptive_takes_more_than_three_blocks_or_reaches_its_limit(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls);
    struct bilanx_timing timing;
    assert_ok(bilanx_adaptive_autorange(&timer, 0.5, 0.001, 0.05, &timing));
    assert_whole(&timing, "adaptive");
    double total = 0;
    for (size_t i = 0; i < timing.raw_count; i++)
        total += timing.raw_times[i];
    assert_true(timing.raw_count > 3 || total >= 0.05);
    bilanx_timing_done(&timing);
}

static void latency_has_percentiles_in_order(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls);
    struct bilanx_timing timing;
    assert_ok(bilanx_latency(&timer, 0.002, &timing));
    assert_whole(&timing, "latency");
    const struct bilanx_latency *latency = timing.latency;
    assert_int_equal(calls, latency->samples);
    assert_true(latency->p50 <= latency->p90 && latency->p90 <= latency->p99 &&
                latency->p99 <= latency->p999 && latency->p999 <= latency->max);
    assert_true(latency->clock_cost > 0);
    assert_int_equal(timing.number_per_run, 1);
    bilanx_timing_done(&timing);
}

static void rigorous_leaves_this_process_unchanged(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls);
    struct bilanx_timing timing;
    assert_ok(bilanx_rigorous(&timer, 0.05, &timing));
    assert_whole(&timing, "rigorous");
    assert_int_equal(calls, 0);
    assert_true(timing.epoch_count >= 5);
    assert_int_equal(timing.raw_count, timing.epoch_count);
    assert_int_equal(timing.raw_cpu_count, timing.epoch_count);
    for (size_t i = 0; i < timing.epoch_count; i++) {
        const struct bilanx_epoch *epoch = &timing.epochs[i];
        assert_true(epoch->batches >= 1 && epoch->disturbed <= epoch->batches);
        assert_true(epoch->min <= epoch->p25 && epoch->p25 <= epoch->p75 &&
                    epoch->p75 <= epoch->p99);
        double rounding = 1e-9 * epoch->time;  // of the logarithms
        assert_true(epoch->min <= epoch->time + rounding && epoch->time <= epoch->p99 + rounding);
    }
    bilanx_timing_done(&timing);
}

static void crash(void *context, uint64_t n)
{
    (void)n;
    signal(SIGABRT, SIG_DFL);
    if (context)
        _exit(3);
    abort();
}

static void a_body_that_crashes_is_an_error(void **state)
{
    (void)state;
    struct bilanx_timing timing = {.number_per_run = 77};
    assert_error(bilanx_rigorous(&(struct bilanx_timer){.body = crash}, 0, &timing),
                 BILANX_E_CRASHED, "signal 6");
    assert_error(
        bilanx_rigorous(&(struct bilanx_timer){.body = crash, .context = &timing}, 0, &timing),
        BILANX_E_EXITED, "status 3");
    assert_int_equal(timing.number_per_run, 77);
}

static void incorrect_use_is_an_error(void **state)
{
    (void)state;
    uint64_t calls = 0;
    struct bilanx_timer timer = counting(&calls), empty = {0};
    struct bilanx_timing timing = {.number_per_run = 77};
    assert_error(bilanx_timeit(&timer, 0, &timing), BILANX_E_USAGE, "at least one call");
    assert_error(bilanx_repeat(&timer, 0, 5, &timing), BILANX_E_USAGE, "at least one");
    assert_error(bilanx_timeit(&empty, 1, &timing), BILANX_E_USAGE, "needs a body");
    assert_error(bilanx_blocked_autorange(&empty, 0, &timing), BILANX_E_USAGE, "needs a body");
    assert_error(bilanx_adaptive_autorange(&empty, 0, 0, 0, &timing), BILANX_E_USAGE, "body");
    assert_error(bilanx_latency(&empty, 0, &timing), BILANX_E_USAGE, "needs a body");
    assert_error(bilanx_rigorous(&empty, 0, &timing), BILANX_E_USAGE, "needs a body");
    assert_error(bilanx_blocked_autorange(&timer, -1, &timing), BILANX_E_USAGE, "at least 0");
    assert_error(bilanx_adaptive_autorange(&timer, NAN, 0, 0, &timing), BILANX_E_USAGE,
                 "at least 0");
    assert_error(bilanx_latency(&timer, INFINITY, &timing), BILANX_E_USAGE, "at least 0");
    assert_error(bilanx_rigorous(&timer, -0.5, &timing), BILANX_E_USAGE, "at least 0");
    assert_int_equal(timing.number_per_run, 77);
    assert_int_equal(calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeit_makes_exactly_the_requested_calls),
        cmocka_unit_test(repeat_takes_several_blocks),
        cmocka_unit_test(the_callback_is_called_for_every_block_and_nothing_else),
        cmocka_unit_test(adaptive_takes_more_than_three_blocks_or_reaches_its_limit),
        cmocka_unit_test(latency_has_percentiles_in_order),
        cmocka_unit_test(rigorous_leaves_this_process_unchanged),
        cmocka_unit_test(a_body_that_crashes_is_an_error),
        cmocka_unit_test(incorrect_use_is_an_error),
    };
    return cmocka_run_group_tests(tests, own_cache_begin, own_cache_end);
}
