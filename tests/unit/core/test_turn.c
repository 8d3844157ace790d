#include "core/timer/turn.h"

#include "core/timer/reference.h"
#include "unit.h"

struct batches {
    const double *ns;
    size_t count, run;
    size_t fails_at;  // 0: never
};

static struct bilanx_error run(void *context, double *ns)
{
    struct batches *batches = context;
    *ns = batches->ns[batches->run++ % batches->count];
    if (batches->fails_at && batches->run >= batches->fails_at)
        return bilanx_error_make(BILANX_E_FAILED, "it broke");
    return BILANX_SUCCESS;
}

// A fake clock: every kernel takes one step, so that the ratio of readings is always the same.
static struct turn take(struct batches *batches, size_t wanted, double floor, bool unread)
{
    static struct clock_fake fake;
    struct clock clock;
    struct turn out;
    fake = (struct clock_fake){.now_ns = 1, .step_ns = 1000};
    clock_open_fake(&clock, &fake);
    // The clock costs one step too, so nothing is left of the kernels: unknown.
    struct turn_options options = {
        .clock = &clock, .batches = wanted, .floor = floor, .pace_unread = unread};
    assert_ok(turn_take(&options, run, batches, &out));
    return out;
}

static void the_middle_batch_counts(void **state)
{
    (void)state;
    static const double NS[] = {10, 30, 1000, 20, 40};
    struct batches batches = {NS, 5};
    struct turn turn = take(&batches, 5, 0, true);
    assert_near(turn.ns, 30, 1e-9);
    assert_int_equal(batches.run, 5);
    assert_int_equal(turn.state, CORE_UNKNOWN);
}

static void it_goes_on_for_a_free_core_but_not_forever(void **state)
{
    (void)state;
    static const double NS[] = {1000};
    struct batches batches = {NS, 1};
    struct turn turn = take(&batches, 5, 1e-9, false);
    assert_int_equal(batches.run, 40);
    assert_int_equal(turn.state, CORE_SHARED);
}

static void long_batches_are_not_waited_for(void **state)
{
    (void)state;
    static const double NS[] = {2e6};
    struct batches batches = {NS, 1};
    take(&batches, 3, 1e-9, false);
    assert_int_equal(batches.run, 3);
}

static void a_failure_ends_it(void **state)
{
    (void)state;
    static const double NS[] = {1000};
    struct batches batches = {NS, 1, .fails_at = 2};
    struct clock clock;
    struct turn out;
    clock_open_monotonic(&clock);
    assert_error(
        turn_take(&(struct turn_options){.clock = &clock, .batches = 3}, run, &batches, &out),
        BILANX_E_FAILED, "it broke");
    assert_int_equal(batches.run, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_batch_counts),
        cmocka_unit_test(it_goes_on_for_a_free_core_but_not_forever),
        cmocka_unit_test(long_batches_are_not_waited_for),
        cmocka_unit_test(a_failure_ends_it),
    };
    return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
