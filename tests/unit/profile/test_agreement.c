#include "profile/stacks/agreement.h"

#include <math.h>

#include "base/mem.h"
#include "stacks_made.h"
#include "unit.h"

// Stacks whose epochs had these times per call, in nanoseconds; 0: no samples. Ends in -1.
static struct stacks *sampled(const double *times_ns)
{
    enum { CALLS = 1000 };
    struct stacks *stacks = made("main 100\n");
    for (size_t i = 0; times_ns[i] >= 0; i++) {
        struct stack_epoch epoch = {CALLS, times_ns[i] * CALLS / 1e9};
        stacks_add_epoch(stacks, epoch);
        stacks->calls += epoch.calls;
        stacks->seconds += epoch.seconds;
    }
    return stacks;
}

#define SAMPLED(...) sampled((const double[]){__VA_ARGS__, -1})

static struct agreement_claim claimed(double change, double low, double high)
{
    return (struct agreement_claim){.change = change, .low = low, .high = high};
}

static void assert_text(char *text, const char *expected)
{
    AUTO(memory) char *owned = text;
    if (expected)
        assert_string_equal(owned, expected);
    else
        assert_null(owned);
}

static void samples_near_the_measured_time_agree(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = SAMPLED(100, 110, 90, 105, 95, 100, 104, 96);
    stacks->timed_s = 103e-9;
    struct agreement agreement = agreement_of_time(stacks, 0);
    assert_true(agreement.is_known);
    assert_false(agreement.disagrees);
    assert_near(agreement.sampled, 100e-9, 1e-12);
    assert_true(agreement.low < 100e-9 && agreement.high > 103e-9);
    assert_text(agreement_of_time_text(&agreement, "the verdict", true),
                "scaled to 103.0 ns per call by the verdict; the samples say 100(15) ns");
    assert_text(agreement_of_time_text(&agreement, "the measurement", false),
                "103.0 ns per call by the measurement; the samples say 100(15) ns");
}

static void samples_beyond_their_error_disagree(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = SAMPLED(100, 110, 90, 105, 95, 100, 104, 96);
    stacks->timed_s = 70e-9;
    struct agreement agreement = agreement_of_time(stacks, 0);
    assert_true(agreement.disagrees);
    assert_text(
        agreement_of_time_text(&agreement, "the verdict", true),
        "the samples disagree with the verdict: they say 100(15) ns per call, it says 70.00 "
        "ns; the graph is scaled to the latter");
    assert_text(agreement_of_time_text(&agreement, "the measurement", false),
                "the samples disagree with the measurement: they say 100(15) ns per call, it says "
                "70.00 ns");
    // The measurement may be wrong as well, and sampling takes time itself.
    assert_false(agreement_of_time(stacks, .4).disagrees);
    stacks->overhead = .4;
    assert_false(agreement_of_time(stacks, 0).disagrees);
    stacks->timed_s = 140e-9;  // it makes nothing faster
    assert_true(agreement_of_time(stacks, 0).disagrees);
}

static void the_error_is_the_spread_between_epochs(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *quiet = SAMPLED(100, 101, 99, 100, 100, 101, 99, 100);
    AUTO(stacks) struct stacks *noisy = SAMPLED(100, 140, 60, 100, 130, 70, 125, 75);
    quiet->timed_s = noisy->timed_s = 110e-9;
    assert_true(agreement_of_time(quiet, 0).disagrees);
    assert_false(agreement_of_time(noisy, 0).disagrees);
}

static void epochs_like_their_neighbours_count_less(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *mixed = SAMPLED(100, 150, 100, 150, 150, 100, 150, 100);
    AUTO(stacks) struct stacks *states = SAMPLED(100, 100, 100, 100, 150, 150, 150, 150);
    mixed->timed_s = states->timed_s = 125e-9;
    struct agreement one = agreement_of_time(mixed, 0), other = agreement_of_time(states, 0);
    assert_true(other.high - other.low > 1.3 * (one.high - one.low));
}

