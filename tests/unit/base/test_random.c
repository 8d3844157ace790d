#include "base/random.h"

#include <stdbool.h>

#include "unit.h"

static void the_sequence_matches_the_reference_implementation(void **state)
{
    (void)state;
    // xoshiro256** from the state 1, 2, 3, 4; values of the reference implementation.
    struct random random = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520,
                                        0,
                                        1509978240,
                                        1215971899390074240,
                                        1216172134540287360,
                                        607988272756665600,
                                        16172922978634559625u,
                                        8476171486693032832,
                                        10595114339597558777u,
                                        2904607092377533576};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_true(random_bits(&random) == expected[i]);
}

static void a_seed_is_expanded_by_splitmix(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1234567);
    static const uint64_t expected[] = {6457827717110365317, 3203168211198807973,
                                        9817491932198370423u, 4593380528125082431};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_true(random.state[i] == expected[i]);
}

static void draws_below_a_bound_are_uniform(void **state)
{
    (void)state;
    enum { BOUND = 7, DRAWS = 70000 };
    struct random random;
    random_init(&random, 2);
    double counts[BOUND] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint64_t drawn = random_below(&random, BOUND);
        assert_true(drawn < BOUND);
        counts[drawn]++;
    }
    double chi2 = 0, expected = (double)DRAWS / BOUND;
    for (int i = 0; i < BOUND; i++)
        chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(chi2 < 22.46);  // 6 degrees of freedom, p = 0.001
}

static void a_huge_bound_favours_no_half(void **state)
{
    (void)state;
    // Plain modulo would draw from the lower half of [0, 3 * 2^62) two times out of three.
    struct random random;
    random_init(&random, 3);
    int low = 0;
    for (int i = 0; i < 30000; i++)
        low += random_below(&random, 3ull << 62) < 3ull << 61;
    assert_in_range(low, 15000 - 350, 15000 + 350);  // four standard deviations
}

static void a_bound_of_one_always_gives_zero(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 4);
    for (int i = 0; i < 100; i++)
        assert_int_equal(random_below(&random, 1), 0);
}

static void unit_draws_fill_the_unit_interval(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 5);
    double sum = 0, least = 1, most = 0;
    for (int i = 0; i < 100000; i++) {
        double drawn = random_unit(&random);
        assert_true(drawn >= 0 && drawn < 1);
        least = fmin(least, drawn);
        most = fmax(most, drawn);
        sum += drawn;
    }
    assert_near(sum / 100000, 0.5, 0.004);
    assert_true(least < 0.001 && most > 0.999);
}

static void a_shuffle_reaches_every_order_equally_often(void **state)
{
    (void)state;
    enum { ROUNDS = 24000 };
    struct random random;
    random_init(&random, 6);
    double counts[4 * 4 * 4] = {0};  // by the first three of four items
    for (int i = 0; i < ROUNDS; i++) {
        size_t items[] = {0, 1, 2, 3};
        random_shuffle(&random, items, 4);
        assert_int_equal(1 << items[0] | 1 << items[1] | 1 << items[2] | 1 << items[3], 15);
        counts[items[0] * 16 + items[1] * 4 + items[2]]++;
    }
    double chi2 = 0, expected = ROUNDS / 24.0;
    for (size_t i = 0; i < LENGTH(counts); i++)
        if (counts[i] > 0)
            chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(chi2 < 49.73);  // 23 degrees of freedom, p = 0.001
    size_t lone = 9;
    random_shuffle(&random, &lone, 1);
    random_shuffle(&random, NULL, 0);
    assert_int_equal(lone, 9);
}

static void fresh_seeds_differ(void **state)
{
    (void)state;
    uint64_t a = random_fresh_seed(), b = random_fresh_seed();
    assert_true(a != b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sequence_matches_the_reference_implementation),
        cmocka_unit_test(a_seed_is_expanded_by_splitmix),
        cmocka_unit_test(draws_below_a_bound_are_uniform),
        cmocka_unit_test(a_huge_bound_favours_no_half),
        cmocka_unit_test(a_bound_of_one_always_gives_zero),
        cmocka_unit_test(unit_draws_fill_the_unit_interval),
        cmocka_unit_test(a_shuffle_reaches_every_order_equally_often),
        cmocka_unit_test(fresh_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
