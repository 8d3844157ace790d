// No duration is asserted: time is faked, or bracketed by another clock.
#include "core/clock/clock.h"

#include <stdbool.h>
#include <time.h>

#include "base/file.h"
#include "unit.h"

static void a_fake_clock_moves_only_by_its_step(void **state)
{
    (void)state;
    struct clock_fake fake = {.now_ns = 100, .step_ns = 5};
    struct clock clock;
    clock_open_fake(&clock, &fake);
    assert_string_equal(clock.name, "fake");
    assert_int_equal(clock_read(&clock), 105);
    assert_int_equal(clock_read(&clock), 110);
    fake.now_ns += 1000;
    fake.step_ns = 0;
    assert_int_equal(clock_read(&clock), 1110);
    assert_int_equal(clock_read(&clock), 1110);
    clock_refine(&clock);
    assert_near(clock_ns(&clock, 7), 7, 0);
}

static void ticks_are_converted_to_nanoseconds(void **state)
{
    (void)state;
    const struct clock clock = {.ns_per_tick = 0.25};
    assert_near(clock_ns(&clock, 1000), 250, 0);
    assert_near(clock_ns(&clock, 0), 0, 0);
}

// Time advances in steps of 30, 30 and 90; a read between two ticks sees no change.
static uint64_t read_coarsely(void *context)
{
    uint64_t *reads = context;
    static const uint64_t ticks[] = {0, 30, 30, 60, 150};
    uint64_t now = *reads / 5 * 150 + ticks[*reads % 5];
    ++*reads;
    return now;
}

static void the_resolution_is_the_smallest_nonzero_step(void **state)
{
    (void)state;
    uint64_t reads = 0;
    const struct clock clock = {.read = read_coarsely, .context = &reads, .ns_per_tick = 0.5};
    struct clock_quality quality;
    clock_measure(&clock, &quality);
    assert_near(quality.resolution_ns, 15, 1e-9);
    assert_near(quality.cost_ns, 15, 2);  // 75 ns for five reads
}

struct interrupted {
    uint64_t now, reads;
};

// Undisturbed only for a while.
static uint64_t read_interrupted(void *context)
{
    struct interrupted *clock = context;
    bool quiet = clock->reads > 500 && clock->reads < 1000;
    clock->reads++;
    clock->now += quiet ? 20 : 1000;
    return clock->now;
}

static void interruptions_do_not_count_as_cost(void **state)
{
    (void)state;
    struct interrupted reads = {0};
    const struct clock clock = {.read = read_interrupted, .context = &reads, .ns_per_tick = 1};
    struct clock_quality quality;
    clock_measure(&clock, &quality);
    assert_near(quality.cost_ns, 20, 1e-9);
    assert_near(quality.resolution_ns, 20, 1e-9);
}

// What the kernel reports as its clock source; NULL: nothing.
static const char *kernel_clock;

// Takes the place of the function in base/file.
bool file_first_line(const char *path, char *out, size_t size)
{
    assert_string_equal(path, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    snprintf(out, size, "%s", kernel_clock ? kernel_clock : "");
    return kernel_clock != NULL;
}

// Whether the kernel found that the time-stamp counter keeps its rate.
static bool has_invariant_tsc(void)
{
    return system("grep -qw nonstop_tsc /proc/cpuinfo") == 0;
}

static void assert_clock(const char *source, const char *name, const char *refusal)
{
    struct clock clock;
    kernel_clock = source;
    clock_open(&clock);
    assert_string_equal(clock.name, name);
    assert_int_equal(clock.counts_cycles, refusal == NULL);
    if (refusal)
        assert_non_null(strstr(clock_tsc_refusal(), refusal));
    else
        assert_null(clock_tsc_refusal());
}

static void the_tsc_is_used_only_where_the_kernel_uses_it(void **state)
{
    (void)state;
    if (!has_invariant_tsc())
        skip_because("this processor has no invariant time-stamp counter");
    assert_clock("tsc", "tsc", NULL);
    assert_clock("hpet", "monotonic-raw", "the kernel does not use it");
    assert_clock("tsc-early", "monotonic-raw", "the kernel does not use it");
    assert_clock("kvm-clock", "monotonic-raw", "the kernel does not use it");
    assert_clock(NULL, "monotonic-raw", "the kernel does not report");
}

static void a_tsc_of_changing_rate_is_never_used(void **state)
{
    (void)state;
    if (has_invariant_tsc())
        skip_because("this processor has an invariant time-stamp counter");
    assert_clock("tsc", "monotonic-raw", "");
}

static void no_clock_goes_backwards(void **state)
{
    (void)state;
    struct clock clocks[2];
    kernel_clock = "tsc";
    clock_open(&clocks[0]);
    clock_open_monotonic(&clocks[1]);
    for (size_t i = 0; i < LENGTH(clocks); i++) {
        uint64_t last = clock_read(&clocks[i]), cpu = clock_cpu_ns();
        for (int reads = 0; reads < 10000; reads++) {
            uint64_t now = clock_read(&clocks[i]);
            assert_true(now >= last);
            last = now;
        }
        assert_true(clock_cpu_ns() > cpu);
    }
}

static void spin(const struct clock *clock, uint64_t ns)
{
    uint64_t start = clock_read(clock);
    while (clock_ns(clock, clock_read(clock) - start) < (double)ns)
        ;
}

static void the_best_clock_agrees_with_the_kernels(void **state)
{
    (void)state;
    struct clock best, kernel;
    kernel_clock = "tsc";
    clock_open(&best);
    clock_open_monotonic(&kernel);
    spin(&kernel, 5000000);
    clock_refine(&best);
    uint64_t outer = clock_read(&kernel), tick = clock_read(&best), inner = clock_read(&kernel);
    spin(&kernel, 1000000);
    double inside = clock_ns(&kernel, clock_read(&kernel) - inner);
    double told = clock_ns(&best, clock_read(&best) - tick);
    double outside = clock_ns(&kernel, clock_read(&kernel) - outer);
    assert_true(told > inside * 0.99 && told < outside * 1.01);
}

// An estimate of a tick is off by the time between the two reads of a pair, at worst.
static void a_clock_is_right_to_a_percent_before_it_is_refined(void **state)
{
    (void)state;
    struct clock best, kernel;
    kernel_clock = "tsc";
    clock_open(&best);
    clock_open_monotonic(&kernel);
    double first = best.ns_per_tick;
    spin(&kernel, 5000000);
    clock_refine(&best);
    assert_near(first / best.ns_per_tick, 1, .01);
    assert_near(kernel.ns_per_tick, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fake_clock_moves_only_by_its_step),
        cmocka_unit_test(ticks_are_converted_to_nanoseconds),
        cmocka_unit_test(the_resolution_is_the_smallest_nonzero_step),
        cmocka_unit_test(interruptions_do_not_count_as_cost),
        cmocka_unit_test(the_tsc_is_used_only_where_the_kernel_uses_it),
        cmocka_unit_test(a_tsc_of_changing_rate_is_never_used),
        cmocka_unit_test(no_clock_goes_backwards),
        cmocka_unit_test(the_best_clock_agrees_with_the_kernels),
        cmocka_unit_test(a_clock_is_right_to_a_percent_before_it_is_refined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
