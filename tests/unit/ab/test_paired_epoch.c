// What an epoch says, from the times of its pairs.
#include "ab/verdict/paired_epoch.h"

#include "base/mem.h"
#include "unit.h"

static const double FLOOR = .01, CHAIN_NS = 50;

static struct duel_memory memory;
static struct duel_mapping mapping = {.memory = &memory};

// Pairs are there already.
static struct bilanx_error do_nothing(const struct paired_epoch *epoch, struct duel_mapping *target,
                                      struct paired_failure *failure)
{
    (void)epoch, (void)failure;
    assert_ptr_equal(target, &mapping);
    return BILANX_SUCCESS;
}

static struct bilanx_error fail_to_run(const struct paired_epoch *epoch,
                                       struct duel_mapping *target, struct paired_failure *failure)
{
    (void)epoch, (void)target;
    failure->side = 1;
    return bilanx_error_make(BILANX_E_CRASHED, "killed");
}

static int forget_pairs(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    return 0;
}

static unsigned add_pair(double a_ns, double b_ns)
{
    unsigned pair = memory.pairs++;
    memory.ns[0][pair] = a_ns;
    memory.ns[1][pair] = b_ns;
    return pair;
}

// A pair in one state of the core.
static void add_paced(double a_ns, double b_ns, double ratio)
{
    unsigned pair = add_pair(a_ns, b_ns);
    for (unsigned reading = 0; reading < 4; reading++)
        memory.paces[reading / 2][pair][reading % 2] = (struct pace){CHAIN_NS, CHAIN_NS * ratio};
}

static struct paired_results compare_as(struct paired_epoch epoch)
{
    const struct paired_way way = {.run = do_nothing};
    struct paired_failure failure = {.side = 0};
    struct paired_results results;
    assert_ok(paired_run(&way, &epoch, &mapping, &results, &failure));
    return results;
}
#define COMPARED(...) compare_as((struct paired_epoch){__VA_ARGS__})

static void an_epoch_is_the_midmean_of_its_pairs(void **state)
{
    (void)state;
    // In logarithms 1, 2, 3 and 10: the middle two count.
    add_pair(100, 100 * exp(3));
    add_pair(200, 200 * exp(1));
    add_pair(300, 300 * exp(10));
    add_pair(400, 400 * exp(2));
    struct paired_results results = COMPARED(.seed = 1);
    assert_false(results.has_states);
    assert_int_equal(results.free.pairs, 0);
    assert_int_equal(results.other.pairs, 4);
    assert_int_equal(results.other.dropped, 0);
    assert_near(results.other.change, 2.5, 1e-12);
    assert_near(results.other.halves[0], 6.5, 1e-12);  // 3 and 10
    assert_near(results.other.halves[1], 1.5, 1e-12);  // 1 and 2
    assert_near(results.other.spread, 4.75 - 1.75, 1e-12);
    assert_near(results.other.batch_ns[0], 250, 1e-9);
    double times[] = {200 * exp(1), 100 * exp(3), 400 * exp(2), 300 * exp(10)};
    assert_near(results.other.batch_ns[1], (times[1] + times[2]) / 2, 1e-6);
}

static void a_single_pair_is_both_halves(void **state)
{
    (void)state;
    add_pair(100, 100 * exp(.5));
    struct paired_results results = COMPARED(.seed = 1);
    assert_near(results.other.halves[0], .5, 1e-12);
    assert_near(results.other.halves[1], .5, 1e-12);
    assert_near(results.other.spread, 0, 0);
}

static void disturbed_pairs_and_those_that_took_no_time_are_dropped(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++)
        add_pair(100, 100);
    memory.disturbed[0][add_pair(100, 900)] = true;
    memory.disturbed[1][add_pair(100, 800)] = true;
    add_pair(0, 100);
    add_pair(100, 0);
    struct paired_results results = COMPARED(.seed = 1);
    assert_int_equal(results.other.pairs, 6);
    assert_int_equal(results.other.dropped, 4);
    assert_near(results.other.change, 0, 0);
}

static void if_most_pairs_are_disturbed_all_count(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        memory.disturbed[i % 2][add_pair(100, 200)] = true;
    for (int i = 0; i < 3; i++)
        add_pair(100, 100);
    assert_int_equal(COMPARED(.seed = 1).other.pairs, 3);
    memory.disturbed[0][add_pair(100, 200)] = true;
    assert_int_equal(COMPARED(.seed = 1).other.pairs, 7);
}

static void without_pairs_there_is_no_result(void **state)
{
    (void)state;
    struct paired_results results = COMPARED(.reads_pace = true);
    assert_int_equal(results.other.pairs, 0);
    assert_near(results.other.change, 0, 0);
    forget_pairs(state);
    add_pair(0, 0);
    results = COMPARED(.seed = 1);
    assert_int_equal(results.other.pairs, 0);
    assert_int_equal(results.other.dropped, 1);
}

