#include "inputs/tensors/stream.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/scope.h"
#include "unit.h"

enum { WORDS = 1 << 20 };

// Statistics are normally distributed here, so that 6 standard deviations mean a fault.
static void assert_deviation(const char *what, double statistic, double mean, double deviation)
{
    if (!(fabs(statistic - mean) < 6 * deviation))
        fail_msg("%s is %g, not %g +- %g", what, statistic, mean, deviation);
}

static void assert_chi_square(const char *what, const unsigned *found, size_t cells)
{
    double chi = 0, total = 0;
    for (size_t i = 0; i < cells; i++)
        total += found[i];
    double expected = total / (double)cells;
    for (size_t i = 0; i < cells; i++)
        chi += (found[i] - expected) * (found[i] - expected) / expected;
    double freedom = (double)cells - 1;
    assert_deviation(what, chi, freedom, sqrt(2 * freedom));
}

static uint32_t *words_of(uint64_t seed)
{
    uint32_t *words = mem_array(uint32_t, WORDS);
    stream_words(stream_key(seed, STREAM_VALUES), 0, WORDS, words);
    return words;
}

static void a_stream_is_the_same_everywhere_and_forever(void **state)
{
    (void)state;
    uint32_t words[4], late[2];
    stream_words(stream_key(0, STREAM_VALUES), 0, 4, words);
    stream_words(stream_key(1, STREAM_PERMUTATION), ((uint64_t)1 << 40) - 1, 2, late);
    const uint32_t expected[] = {0xE7C7D2AF, 0xE26C76DD, 0xD07A941E,
                                 0x519EF507, 0xA5644979, 0x625D9642};
    assert_memory_equal(words, expected, sizeof words);
    assert_memory_equal(late, expected + 4, sizeof late);
}

static void a_word_depends_only_on_its_number(void **state)
{
    (void)state;
    enum { SIZE = 3 * STREAM_BLOCK };
    uint32_t all[SIZE], part[SIZE];
    uint64_t key = stream_key(5, STREAM_VALUES);
    stream_words(key, 0, SIZE, all);
    for (size_t first = 0; first < SIZE; first += 1 + first / 7) {
        size_t count = (first * 31 + 5) % (SIZE - first) + 1;
        stream_words(key, first, count, part);
        assert_memory_equal(part, all + first, count * sizeof *part);
    }
}

static void floats_are_the_upper_bits_of_words(void **state)
{
    (void)state;
    enum { SIZE = STREAM_BLOCK + 100 };
    uint32_t words[SIZE];
    float floats[SIZE];
    uint64_t key = stream_key(6, STREAM_VALUES);
    stream_words(key, 17, SIZE, words);
    stream_floats(key, 17, SIZE, floats);
    for (size_t i = 0; i < SIZE; i++)
        assert_true(floats[i] == (float)(words[i] >> 8) / 16777216);
}

static void all_processors_make_the_same_words(void **state)
{
    (void)state;
    enum { SIZE = 1003 };
    struct stream_keys keys = {0xFFFFFF00u, 2, 3};
    const struct stream_loops *last = stream_loops;
    while (strcmp(last->name, "portable") != 0)
        last++;
    for (const struct stream_loops *loops = stream_loops; loops != last; loops++) {
        uint32_t words[SIZE], expected_words[SIZE];
        float floats[SIZE], expected_floats[SIZE];
        if (!loops->runs_here())
            continue;
        loops->words(keys, 3, SIZE, words);
        last->words(keys, 3, SIZE, expected_words);
        loops->floats(keys, 3, SIZE, floats);
        last->floats(keys, 3, SIZE, expected_floats);
        assert_memory_equal(words, expected_words, sizeof words);
        assert_memory_equal(floats, expected_floats, sizeof floats);
    }
}

static void every_byte_is_uniform(void **state)
{
    (void)state;
    AUTO(memory) uint32_t *words = words_of(10);
    for (int shift = 0; shift <= 24; shift += 4) {
        unsigned found[256] = {0};
        for (size_t i = 0; i < WORDS; i++)
            found[words[i] >> shift & 255]++;
        assert_chi_square("a byte", found, 256);
    }
}

static void every_bit_is_balanced_and_ignores_the_one_before(void **state)
{
    (void)state;
    AUTO(memory) uint32_t *words = words_of(11);
    for (int bit = 0; bit < 32; bit++) {
        double ones = 0, changes = 0;
        for (size_t i = 1; i < WORDS; i++) {
            ones += words[i] >> bit & 1;
            changes += (words[i] ^ words[i - 1]) >> bit & 1;
        }
        assert_deviation("a bit", ones, WORDS / 2.0, sqrt(WORDS) / 2);
        assert_deviation("its changes", changes, WORDS / 2.0, sqrt(WORDS) / 2);
    }
}