static void a_change_is_that_of_pairs_of_epochs(void **state)
{
    (void)state;
    // The machine is at half its speed in the middle; B takes 10 % longer throughout.
    AUTO(stacks) struct stacks *a = SAMPLED(100, 101, 99, 200, 202, 198, 100, 99);
    AUTO(stacks) struct stacks *b = SAMPLED(110, 110, 110, 220, 221, 219, 110, 110);
    struct agreement_claim claim = claimed(.1, .09, .11);
    struct agreement agreement = agreement_of_change(a, b, &claim);
    assert_true(agreement.is_known);
    assert_false(agreement.disagrees);
    assert_near(agreement.sampled, .1, .01);
    assert_true(agreement.high - agreement.low < .05);
    claim = claimed(.4, .39, .41);
    agreement = agreement_of_change(a, b, &claim);
    assert_true(agreement.disagrees);
    AUTO(memory) char *text = agreement_of_change_text(&agreement, "the verdict");
    assert_non_null(strstr(text, "the samples disagree with the verdict: they say +"));
    assert_non_null(strstr(text, ", it says +40.0 %; the graph is scaled to the latter"));
}

static void a_difference_within_the_verdicts_interval_is_no_disagreement(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = SAMPLED(100, 101, 99, 100);
    AUTO(stacks) struct stacks *b = SAMPLED(120, 121, 119, 120);
    struct agreement_claim claim = claimed(.1, .09, .11);
    assert_true(agreement_of_change(a, b, &claim).disagrees);
    claim = claimed(.1, -.05, .27);
    assert_false(agreement_of_change(a, b, &claim).disagrees);
    // Samples have a single layout.
    const double layouts[] = {.02, .18, .05, .15};
    claim = claimed(.1, .09, .11);
    claim.layout_changes = layouts;
    claim.layout_count = LENGTH(layouts);
    assert_false(agreement_of_change(a, b, &claim).disagrees);
}

static void epochs_without_samples_have_no_part_in_it(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = SAMPLED(100, 0, 100, 100, 100);
    AUTO(stacks) struct stacks *b = SAMPLED(110, 110, 0, 110);
    struct agreement_claim claim = claimed(.1, .09, .11);
    struct agreement agreement = agreement_of_change(a, b, &claim);
    assert_near(agreement.sampled, .1, 1e-9);
    assert_false(agreement.disagrees);
}

static void a_single_epoch_has_no_error(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = SAMPLED(100);
    AUTO(stacks) struct stacks *b = SAMPLED(200);
    struct agreement_claim claim = claimed(.1, .09, .11);
    struct agreement change = agreement_of_change(a, b, &claim);
    assert_true(change.is_known && !change.disagrees && isnan(change.low));
    assert_text(agreement_of_change_text(&change, "the verdict"),
                "scaled to the verdict, +10.0 %; the samples say +100.0 %, with an unknown error");
    a->timed_s = 50e-9;
    struct agreement time = agreement_of_time(a, 0);
    assert_text(agreement_of_time_text(&time, "the verdict", true),
                "scaled to 50.00 ns per call by the verdict; the samples say 100.0 ns, with an "
                "unknown error");
}

static void nothing_is_said_without_both_numbers(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = SAMPLED(100, 100);
    AUTO(stacks) struct stacks *none = made("main 1\n");
    struct agreement_claim claim = claimed(NAN, NAN, NAN);
    struct agreement unmeasured = agreement_of_time(a, 0);
    struct agreement unclaimed = agreement_of_change(a, a, &claim);
    claim = claimed(.1, .09, .11);
    struct agreement unsampled = agreement_of_change(a, none, &claim);
    assert_text(agreement_of_time_text(&unmeasured, "x", true), NULL);
    assert_text(agreement_of_change_text(&unclaimed, "x"), NULL);
    assert_text(agreement_of_change_text(&unsampled, "x"), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_near_the_measured_time_agree),
        cmocka_unit_test(samples_beyond_their_error_disagree),
        cmocka_unit_test(the_error_is_the_spread_between_epochs),
        cmocka_unit_test(epochs_like_their_neighbours_count_less),
        cmocka_unit_test(a_change_is_that_of_pairs_of_epochs),
        cmocka_unit_test(a_difference_within_the_verdicts_interval_is_no_disagreement),
        cmocka_unit_test(epochs_without_samples_have_no_part_in_it),
        cmocka_unit_test(a_single_epoch_has_no_error),
        cmocka_unit_test(nothing_is_said_without_both_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
