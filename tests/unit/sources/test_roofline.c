#include "sources/roofline/roofline.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "sources/roofline/fma_kernels.h"
#include "unit.h"

static void the_roof_is_the_slower_of_moving_and_computing(void **state)
{
    (void)state;
    struct machine_roof roof = {.flops = 100, .level_count = 2};
    roof.levels[0] = (struct roof_level){"L1", 1000, 500};
    roof.levels[1] = (struct roof_level){"memory", UINT64_MAX, 10};
    assert_float_equal(machine_roof_time(&roof, 500, 0), 1, 1e-12);
    assert_float_equal(machine_roof_time(&roof, 500, 1000), 10, 1e-12);
    assert_float_equal(machine_roof_time(&roof, 2000, 1000), 200, 1e-12);
    assert_float_equal(machine_roof_time(&roof, 1000, 0), 2, 1e-12);  // just fits
    assert_float_equal(machine_roof_time(&roof, 1001, 0), 100.1, 1e-12);
    assert_float_equal(machine_roof_time(&roof, 0, 0), 0, 0);
    roof.flops = 0;  // unknown
    assert_float_equal(machine_roof_time(&roof, 500, 1000), 1, 1e-12);
}

// Operations per second of a chain of multiply-adds, each of which waits for the one before.
static double chained_flops(void)
{
    enum { STEPS = 1000000 };
    struct timespec start, end;
    volatile double factor = 0.5;
    double x = 1, f = factor;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < STEPS; i++) {
        x = x * f + 1;
        __asm__ volatile("" : "+x"(x));
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        difftime(end.tv_sec, start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    return 2 * STEPS / seconds;
}

// Vectors of independent ones do several times as much, on any machine and beside any other work.
// Measuring takes half a second, so that the tests share what it gives.
static struct machine_roof one_thread, two_threads;

static int measure(void **state)
{
    (void)state;
    machine_roof_measure(0, &one_thread);  // at least one thread
    machine_roof_measure(2, &two_threads);
    return 0;
}

static void the_roof_is_above_what_a_chain_of_operations_does(void **state)
{
    (void)state;
    assert_true(one_thread.flops > chained_flops());
}

static void levels_go_from_the_smallest_cache_to_memory_and_get_slower(void **state)
{
    (void)state;
    const struct roof_level *levels = one_thread.levels;
    size_t last = one_thread.level_count - 1;
    assert_true(one_thread.level_count >= 2);
    for (size_t i = 1; i <= last; i++)
        assert_true(levels[i].bytes > levels[i - 1].bytes);
    assert_true(levels[0].rate > levels[last].rate);
    assert_string_equal(levels[last].name, "memory");
}

static void levels_have_the_sizes_that_the_system_reports(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int question;
        bool shared;
    } caches[] = {{"L1", _SC_LEVEL1_DCACHE_SIZE, false},
                  {"L2", _SC_LEVEL2_CACHE_SIZE, false},
                  {"L3", _SC_LEVEL3_CACHE_SIZE, true}};
    const struct machine_roof *roof = &two_threads;
    assert_int_equal(roof->threads, 2);
    size_t at = 0;
    for (size_t i = 0; i < LENGTH(caches); i++) {
        long bytes = sysconf(caches[i].question);
        if (bytes <= 0)
            continue;
        assert_string_equal(roof->levels[at].name, caches[i].name);
        assert_int_equal(roof->levels[at].bytes, (uint64_t)bytes * (caches[i].shared ? 1 : 2));
        at++;
    }
    assert_string_equal(roof->levels[at].name, "memory");
    assert_int_equal(roof->levels[at].bytes, UINT64_MAX);
    assert_int_equal(roof->level_count, at + 1);
}

// Any machine copies more than ten million bytes a second, and none ten thousand times as many per
// core as its memory can do today.
static void rates_are_those_of_a_computer(void **state)
{
    (void)state;
    const struct machine_roof *roof = &one_thread;
    assert_int_equal(roof->threads, 1);
    assert_true(roof->flops > 1e7 && roof->flops < 1e13);
    for (size_t i = 0; i < roof->level_count; i++)
        assert_true(roof->levels[i].rate > 1e7 && roof->levels[i].rate < 1e13);
}

static void a_kernel_counts_what_it_computes(void **state)
{
    (void)state;
    enum { SUMS = 12, STEPS = 1024 };
    double lanes = fma_run(1) / (2.0 * SUMS * STEPS);
    assert_true(lanes == 4 || lanes == 8 || lanes == 16);
    assert_true(fma_run(5) == 5 * fma_run(1));
    assert_true(fma_run(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_roof_is_the_slower_of_moving_and_computing),
        cmocka_unit_test(the_roof_is_above_what_a_chain_of_operations_does),
        cmocka_unit_test(levels_go_from_the_smallest_cache_to_memory_and_get_slower),
        cmocka_unit_test(levels_have_the_sizes_that_the_system_reports),
        cmocka_unit_test(rates_are_those_of_a_computer),
        cmocka_unit_test(a_kernel_counts_what_it_computes),
    };
    return cmocka_run_group_tests(tests, measure, NULL);
}
