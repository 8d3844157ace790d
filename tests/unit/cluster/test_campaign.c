#include "cluster/campaign/campaign.h"

#include "cluster/campaign/fitness.h"
#include "unit.h"

enum { CASES = 100 };

static void make_items(struct shard_item *items)
{
    for (size_t i = 0; i < CASES; i++)
        items[i] = (struct shard_item){1, i};
}

static void finish(struct campaign *campaign, size_t batch, uint64_t task, size_t most)
{
    const struct campaign_batch *cases = &campaign->batches[batch];
    for (size_t i = 0; i < cases->case_count && most; i++)
        if (cases->tasks[i] == task) {
            campaign_case_done(campaign, cases->cases[i], "n1");
            most--;
        }
}

static void a_campaign_without_failures_is_one_batch(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 4});
    assert_true(campaign_next(&campaign, &batch));
    assert_false(campaign_next(&campaign, &batch));
    for (uint64_t task = 1; task <= campaign.batches[0].shard.count; task++) {
        assert_false(campaign_is_over(&campaign));
        finish(&campaign, 0, task, CASES);
        campaign_task_ended(&campaign, 0, task, CAMPAIGN_FINISHED, "n1");
    }
    assert_true(campaign_is_over(&campaign));
    assert_int_equal(campaign.done_count, CASES);
}

static void cases_left_by_a_dead_task_are_retried(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch, again;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 4, .retries = 1});
    campaign_next(&campaign, &batch);
    finish(&campaign, batch, 1, 3);
    size_t left = 0;
    for (size_t i = 0; i < campaign.batches[batch].case_count; i++)
        left += campaign.batches[batch].tasks[i] == 1;
    campaign_task_ended(&campaign, batch, 1, CAMPAIGN_DIED, "n2");
    assert_true(campaign_next(&campaign, &again));
    assert_int_equal(campaign.batches[again].case_count, left - 3);
    assert_int_equal(campaign_node(&campaign, "n2")->deaths, 1);
    for (uint64_t task = 1; task <= campaign.batches[again].shard.count; task++)
        campaign_task_ended(&campaign, again, task, CAMPAIGN_DIED, "n2");
    assert_false(campaign_next(&campaign, &again));
    assert_int_equal(campaign.abandoned_count, left - 3);
}

static void a_refusal_is_not_an_attempt(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 1});
    for (int i = 0; i < 5; i++) {
        assert_true(campaign_next(&campaign, &batch));
        for (uint64_t task = 1; task <= campaign.batches[batch].shard.count; task++)
            campaign_task_ended(&campaign, batch, task, CAMPAIGN_REFUSED, "n3");
    }
    assert_int_equal(campaign.abandoned_count, 0);
}

static void a_case_counts_once(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){0});
    campaign_next(&campaign, &batch);
    assert_true(campaign_case_done(&campaign, 7, "n1"));
    assert_false(campaign_case_done(&campaign, 7, "n2"));
    assert_int_equal(campaign.done_count, 1);
}

static void cases_measured_by_an_unfit_machine_are_missing_again(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 2});
    campaign_next(&campaign, &batch);
    campaign_case_done(&campaign, 1, "n1");
    campaign_case_done(&campaign, 2, "n2");
    campaign_case_done(&campaign, 3, "n2");
    assert_int_equal(campaign_node_bad(&campaign, "n2", "slow"), 2);
    assert_int_equal(campaign_node_bad(&campaign, "n2", "slow"), 0);
    assert_int_equal(campaign.done_count, 1);
    assert_true(campaign_next(&campaign, &batch));
    assert_int_equal(campaign.batches[batch].case_count, 2);
}

static void tasks_shrink_if_there_is_much_to_do(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch;
    for (size_t i = 0; i < CASES; i++)
        items[i] = (struct shard_item){100, i};
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 5});
    campaign_next(&campaign, &batch);
    assert_int_equal(campaign.batches[batch].shard.step, 5);
    assert_true(campaign.batches[batch].shard.count > 5);
}

static void a_slow_machine_is_unfit(void **state)
{
    (void)state;
    const struct fitness all[] = {{"n1", "a", 100, NULL},
                                  {"n2", "a", 101, NULL},
                                  {"n3", "a", 150, NULL},
                                  {"n4", "b", 300, NULL}};
    AUTO(text) struct text why = {0};
    assert_false(fitness_refuses(all, 4, 0, &why));
    assert_false(fitness_refuses(all, 4, 3, &why));  // the only one of its kind
    assert_true(fitness_refuses(all, 4, 2, &why));
    assert_non_null(strstr(text_get(&why), "150 ns"));
}

