// Verdicts on records measured earlier.
#include "ab/verdict/stored.h"

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
    stored_judge_times(&before, &after, &default_margins, &out);
    assert_string_equal(out.verdict->verdict, verdict);
    assert_non_null(strstr(out.verdict->reason, reason));
    bilanx_record_done(&before);
    bilanx_record_done(&after);
    bilanx_record_done(&out);
}

static void twice_the_time_is_slower(void **state)
{
    (void)state;
    assert_verdict(record_of(1e-3, 10), record_of(2e-3, 10), "slower", "10 and 10 stored times");
}

static struct bilanx_record noisy(void)
{
    struct bilanx_record record = record_of(1e-3, 10);
    for (int i = 0; i < TIMES; i += 2)
        record.timing.raw_times[i] *= 10;
    return record;
}

static void large_changes_are_written_without_an_exponent(void **state)
{
    (void)state;
    assert_verdict(noisy(), noisy(), "undecided", "a change of 378 %");
}

static struct bilanx_record coarse(double seconds)
{
    struct bilanx_record record = record_of(seconds, 1u << 31);
    record_warn(&record, "clock-too-coarse", "under 100 steps of the clock");
    return record;
}

static void times_below_the_clocks_resolution_are_undecided(void **state)
{
    (void)state;
    assert_verdict(coarse(20e-9), coarse(40e-9), "undecided", "below the clock's resolution");
    assert_verdict(record_of(1e-3, 10), coarse(40e-9), "undecided", "below the clock's resolution");
    assert_verdict(coarse(1e-6), coarse(2e-6), "slower", "stored times");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_time_is_slower),
        cmocka_unit_test(large_changes_are_written_without_an_exponent),
        cmocka_unit_test(times_below_the_clocks_resolution_are_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
