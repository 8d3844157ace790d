#include "cluster/launching/slurm_answers.h"

#include "unit.h"

static void a_queue_lists_tasks(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    assert_ok(slurm_read_queue("squeue: warning: something\n"
                               "bilanx-a.1|12|3|RUNNING|4294901758|n1|None\n"
                               "bilanx-a.1|12|4|TIMEOUT|4294901758|n2|TimeLimit\n",
                               &tasks));
    assert_int_equal(tasks.count, 2);
    assert_int_equal(tasks.items[0].state, LAUNCH_RUNNING);
    assert_int_equal(tasks.items[0].number, 3);
    assert_string_equal(tasks.items[0].node, "n1");
    assert_string_equal(tasks.items[0].job, "12");
    assert_int_equal(tasks.items[1].state, LAUNCH_KILLED);
    assert_string_equal(launch_explain(tasks.items[1].word), "over its time limit");
}

static void array_notation_stands_for_several_tasks(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    assert_ok(slurm_read_queue("b.1|12|[3-5,9%2]|PENDING|7||Resources\n", &tasks));
    assert_int_equal(tasks.count, 4);
    assert_int_equal(tasks.items[3].number, 9);
    assert_int_equal(tasks.items[3].state, LAUNCH_WAITING);
}

static void held_and_requeued_tasks_are_recognised(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    assert_ok(slurm_read_queue("b.1|12|1|PENDING|0||JobHeldUser\n"
                               "b.1|12|2|PENDING|0||JobHeldAdmin\n"
                               "b.1|12|3|PENDING|0||job requeued in held state\n"
                               "b.1|12|4|REQUEUE_HOLD|0||launch_failed_requeued_held\n"
                               "b.1|12|5|REQUEUED|5||None\n",
                               &tasks));
    static const enum launch_state wanted[] = {LAUNCH_HELD, LAUNCH_HELD, LAUNCH_HELD, LAUNCH_HELD,
                                               LAUNCH_WAITING};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(tasks.items[i].state, wanted[i]);
}

static void unknown_answers_are_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "b.1|12|1|RUNNING|5|n1",        "b.1|12|1|RUNNING|5|n1|None|more",
        "b.1|x|1|RUNNING|5|n1|None",    "b.1|12|1|DANCING|5|n1|None",
        "b.1|12|[1-|RUNNING|5|n1|None", "b.1|12||RUNNING|5|n1|None",
        "b.1|12|[5-2]|PENDING|5||None", "b.1|12|1|RUNNING|high|n1|None",
        "b.1|12|N/A|RUNNING|5|n1|None", "gibberish",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        AUTO(launch_tasks) struct launch_tasks tasks = {0};
        struct bilanx_error error = slurm_read_queue(wrong[i], &tasks);
        assert_int_equal(error.status, BILANX_E_INPUT);
        assert_non_null(strstr(error.text, "squeue"));
    }
}

static void accounts_are_read(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    assert_ok(slurm_read_accounts("b.1|12_3|NODE_FAIL|n2\n"
                                  "b.1|12_4|CANCELLED by 1000|None assigned\n"
                                  "b.1|12_[5-6%2]|PENDING|None assigned\n",
                                  &tasks));
    assert_int_equal(tasks.count, 4);
    assert_int_equal(tasks.items[0].state, LAUNCH_KILLED);
    assert_string_equal(tasks.items[1].word, "CANCELLED");
    assert_string_equal(tasks.items[1].node, "");
    assert_int_equal(tasks.items[3].number, 6);
}

static void a_submission_names_its_job(void **state)
{
    (void)state;
    AUTO(memory) char *job = NULL, *other = NULL, *none = NULL;
    assert_ok(slurm_read_job("1234\n", &job));
    assert_string_equal(job, "1234");
    assert_ok(slurm_read_job("sbatch: info: hello\n77;alpha\n", &other));
    assert_string_equal(other, "77");
    assert_int_equal(slurm_read_job("Submitted batch job 5\n", &none).status, BILANX_E_INPUT);
    assert_int_equal(slurm_read_job("", &none).status, BILANX_E_INPUT);
}

static void only_usable_nodes_count(void **state)
{
    (void)state;
    uint64_t machines = 0;
    assert_ok(slurm_read_nodes("3|idle\n2|allocated\n1|down*\n1|drained\n4|mixed\n", &machines));
    assert_int_equal(machines, 9);
    assert_int_equal(slurm_read_nodes("three|idle\n", &machines).status, BILANX_E_INPUT);
}

static void a_setting_is_found(void **state)
{
    (void)state;
    static const char text[] =
        "MaxArraySizes           = 7\nMaxArraySize            = 1001\nOther = 1\n";
    AUTO(memory) char *size = slurm_config_value(text, "MaxArraySize");
    assert_string_equal(size, "1001");
    assert_null(slurm_config_value(text, "Missing"));
}

static void an_unreachable_controller_is_not_an_error_of_ours(void **state)
{
    (void)state;
    assert_true(slurm_is_unreachable(
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"));
    assert_true(
        slurm_is_unreachable("sbatch: error: Batch job submission failed: Socket timed out on "
                             "send/recv operation"));
    assert_false(slurm_is_unreachable("sbatch: error: invalid partition specified: nowhere"));
}

static void only_numbers_are_jobs(void **state)
{
    (void)state;
    assert_true(slurm_is_job("1234"));
    static const char *const others[] = {"",    "--user=victim", "-1",   "12 13",
                                         "12,", "12_[1-3]",      "12\n", "123456789012345678901"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(slurm_is_job(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_lists_tasks),
        cmocka_unit_test(array_notation_stands_for_several_tasks),
        cmocka_unit_test(held_and_requeued_tasks_are_recognised),
        cmocka_unit_test(unknown_answers_are_errors),
        cmocka_unit_test(accounts_are_read),
        cmocka_unit_test(a_submission_names_its_job),
        cmocka_unit_test(only_usable_nodes_count),
        cmocka_unit_test(a_setting_is_found),
        cmocka_unit_test(an_unreachable_controller_is_not_an_error_of_ours),
        cmocka_unit_test(only_numbers_are_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
