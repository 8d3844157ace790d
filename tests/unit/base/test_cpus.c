#include "base/cpus.h"

#include <sched.h>

#include "unit.h"

static cpu_set_t ours(void)
{
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    return allowed;
}

static int restore(void **state)
{
    (void)state;
    static cpu_set_t all;  // the first call comes before any test
    if (CPU_COUNT(&all) == 0)
        all = ours();
    return sched_setaffinity(0, sizeof all, &all);
}

static void the_highest_allowed_cpu_is_measured_on(void **state)
{
    (void)state;
    cpu_set_t allowed = ours(), one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &one);  // the lowest
            assert_true(cpus_measuring() >= cpu);
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            assert_int_equal(cpus_measuring(), cpu);
            return;
        }
}

static void only_allowed_cpus_are_counted(void **state)
{
    (void)state;
    cpu_set_t allowed = ours();
    assert_int_equal(cpus_allowed(), CPU_COUNT(&allowed));
    cpus_pin(1);
    assert_int_equal(cpus_allowed(), 1);
}

static void a_pinned_process_keeps_its_highest_cpus(void **state)
{
    (void)state;
    unsigned count = cpus_allowed();
    int highest = cpus_measuring();
    cpus_pin(count + 1);  // more than there are
    assert_int_equal(cpus_allowed(), count);
    cpus_pin(1);
    cpu_set_t left = ours();
    assert_true(CPU_ISSET(highest, &left));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_highest_allowed_cpu_is_measured_on, restore, restore),
        cmocka_unit_test_setup_teardown(only_allowed_cpus_are_counted, restore, restore),
        cmocka_unit_test_setup_teardown(a_pinned_process_keeps_its_highest_cpus, restore, restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
