#include "sources/roofline/roofline.h"

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

static void this_machine_copies_and_multiplies(void **state)
{
    (void)state;
    struct machine_roof roof;
    machine_roof_measure(1, &roof);
    assert_true(roof.flops > 0);
    assert_true(roof.level_count >= 1);
    for (size_t i = 0; i < roof.level_count; i++)
        assert_true(roof.levels[i].rate > 0);
    assert_string_equal(roof.levels[roof.level_count - 1].name, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_roof_is_the_slower_of_moving_and_computing),
        cmocka_unit_test(this_machine_copies_and_multiplies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
