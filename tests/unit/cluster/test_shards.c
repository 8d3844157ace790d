#include "cluster/shards/shards.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"
#include "unit.h"

enum { MOST = 2000 };

static void a_shard_is_two_or_three_numbers(void **state)
{
    (void)state;
    struct shard shard;
    assert_ok(shard_parse("2/8", &shard));
    assert_int_equal(shard.index, 2);
    assert_int_equal(shard.count, 8);
    assert_int_equal(shard.step, 0);
    assert_ok(shard_parse("300/300/50", &shard));
    assert_int_equal(shard.step, 50);
}

static void anything_else_is_a_usage_error(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "1",     "0/3",  "4/3",   "1/0",        "-1/3",
                                        "+1/3", "1/3x",  "1 /3", "a/b",   "1//3",       "/3",
                                        "1/3/", "1/3/0", "1/",   "1.5/3", "1/99999999", "1/2/3/4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct shard shard;
        assert_int_equal(shard_parse(wrong[i], &shard).status, BILANX_E_USAGE);
    }
}

static void equal_costs_are_dealt_evenly(void **state)
{
    (void)state;
    struct shard_item items[12];
    uint32_t shards[12], counts[4] = {0};
    for (size_t i = 0; i < 12; i++)
        items[i] = (struct shard_item){1, i};
    shards_cut(items, 12, &(struct shard){.count = 4}, shards);
    for (size_t i = 0; i < 12; i++) {
        assert_in_range(shards[i], 1, 4);
        counts[shards[i] - 1]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(counts[i], 3);
}

static void groups_stay_together(void **state)
{
    (void)state;
    struct shard_item items[MOST];
    uint32_t shards[MOST];
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < MOST; i++)
        items[i] = (struct shard_item){random_unit(&random), random_below(&random, 300)};
    shards_cut(items, MOST, &(struct shard){.count = 7}, shards);
    uint32_t of_group[300] = {0};
    for (size_t i = 0; i < MOST; i++) {
        uint32_t *known = &of_group[items[i].group];
        assert_true(*known == 0 || *known == shards[i]);
        *known = shards[i];
    }
}

static void loads(const struct shard_item *items, const uint32_t *shards, double *out)
{
    for (size_t i = 0; i < MOST; i++)
        out[shards[i] - 1] += items[i].cost;
}

static void no_shard_exceeds_another_by_more_than_a_group(void **state)
{
    (void)state;
    struct shard_item items[MOST];
    uint32_t shards[MOST];
    double load[9] = {0}, largest = 0, least = 1e9, most = 0;
    struct random random;
    random_init(&random, 2);
    for (size_t i = 0; i < MOST; i++) {
        double skewed = random_unit(&random);
        items[i] = (struct shard_item){10 * skewed * skewed * skewed, i};
        largest = items[i].cost > largest ? items[i].cost : largest;
    }
    shards_cut(items, MOST, &(struct shard){.count = 9}, shards);
    loads(items, shards, load);
    for (size_t i = 0; i < 9; i++) {
        least = load[i] < least ? load[i] : least;
        most = load[i] > most ? load[i] : most;
    }
    assert_true(most - least <= largest);
}

static void with_a_step_shards_shrink_by_half(void **state)
{
    (void)state;
    const struct shard shard = {.count = 12, .step = 4};
    struct shard_item items[MOST];
    uint32_t shards[MOST];
    double load[12] = {0}, sum = 0;
    for (size_t i = 0; i < MOST; i++)
        items[i] = (struct shard_item){1, i};
    shards_cut(items, MOST, &shard, shards);
    loads(items, shards, load);
    for (size_t i = 0; i < 12; i++) {
        double wanted = MOST * (i < 4 ? .5 : .25) / 4;
        assert_true(load[i] >= wanted - 1 && load[i] <= wanted + 1);
        sum += shard_weight(&shard, i + 1);
    }
    assert_float_equal(sum, 1, 1e-12);
}

static void more_shards_than_cases_leave_some_empty(void **state)
{
    (void)state;
    const struct shard_item items[2] = {{1, 0}, {1, 1}};
    uint32_t shards[2];
    shards_cut(items, 2, &(struct shard){.count = 5}, shards);
    assert_int_not_equal(shards[0], shards[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_is_two_or_three_numbers),
        cmocka_unit_test(anything_else_is_a_usage_error),
        cmocka_unit_test(equal_costs_are_dealt_evenly),
        cmocka_unit_test(groups_stay_together),
        cmocka_unit_test(no_shard_exceeds_another_by_more_than_a_group),
        cmocka_unit_test(with_a_step_shards_shrink_by_half),
        cmocka_unit_test(more_shards_than_cases_leave_some_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
