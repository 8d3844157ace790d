// The expected numbers are those of numpy.random.RandomState.
#include "inputs/fuzzer/mersenne.h"

#include "unit.h"

static void words_are_those_of_the_reference(void **state)
{
    (void)state;
    struct mersenne random;
    mersenne_init(&random, 5489);
    for (int i = 0; i < 9999; i++)
        mersenne_bits(&random);
    assert_int_equal(mersenne_bits(&random), 4123659995u);  // the 10,000th, by the C++ standard
}

static void units_are_random_sample(void **state)
{
    (void)state;
    struct mersenne random;
    mersenne_init(&random, 0);
    assert_true(mersenne_unit(&random) == 0.5488135039273248);
    assert_true(mersenne_unit(&random) == 0.7151893663724195);
    mersenne_init(&random, UINT32_MAX);
    assert_true(mersenne_unit(&random) == 0.0976320289940138);
}

static void the_first_draw_of_a_fuzzer_has_63_bits(void **state)
{
    (void)state;
    struct mersenne random;
    mersenne_init(&random, 0);
    assert_int_equal(mersenne_between(&random, 0, INT64_MAX), 900450186894289455);
    mersenne_init(&random, 12345);
    assert_int_equal(mersenne_between(&random, 0, INT64_MAX), 7925018004216163813);
}

static void integers_are_randint(void **state)
{
    (void)state;
    const struct {
        int64_t low, high, expected[4];
    } cases[] = {
        {0, 1, {1, 0, 1, 0}},
        {0, 9, {4, 9, 6, 3}},
        {-5, 250, {170, 191, 20, 241}},
        {1, 2147483648, {327741616, 976413893, 1202242074, 1369975287}},
        {0, 4294967295, {327741615, 976413892, 3349725721, 1369975286}},
        // 64 bits at a time from here on.
        {0, 4294967296, {1322904761, 1133316631, 372560217, 1801189930}},
        {-4611686018427387904,
         4611686018427387904,
         {-3204046499487750972, 3475536756154880211, -3282577196826494422, 340139256470221704}},
        {INT64_MIN,
         INT64_MAX,
         {-7815732517915138876, 5163590386780219894, -1136149262272507693, 4122204982959224423}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct mersenne random;
        mersenne_init(&random, 7);
        for (size_t k = 0; k < LENGTH(cases[i].expected); k++)
            assert_int_equal(mersenne_between(&random, cases[i].low, cases[i].high),
                             cases[i].expected[k]);
    }
}

static void a_range_of_one_value_takes_no_draw(void **state)
{
    (void)state;
    struct mersenne random;
    mersenne_init(&random, 0);
    assert_int_equal(mersenne_between(&random, -3, -3), -3);
    assert_true(mersenne_unit(&random) == 0.5488135039273248);
}

static void choices_go_to_the_first_that_exceeds_the_draw(void **state)
{
    (void)state;
    const double cumulative[] = {0, 0.3, 0.3, 0.7, 1};
    const size_t expected[] = {3, 4, 1, 3, 4, 4, 1, 1};
    struct mersenne random;
    mersenne_init(&random, 3);
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_int_equal(mersenne_choose(&random, cumulative, 5), expected[i]);
    mersenne_init(&random, 3);
    for (size_t i = 0; i < 10000; i++) {
        size_t chosen = mersenne_choose(&random, cumulative, 5);
        assert_true(chosen == 1 || chosen == 3 || chosen == 4);  // the others have probability 0
    }
}

static void permutations_are_permutation(void **state)
{
    (void)state;
    const int expected[][5] = {{2, 4, 0, 3, 1}, {2, 0, 4, 3, 1}, {4, 0, 2, 3, 1}, {2, 3, 1, 0, 4}};
    struct mersenne random;
    mersenne_init(&random, 11);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        int items[5];
        mersenne_permute(&random, items, 5);
        assert_memory_equal(items, expected[i], sizeof items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_reference),
        cmocka_unit_test(units_are_random_sample),
        cmocka_unit_test(the_first_draw_of_a_fuzzer_has_63_bits),
        cmocka_unit_test(integers_are_randint),
        cmocka_unit_test(a_range_of_one_value_takes_no_draw),
        cmocka_unit_test(choices_go_to_the_first_that_exceeds_the_draw),
        cmocka_unit_test(permutations_are_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