static void pairs_are_compared_by_the_state_of_the_core(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        add_paced(100, 200, FLOOR);
        add_paced(100, 300, 1.5 * FLOOR);
    }
    struct paired_results results = COMPARED(.reads_pace = true, .floor = FLOOR);
    assert_true(results.has_states);
    assert_int_equal(results.free.pairs, 8);
    assert_int_equal(results.other.pairs, 8);
    assert_near(results.free.change, log(2), 1e-12);
    assert_near(results.other.change, log(3), 1e-12);
    assert_int_equal(results.core.readings, 64);
    assert_near(results.core.free, .5, 1e-12);
    results = COMPARED(.reads_pace = true, .floor = FLOOR, .any_core = true);
    assert_false(results.has_states);
    assert_int_equal(results.free.pairs, 0);
    assert_int_equal(results.other.pairs, 16);
    assert_int_equal(results.core.readings, 64);
    results = COMPARED(.floor = FLOOR);  // readings of an earlier epoch do not count
    assert_int_equal(results.core.readings, 0);
    assert_int_equal(results.other.pairs, 16);
}

// An epoch may be the first to see the core free.
static void a_lower_floor_is_learned_from_the_epoch_itself(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        add_paced(100, 200, .8 * FLOOR);
        add_paced(100, 300, 1.2 * FLOOR);
    }
    struct paired_results results = COMPARED(.reads_pace = true, .floor = FLOOR);
    assert_int_equal(results.free.pairs, 8);
    assert_near(results.free.change, log(2), 1e-12);
    results = COMPARED(.reads_pace = true);
    assert_near(results.free.change, log(2), 1e-12);
}

static void fewer_than_four_pairs_of_a_state_say_nothing_about_it(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++)
        add_paced(100, 300, 1.5 * FLOOR);
    for (int i = 0; i < 3; i++)
        add_paced(100, 200, FLOOR);
    struct paired_results results = COMPARED(.reads_pace = true, .floor = FLOOR);
    assert_int_equal(results.free.pairs, 0);
    assert_int_equal(results.other.pairs, 9);
    add_paced(100, 200, FLOOR);
    assert_int_equal(COMPARED(.reads_pace = true, .floor = FLOOR).free.pairs, 4);
}

static void too_few_pairs_of_either_state_count_together(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        add_paced(100, 200, FLOOR);
        add_paced(100, 300, 1.5 * FLOOR);
    }
    struct paired_results results = COMPARED(.reads_pace = true, .floor = FLOOR);
    assert_true(results.has_states);
    assert_int_equal(results.free.pairs, 0);
    assert_int_equal(results.other.pairs, 6);
}

// The core changes hands within a millisecond, so readings around longer batches say little.
static void pairs_longer_than_a_millisecond_have_no_state(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        add_paced(400e3, 590e3, FLOOR);
    assert_true(COMPARED(.reads_pace = true, .floor = FLOOR).has_states);
    for (int i = 0; i < 8; i++)
        add_paced(400e3, 620e3, FLOOR);
    struct paired_results results = COMPARED(.reads_pace = true, .floor = FLOOR);
    assert_false(results.has_states);
    assert_int_equal(results.other.pairs, 16);
    assert_int_equal(results.core.readings, 64);
}

static void a_failed_epoch_leaves_the_results_alone(void **state)
{
    (void)state;
    const struct paired_way way = {.run = fail_to_run};
    struct paired_epoch epoch = {.seed = 1};
    struct paired_failure failure = {.side = 0};
    struct paired_results results = {.has_states = true};
    assert_error(paired_run(&way, &epoch, &mapping, &results, &failure), BILANX_E_CRASHED,
                 "killed");
    assert_int_equal(failure.side, 1);
    assert_true(results.has_states);
}

static void forks_are_averaged_but_their_pairs_are_added(void **state)
{
    (void)state;
    const struct paired_result one = {
        .change = 1, .halves = {2, 3}, .spread = 4, .batch_ns = {5, 6}, .pairs = 7, .dropped = 8};
    const struct paired_result other = {.change = 3,
                                        .halves = {4, 7},
                                        .spread = 8,
                                        .batch_ns = {11, 16},
                                        .pairs = 10,
                                        .dropped = 20};
    struct paired_result sum = {0};
    paired_average(&sum);
    assert_near(sum.change, 0, 0);  // of nothing
    paired_add(&sum, &one);
    paired_add(&sum, &other);
    paired_average(&sum);
    assert_near(sum.change, 2, 0);
    assert_near(sum.halves[0], 3, 0);
    assert_near(sum.halves[1], 5, 0);
    assert_near(sum.spread, 6, 0);
    assert_near(sum.batch_ns[0], 8, 0);
    assert_near(sum.batch_ns[1], 11, 0);
    assert_int_equal(sum.pairs, 17);
    assert_int_equal(sum.dropped, 28);
    assert_int_equal(sum.added, 2);
}

#define TEST(name) cmocka_unit_test_setup(name, forget_pairs)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_epoch_is_the_midmean_of_its_pairs),
        TEST(a_single_pair_is_both_halves),
        TEST(disturbed_pairs_and_those_that_took_no_time_are_dropped),
        TEST(if_most_pairs_are_disturbed_all_count),
        TEST(without_pairs_there_is_no_result),
        TEST(pairs_are_compared_by_the_state_of_the_core),
        TEST(a_lower_floor_is_learned_from_the_epoch_itself),
        TEST(fewer_than_four_pairs_of_a_state_say_nothing_about_it),
        TEST(too_few_pairs_of_either_state_count_together),
        TEST(pairs_longer_than_a_millisecond_have_no_state),
        TEST(a_failed_epoch_leaves_the_results_alone),
        TEST(forks_are_averaged_but_their_pairs_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
