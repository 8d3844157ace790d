#include "profile/sampling/turns.h"

#include "core/worker/sampling_event.h"
#include "unit.h"

static void every_round_has_every_case_once(void **state)
{
    (void)state;
    enum { CASES = 5, ROUNDS = 20 };
    size_t order[CASES] = {0, 1, 2, 3, 4};
    struct random random;
    random_init(&random, 7);
    for (size_t round = 0; round < ROUNDS; round++) {
        bool seen[CASES] = {false};
        turns_draw(&random, round, order, CASES);
        for (size_t i = 0; i < CASES; i++) {
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
    }
}

static void each_of_two_is_first_equally_often(void **state)
{
    (void)state;
    enum { ROUNDS = 16 };
    for (uint64_t seed = 1; seed < 20; seed++) {
        size_t order[] = {0, 1}, first[] = {0, 0};
        struct random random;
        random_init(&random, seed);
        for (size_t round = 0; round < ROUNDS; round++) {
            turns_draw(&random, round, order, LENGTH(order));
            first[order[0]]++;
        }
        assert_int_equal(first[0], first[1]);
    }
}

static void the_order_is_random(void **state)
{
    (void)state;
    enum { ROUNDS = 64 };
    size_t order[] = {0, 1}, zero_first = 0;
    struct random random;
    random_init(&random, 3);
    for (size_t round = 0; round < ROUNDS; round++) {
        turns_draw(&random, round, order, LENGTH(order));
        zero_first += round % 2 == 0 && order[0] == 0;
    }
    assert_true(zero_first > 0 && zero_first < ROUNDS / 2);
}

static void assert_plan(struct turns_plan plan, double epoch_s, size_t rounds)
{
    assert_near(plan.epoch_s, epoch_s, 1e-12);
    assert_int_equal(plan.rounds, rounds);
}

static void a_duration_is_divided_into_epochs(void **state)
{
    (void)state;
    assert_plan(turns_plan(2, 16, 0), .125, 16);
    assert_plan(turns_plan(2, 16, .1), .125, 16);
    assert_plan(turns_plan(2, 1, 0), 2, 1);
    assert_plan(turns_plan(2, 0, 9), 2, 1);
}

static void processes_that_start_slowly_are_fewer_and_longer(void **state)
{
    (void)state;
    assert_plan(turns_plan(2, 16, .5), .5, 4);
    assert_plan(turns_plan(2, 16, 30), 1, 2);
}

static void periods_continue_where_the_last_process_was(void **state)
{
    (void)state;
    double even = 0;
    for (uint64_t i = 0; i < 100; i++) {
        assert_near(even_after(i, EVEN_STEP), even, 1e-9);
        even_next(&even, EVEN_STEP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_has_every_case_once),
        cmocka_unit_test(each_of_two_is_first_equally_often),
        cmocka_unit_test(the_order_is_random),
        cmocka_unit_test(a_duration_is_divided_into_epochs),
        cmocka_unit_test(processes_that_start_slowly_are_fewer_and_longer),
        cmocka_unit_test(periods_continue_where_the_last_process_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
