#include "cluster/site/run_folder.h"
#include "own_folder.h"

static int enter_run(void **state)
{
    return own_folder_enter(state) == 0 && mkdir("batches", 0700) == 0 &&
                   mkdir("ends", 0700) == 0 && mkdir("nodes", 0700) == 0
               ? 0
               : -1;
}
#define IN_RUN(test) cmocka_unit_test_setup_teardown(test, enter_run, own_folder_leave)

static void a_batch_is_two_files_and_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct run_batch batch = {.job = (char *)"123", .shard = {.count = 5, .step = 2}};
    AUTO(run_batch) struct run_batch read = {0};
    AUTO(text) struct text positions = {0};
    bool found = false;
    assert_ok(run_batch_write(".", 7, &batch, "1-3,9"));
    assert_file("batches/7.json", "{\"job\":\"123\",\"tasks\":5,\"step\":2}\n");
    assert_file("batches/7.cases", "1-3,9");
    assert_ok(run_batch_read(".", 7, &read, &positions, &found));
    assert_true(found);
    assert_string_equal(read.job, "123");
    assert_int_equal(read.shard.count, 5);
    assert_int_equal(read.shard.step, 2);
    assert_string_equal(text_get(&positions), "1-3,9");
}

static void a_batch_keeps_its_cases_when_its_job_is_known(void **state)
{
    (void)state;
    struct run_batch batch = {.shard = {.count = 1}};
    AUTO(run_batch) struct run_batch read = {0};
    bool found = false;
    assert_ok(run_batch_write(".", 1, &batch, "1"));
    assert_file("batches/1.json", "{\"tasks\":1,\"step\":0}\n");
    batch.job = (char *)"9";
    assert_ok(run_batch_write(".", 1, &batch, NULL));
    assert_file("batches/1.cases", "1");
    assert_int_equal(unlink("batches/1.cases"), 0);
    assert_ok(run_batch_read(".", 1, &read, NULL, &found));
    assert_string_equal(read.job, "9");
    AUTO(run_batch) struct run_batch again = {0};
    AUTO(text) struct text positions = {0};
    assert_error(run_batch_read(".", 1, &again, &positions, &found), BILANX_E_SYSTEM,
                 "batches/1.cases");
}

static void a_batch_that_is_not_there_is_no_error(void **state)
{
    (void)state;
    AUTO(run_batch) struct run_batch read = {0};
    bool found = true;
    assert_ok(run_batch_read(".", 2, &read, NULL, &found));
    assert_false(found);
}

static void a_batch_has_between_one_and_a_million_tasks(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool good;
    } batches[] = {
        {"{\"tasks\":1}", true},
        {"{\"tasks\":1000000,\"step\":1000000}", true},
        {"{\"tasks\":0}", false},
        {"{\"tasks\":1000001}", false},
        {"{\"tasks\":1,\"step\":1000001}", false},
    };
    for (size_t i = 0; i < LENGTH(batches); i++) {
        AUTO(run_batch) struct run_batch read = {0};
        bool found;
        file_make("batches/1.json", batches[i].json);
        if (batches[i].good)
            assert_ok(run_batch_read(".", 1, &read, NULL, &found));
        else
            assert_error(run_batch_read(".", 1, &read, NULL, &found), BILANX_E_INPUT,
                         "./batches/1.json: 'tasks' must be between 1 and 1000000");
    }
}

static void the_end_of_a_task_is_read_as_it_was_written(void **state)
{
    (void)state;
    const struct run_end end = {.node = (char *)"n1",
                                .kind = (char *)"Zen",
                                .status = 3,
                                .refused = (char *)"it is slow",
                                .failed = (char *)"no disk"};
    AUTO(run_end) struct run_end read = {0}, none = {0};
    assert_ok(run_end_write(".", "1.2.1", &end));
    assert_file("ends/1.2.1.json", "{\"node\":\"n1\",\"kind\":\"Zen\",\"status\":3,"
                                   "\"refused\":\"it is slow\",\"failed\":\"no disk\"}\n");
    assert_true(run_end_read(".", "1.2.1", &read));
    assert_string_equal(read.node, "n1");
    assert_string_equal(read.kind, "Zen");
    assert_int_equal(read.status, 3);
    assert_string_equal(read.refused, "it is slow");
    assert_string_equal(read.failed, "no disk");
    assert_false(run_end_read(".", "1.2.2", &none));
    file_make("ends/1.2.3.json", "{");
    assert_false(run_end_read(".", "1.2.3", &none));
}

static void machines_are_read_from_their_files_and_nothing_else(void **state)
{
    (void)state;
    AUTO(run_node) struct run_node node = {.name = mem_text("n1"),
                                           .kind = mem_text("Zen"),
                                           .build = mem_text("x-1"),
                                           .kernel_ns = 12.5};
    AUTO(run_nodes) struct run_nodes nodes = {0};
    list_add(&node.failing, "governor");
    list_add(&node.counts, "strlen: 42");
    assert_ok(run_node_write(".", &node));
    assert_file("nodes/n1.json",
                "{\"name\":\"n1\",\"kind\":\"Zen\",\"build\":\"x-1\",\"kernel_ns\":12.5,"
                "\"failing\":[\"governor\"],\"counts\":[\"strlen: 42\"]}\n");
    file_make("nodes/n2.json.new", "{\"name\":\"n2\",\"kind\":\"Zen\"}");
    file_make("nodes/n3", "{\"name\":\"n3\",\"kind\":\"Zen\"}");
    file_make("nodes/n4.json", "{\"name\":\"n4\"}");
    file_make("nodes/n5.json", "{\"kind\":\"Zen\"}");
    file_make("nodes/n6.json", "{");
    run_nodes_read(".", &nodes);
    assert_int_equal(nodes.count, 1);
    assert_string_equal(nodes.items[0].name, "n1");
    assert_string_equal(nodes.items[0].kind, "Zen");
    assert_string_equal(nodes.items[0].build, "x-1");
    assert_true(nodes.items[0].kernel_ns == 12.5);
    assert_int_equal(nodes.items[0].failing.count, 1);
    assert_string_equal(nodes.items[0].failing.items[0], "governor");
    assert_string_equal(nodes.items[0].counts.items[0], "strlen: 42");
}

static void any_number_of_machines_is_read(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    bool seen[COUNT] = {false};
    for (int i = 0; i < COUNT; i++) {
        AUTO(run_node) struct run_node node = {.name = mem_format("%d", i), .kind = mem_text("k")};
        assert_ok(run_node_write(".", &node));
    }
    AUTO(run_nodes) struct run_nodes nodes = {0}, none = {0};
    run_nodes_read(".", &nodes);
    assert_int_equal(nodes.count, COUNT);
    for (size_t i = 0; i < nodes.count; i++)
        seen[atoi(nodes.items[i].name)] = true;
    for (int i = 0; i < COUNT; i++)
        assert_true(seen[i]);
    run_nodes_read("missing", &none);
    assert_int_equal(none.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_RUN(a_batch_is_two_files_and_is_read_as_it_was_written),
        IN_RUN(a_batch_keeps_its_cases_when_its_job_is_known),
        IN_RUN(a_batch_that_is_not_there_is_no_error),
        IN_RUN(a_batch_has_between_one_and_a_million_tasks),
        IN_RUN(the_end_of_a_task_is_read_as_it_was_written),
        IN_RUN(machines_are_read_from_their_files_and_nothing_else),
        IN_RUN(any_number_of_machines_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