static void a_check_that_only_one_machine_fails_makes_it_unfit(void **state)
{
    (void)state;
    const char *const both[] = {"governor", "load", NULL}, *const one[] = {"governor", NULL};
    const struct fitness all[] = {{"n1", "a", 0, one}, {"n2", "a", 0, both}, {"n3", "a", 0, one}};
    AUTO(text) struct text why = {0};
    assert_false(fitness_refuses(all, 3, 0, &why));  // all fail 'governor'
    assert_true(fitness_refuses(all, 3, 1, &why));
    assert_non_null(strstr(text_get(&why), "'load'"));
}

static struct shard first_batch(double cost, size_t groups, struct campaign_options options)
{
    struct shard_item items[CASES];
    size_t batch;
    for (size_t i = 0; i < CASES; i++)
        items[i] = (struct shard_item){cost, i % groups};
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &options);
    assert_true(campaign_next(&campaign, &batch));
    return campaign.batches[batch].shard;
}

static void assert_shard(struct shard shard, uint64_t count, uint64_t step)
{
    assert_int_equal(shard.count, count);
    assert_int_equal(shard.step, step);
}

// A task is worth starting if it takes eight times as long as its start, which is two seconds.
static void the_first_batch_has_smaller_tasks_the_longer_it_takes(void **state)
{
    (void)state;
    struct campaign_options four = {.machines = 4};
    assert_shard(first_batch(.625, CASES, four), 4, 0);  // 15.6 s each
    assert_shard(first_batch(.75, CASES, four), 8, 4);   // halved once
    assert_shard(first_batch(1.5, CASES, four), 12, 4);  // twice
    assert_shard(first_batch(1e6, CASES, four), 24, 4);
    four.task_start_s = 1;
    assert_shard(first_batch(.625, CASES, four), 8, 4);
    four.most_tasks = 10;
    assert_shard(first_batch(1e6, CASES, four), 10, 4);
}

static void a_batch_has_no_more_tasks_than_groups(void **state)
{
    (void)state;
    struct campaign_options four = {.machines = 4};
    assert_shard(first_batch(1e6, 3, four), 3, 0);
    assert_shard(first_batch(1e6, 11, four), 8, 4);
    assert_shard(first_batch(1e6, 12, four), 12, 4);
    assert_shard(first_batch(1, CASES, (struct campaign_options){0}), 4, 1);
}

static void retried_cases_get_as_many_tasks_as_are_worth_it(void **state)
{
    (void)state;
    struct shard_item items[CASES];
    size_t batch, again;
    make_items(items);
    AUTO(campaign) struct campaign campaign = {0};
    campaign_init(&campaign, items, CASES, &(struct campaign_options){.machines = 4, .retries = 9});
    campaign_next(&campaign, &batch);
    for (uint64_t task = 1; task <= campaign.batches[batch].shard.count; task++)
        campaign_task_ended(&campaign, batch, task, CAMPAIGN_DIED, "n");
    assert_true(campaign_next(&campaign, &again));
    assert_shard(campaign.batches[again].shard, 4, 0);
    for (uint64_t task = 2; task <= 4; task++) {
        finish(&campaign, again, task, CASES);
        campaign_task_ended(&campaign, again, task, CAMPAIGN_FINISHED, "n");
    }
    campaign_task_ended(&campaign, again, 1, CAMPAIGN_DIED, "n");
    assert_true(campaign_next(&campaign, &batch));
    assert_shard(campaign.batches[batch].shard, 2, 0);  // 25 s
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_campaign_without_failures_is_one_batch),
        cmocka_unit_test(cases_left_by_a_dead_task_are_retried),
        cmocka_unit_test(a_refusal_is_not_an_attempt),
        cmocka_unit_test(a_case_counts_once),
        cmocka_unit_test(cases_measured_by_an_unfit_machine_are_missing_again),
        cmocka_unit_test(tasks_shrink_if_there_is_much_to_do),
        cmocka_unit_test(a_slow_machine_is_unfit),
        cmocka_unit_test(a_check_that_only_one_machine_fails_makes_it_unfit),
        cmocka_unit_test(the_first_batch_has_smaller_tasks_the_longer_it_takes),
        cmocka_unit_test(a_batch_has_no_more_tasks_than_groups),
        cmocka_unit_test(retried_cases_get_as_many_tasks_as_are_worth_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