// Pairs of words that are `lag` apart: four bits of each, in a table of 256 cells.
static void assert_pairs(const uint32_t *first, const uint32_t *second, size_t count, int shift)
{
    unsigned found[256] = {0};
    for (size_t i = 0; i < count; i++)
        found[(first[i] >> shift & 15) << 4 | (second[i] >> shift & 15)]++;
    assert_chi_square("pairs", found, 256);
}

static double correlation(const uint32_t *first, const uint32_t *second, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (first[i] * 0x1p-32 - 0.5) * (second[i] * 0x1p-32 - 0.5);
    return sum * 12;
}

static void neighbours_are_unrelated(void **state)
{
    (void)state;
    static const size_t lags[] = {1, 2, 3, 4, 8, 16, 64, 256, 4095, 4096, 4097, 65536};
    AUTO(memory) uint32_t *words = words_of(12);
    for (size_t i = 0; i < LENGTH(lags); i++) {
        size_t count = WORDS - lags[i];
        assert_deviation("correlation", correlation(words, words + lags[i], count), 0, sqrt(WORDS));
        for (int shift = 0; shift < 32; shift += 4)
            assert_pairs(words, words + lags[i], count, shift);
    }
}

static void streams_of_neighbouring_seeds_are_unrelated(void **state)
{
    (void)state;
    AUTO(memory) uint32_t *words = words_of(1000);
    static const uint64_t others[] = {1001, 999, 1000 ^ (1u << 31), 1000 ^ ((uint64_t)1 << 63)};
    for (size_t i = 0; i < LENGTH(others); i++) {
        AUTO(memory) uint32_t *other = words_of(others[i]);
        assert_deviation("correlation", correlation(words, other, WORDS), 0, sqrt(WORDS));
        for (int shift = 0; shift < 32; shift += 4)
            assert_pairs(words, other, WORDS, shift);
    }
}

// The first words of many streams: tensors may be small.
static void first_words_of_consecutive_seeds_are_uniform(void **state)
{
    (void)state;
    AUTO(memory) uint32_t *words = mem_array(uint32_t, WORDS);
    for (uint64_t seed = 0; seed < WORDS; seed++)
        stream_words(stream_key(seed, STREAM_VALUES), 0, 1, &words[seed]);
    for (int shift = 0; shift < 32; shift += 4)
        assert_pairs(words, words + 1, WORDS - 1, shift);
    assert_deviation("correlation", correlation(words, words + 1, WORDS - 1), 0, sqrt(WORDS));
}

static int by_value(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

// Of 2^20 words, about 2^40 / 2 / 2^32 = 128 pairs are equal.
static void as_many_words_repeat_as_should(void **state)
{
    (void)state;
    double repeats = 0;
    for (uint64_t seed = 20; seed < 24; seed++) {
        AUTO(memory) uint32_t *words = words_of(seed);
        qsort(words, WORDS, sizeof *words, by_value);
        for (size_t i = 1; i < WORDS; i++)
            repeats += words[i] == words[i - 1];
    }
    assert_deviation("repeats", repeats, 4 * 128, sqrt(4 * 128));
}

static void a_change_of_the_seed_changes_half_of_the_bits(void **state)
{
    (void)state;
    enum { SEEDS = 1000 };
    for (int bit = 0; bit < 64; bit++) {
        double changed = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            uint32_t one, other;
            stream_words(stream_key(seed, STREAM_VALUES), 0, 1, &one);
            stream_words(stream_key(seed ^ (uint64_t)1 << bit, STREAM_VALUES), 0, 1, &other);
            changed += __builtin_popcount(one ^ other);
        }
        assert_deviation("changed bits", changed, 16.0 * SEEDS, sqrt(8.0 * SEEDS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_the_same_everywhere_and_forever),
        cmocka_unit_test(a_word_depends_only_on_its_number),
        cmocka_unit_test(floats_are_the_upper_bits_of_words),
        cmocka_unit_test(all_processors_make_the_same_words),
        cmocka_unit_test(every_byte_is_uniform),
        cmocka_unit_test(every_bit_is_balanced_and_ignores_the_one_before),
        cmocka_unit_test(neighbours_are_unrelated),
        cmocka_unit_test(streams_of_neighbouring_seeds_are_unrelated),
        cmocka_unit_test(first_words_of_consecutive_seeds_are_uniform),
        cmocka_unit_test(as_many_words_repeat_as_should),
        cmocka_unit_test(a_change_of_the_seed_changes_half_of_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
