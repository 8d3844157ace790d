#include "sources/roofline/roofline.h"

#include <time.h>

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
    assert_float_equal(machine_roof_time(&roof, 0, 0), 0, 0);
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
static void the_roof_is_above_what_a_chain_of_operations_does(void **state)
{
    (void)state;
    struct machine_roof roof;
    machine_roof_measure(1, &roof);
    assert_true(roof.flops > chained_flops());
}

static void levels_go_from_the_smallest_cache_to_memory_and_get_slower(void **state)
{
    (void)state;
    struct machine_roof roof;
    machine_roof_measure(1, &roof);
    const struct roof_level *levels = roof.levels;
    size_t last = roof.level_count - 1;
    assert_true(roof.level_count >= 2);
    for (size_t i = 1; i <= last; i++)
        assert_true(levels[i].bytes > levels[i - 1].bytes);
    assert_true(levels[0].rate > levels[last].rate);
    assert_string_equal(levels[last].name, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_roof_is_the_slower_of_moving_and_computing),
        cmocka_unit_test(the_roof_is_above_what_a_chain_of_operations_does),
        cmocka_unit_test(levels_go_from_the_smallest_cache_to_memory_and_get_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
