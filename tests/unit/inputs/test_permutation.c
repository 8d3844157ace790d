#include "inputs/tensors/permutation.h"

#include <stdbool.h>
#include <stdlib.h>

#include "unit.h"

static void every_number_occurs_once(void **state)
{
    (void)state;
    for (uint64_t size = 1; size < 300; size++) {
        struct permutation permutation;
        permutation_init(&permutation, size, size * 7);
        bool seen[300] = {0};
        for (uint64_t i = 0; i < size; i++) {
            uint64_t number = permutation_at(&permutation, i);
            assert_true(number < size && !seen[number]);
            seen[number] = true;
        }
    }
}

static void a_large_one_stays_within_its_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1u << 20, ((uint64_t)1 << 40) + 1, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct permutation permutation;
        permutation_init(&permutation, sizes[i], 1);
        uint64_t largest = 0;
        for (uint64_t at = 0; at < 1000; at++) {
            uint64_t number = permutation_at(&permutation, at);
            assert_true(number < sizes[i]);
            largest = number > largest ? number : largest;
        }
        assert_true(largest > sizes[i] / 2);
    }
}

static int code_of(const struct permutation *permutation)
{
    int code = 0;
    for (uint64_t i = 0; i < permutation->size; i++)
        code = code * (int)permutation->size + (int)permutation_at(permutation, i);
    return code;
}

// All orders of a few numbers are equally likely. Chi-square, at 6 standard deviations.
static void assert_all_orders(uint64_t size, int orders)
{
    enum { EACH = 300, CODES = 5 * 5 * 5 * 5 * 5 };
    int found[CODES] = {0}, different = 0;
    for (int seed = 0; seed < EACH * orders; seed++) {
        struct permutation permutation;
        permutation_init(&permutation, size, (uint64_t)seed << 32);
        found[code_of(&permutation)]++;
    }
    double chi = 0;
    for (int code = 0; code < CODES; code++) {
        different += found[code] > 0;
        if (found[code])
            chi += (found[code] - EACH) * (found[code] - EACH) / (double)EACH;
    }
    assert_int_equal(different, orders);
    assert_true(chi < orders - 1 + 6 * sqrt(2.0 * (orders - 1)));
}

static void all_orders_are_equally_likely(void **state)
{
    (void)state;
    assert_all_orders(2, 2);
    assert_all_orders(3, 6);
    assert_all_orders(4, 24);
    assert_all_orders(5, 120);
}

// In a random order of n numbers, neighbours that follow each other by one are rare: one on
// average.
static void neighbours_are_unrelated(void **state)
{
    (void)state;
    enum { SIZE = 1000, SEEDS = 1000 };
    int successors = 0, fixed = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct permutation permutation;
        permutation_init(&permutation, SIZE, seed);
        uint64_t last = permutation_at(&permutation, 0);
        for (uint64_t i = 1; i < SIZE; i++) {
            uint64_t number = permutation_at(&permutation, i);
            successors += number == last + 1;
            fixed += number == i;
            last = number;
        }
    }
    assert_near(successors, SEEDS, 6 * sqrt(SEEDS));
    assert_near(fixed, SEEDS, 6 * sqrt(SEEDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_occurs_once),
        cmocka_unit_test(a_large_one_stays_within_its_size),
        cmocka_unit_test(all_orders_are_equally_likely),
        cmocka_unit_test(neighbours_are_unrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
