#include "cluster/site/run_folder.h"

#include "own_folder.h"

// A run of three cases, with every member set.
static struct run_folder full_run(const char *path)
{
    struct run_folder run = {.path = mem_text(path),
                             .version = mem_text("1.2.3"),
                             .program = mem_text("/opt/bilanx"),
                             .directory = mem_text("/home/user"),
                             .out = mem_text("out.jsonl"),
                             .launcher = mem_text("slurm"),
                             .partition = mem_text("quick"),
                             .digest = mem_text("d1"),
                             .nodes = 4,
                             .retries = 2,
                             .replicas = 3,
                             .records = RECORDS_SEQUENTIAL,
                             .counted = true,
                             .unchecked = true,
                             .streamed = true,
                             .items = mem_array(struct shard_item, 3),
                             .case_count = 3};
    const struct shard_item items[] = {{1.3, 0}, {0.1, 0}, {2, 2}};
    memcpy(run.items, items, sizeof items);
    list_add(&run.words, "run");
    list_add(&run.words, "s.yaml");
    list_add(&run.options, "--qos=low");
    list_add(&run.names, "first case");
    list_add(&run.names, "second");
    list_add(&run.names, "a\nb");
    return run;
}

static const char FULL[] =
    "{\"version\":\"1.2.3\",\"program\":\"/opt/bilanx\",\"words\":[\"run\",\"s.yaml\"],"
    "\"directory\":\"/home/user\",\"out\":\"out.jsonl\",\"launcher\":\"slurm\","
    "\"partition\":\"quick\",\"options\":[\"--qos=low\"],\"nodes\":4,\"retries\":2,"
    "\"replicas\":3,\"records\":1,\"counted\":true,\"unchecked\":true,\"streamed\":true,"
    "\"cases\":3,\"digest\":\"d1\"}\n";

static const char LEAST[] =
    "{\"version\":\"1\",\"program\":\"p\",\"words\":[\"run\"],\"out\":\"o\",\"launcher\":\"slurm\"";

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static void a_run_is_a_folder_with_a_description_and_a_line_per_case(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = full_run("below/here/run");
    assert_ok(run_folder_create(&run));
    assert_file("below/here/run/run.json", FULL);
    assert_file("below/here/run/cases",
                "1.3 0 first case\n0.10000000000000001 0 second\n2 2 a\\nb\n");
    static const char *const inner[] = {"batches", "records", "ends", "nodes", "logs"};
    for (size_t i = 0; i < LENGTH(inner); i++) {
        AUTO(memory) char *path = mem_format("below/here/run/%s", inner[i]);
        assert_true(is_folder(path));
    }
}

static void a_run_is_read_as_it_was_written(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = full_run("run"), read = {0};
    assert_ok(run_folder_create(&run));
    assert_ok(run_folder_read("run", true, &read));
    assert_string_equal(read.path, "run");
    assert_string_equal(read.version, "1.2.3");
    assert_string_equal(read.program, "/opt/bilanx");
    assert_string_equal(read.directory, "/home/user");
    assert_string_equal(read.out, "out.jsonl");
    assert_string_equal(read.launcher, "slurm");
    assert_string_equal(read.partition, "quick");
    assert_string_equal(read.digest, "d1");
    assert_int_equal(read.words.count, 2);
    assert_string_equal(read.words.items[1], "s.yaml");
    assert_int_equal(read.options.count, 1);
    assert_string_equal(read.options.items[0], "--qos=low");
    assert_int_equal(read.nodes, 4);
    assert_int_equal(read.retries, 2);
    assert_int_equal(read.replicas, 3);
    assert_int_equal(read.records, RECORDS_SEQUENTIAL);
    assert_true(read.counted && read.unchecked && read.streamed);
    assert_int_equal(read.case_count, 3);
    assert_true(read.items[0].cost == 1.3 && read.items[1].cost == 0.1 && read.items[2].cost == 2);
    assert_int_equal(read.items[1].group, 0);
    assert_int_equal(read.items[2].group, 2);
    assert_int_equal(read.names.count, 3);
    assert_string_equal(read.names.items[0], "first case");
    assert_string_equal(read.names.items[2], "a\\nb");
}

static void cases_are_only_read_if_wanted(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = full_run("run"), read = {0};
    assert_ok(run_folder_create(&run));
    assert_int_equal(unlink("run/cases"), 0);
    assert_ok(run_folder_read("run", false, &read));
    assert_null(read.items);
    assert_int_equal(read.names.count, 0);
    AUTO(run_folder) struct run_folder other = {0};
    assert_error(run_folder_read("run", true, &other), BILANX_E_SYSTEM, "run/cases");
}

static void a_folder_that_exists_is_not_used_for_another_run(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = full_run("run");
    assert_ok(run_folder_create(&run));
    assert_error(run_folder_create(&run), BILANX_E_SYSTEM, "cannot create 'run': File exists");
}

static void a_folder_that_cannot_be_created_is_an_error(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = full_run("file/run"), below = full_run("file/a/run");
    file_make("file", "");
    assert_error(run_folder_create(&run), BILANX_E_SYSTEM, "cannot create 'file/run'");
    assert_error(run_folder_create(&below), BILANX_E_SYSTEM, "cannot create 'file/a'");
}

static void a_path_from_the_root_is_created_as_well(void **state)
{
    (void)state;
    AUTO(memory) char *path = mem_format("%s/x/y", own_folder);
    AUTO(run_folder) struct run_folder run = full_run(path);
    assert_ok(run_folder_create(&run));
    assert_true(file_exists("x/y/run.json"));
}

// Reads a folder whose run.json has the required members and these.
static struct bilanx_error read_with(const char *more, struct run_folder *out)
{
    AUTO(memory) char *json = mem_format("%s%s}", LEAST, more);
    mkdir("run", 0700);
    file_make("run/run.json", json);
    return run_folder_read("run", true, out);
}
#define REFUSED(more, text)                                           \
    do {                                                              \
        struct run_folder none = {0};                                 \
        assert_error(read_with(more, &none), BILANX_E_INPUT, text);   \
        assert_null(none.path); /* outputs are only set on success */ \
    } while (0)

static void numbers_are_bounded(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder most = {0};
    mkdir("run", 0700);
    file_make("run/cases", "");
    assert_ok(read_with(",\"replicas\":64,\"records\":2", &most));
    assert_int_equal(most.replicas, 64);
    assert_int_equal(most.records, RECORDS_WHOLE);
    REFUSED(",\"replicas\":65", "run/run.json: 'replicas' is too large");
    REFUSED(",\"records\":3", "run/run.json: 'records' is unknown");
}

static void words_that_would_be_options_of_other_programs_are_refused(void **state)
{
    (void)state;
    REFUSED(",\"options\":[\"--qos=low\",\"evil.sh\"]", "'options' must start with '-'");
    static const char *const programs[] = {"\"program\":\"--wrap=evil\",\"words\":[\"run\"]",
                                           "\"program\":\"p\",\"words\":[\"-x\"]"};
    for (size_t i = 0; i < LENGTH(programs); i++) {
        AUTO(memory) char *json =
            mem_format("{\"version\":\"1\",%s,\"out\":\"o\",\"launcher\":\"slurm\"}", programs[i]);
        AUTO(run_folder) struct run_folder none = {0};
        file_make("run/run.json", json);
        assert_error(run_folder_read("run", false, &none), BILANX_E_INPUT,
                     "'program' and its command must not start with '-'");
    }
}

static void every_part_of_a_description_is_needed(void **state)
{
    (void)state;
    static const char *const members[] = {"\"version\":\"1\"", "\"program\":\"p\"",
                                          "\"words\":[\"run\"]", "\"out\":\"o\"",
                                          "\"launcher\":\"slurm\""};
    assert_int_equal(mkdir("run", 0700), 0);
    for (size_t without = 0; without <= LENGTH(members); without++) {
        AUTO(text) struct text json = {0};
        for (size_t i = 0; i < LENGTH(members); i++)
            if (i != without)
                text_format(&json, "%s%s", json.size ? "," : "{", members[i]);
        text_add(&json, "}");
        file_make("run/run.json", text_get(&json));
        AUTO(run_folder) struct run_folder read = {0};
        if (without == LENGTH(members))
            assert_ok(run_folder_read("run", false, &read));
        else
            assert_error(run_folder_read("run", false, &read), BILANX_E_INPUT,
                         "'run/run.json' does not describe a run");
    }
}

static void only_lines_that_describe_cases_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *cases, *refused;
    } wrong[] = {
        {"1 0 a\n", "'run/cases' has only 1 of 2 cases"},
        {"1 0 a\n1 2 b\n", "run/cases:2: not a case"},  // there is no group 2
        {"nan 0 a\n1 1 b\n", "run/cases:1: not a case"},
        {"inf 0 a\n1 1 b\n", "run/cases:1: not a case"},
        {"1 0 a\n-1 1 b\n", "run/cases:2: not a case"},
        {"1 a\n1 1 b\n", "run/cases:1: not a case"},
    };
    mkdir("run", 0700);
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        file_make("run/cases", wrong[i].cases);
        REFUSED(",\"cases\":2", wrong[i].refused);
    }
    AUTO(run_folder) struct run_folder read = {0};
    file_make("run/cases", "0 1 a\n1 1  b c\nmore\n");
    assert_ok(read_with(",\"cases\":2", &read));
    assert_int_equal(read.names.count, 2);
    assert_true(read.items[0].cost == 0 && read.items[0].group == 1);
    assert_string_equal(read.names.items[0], "a");
}

static void a_file_is_replaced_in_one_step(void **state)
{
    (void)state;
    assert_ok(run_file_write("file", "one two", 3));
    assert_file("file", "one");
    assert_ok(run_file_write("file", "two", 3));
    assert_file("file", "two");
    assert_false(file_exists("file.new"));
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_error(run_file_write("folder", "x", 1), BILANX_E_SYSTEM, "cannot write 'folder'");
    assert_error(run_file_write("none/file", "x", 1), BILANX_E_SYSTEM, "none/file.new");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(a_run_is_a_folder_with_a_description_and_a_line_per_case),
        IN_OWN_FOLDER(a_run_is_read_as_it_was_written),
        IN_OWN_FOLDER(cases_are_only_read_if_wanted),
        IN_OWN_FOLDER(a_folder_that_exists_is_not_used_for_another_run),
        IN_OWN_FOLDER(a_folder_that_cannot_be_created_is_an_error),
        IN_OWN_FOLDER(a_path_from_the_root_is_created_as_well),
        IN_OWN_FOLDER(numbers_are_bounded),
        IN_OWN_FOLDER(words_that_would_be_options_of_other_programs_are_refused),
        IN_OWN_FOLDER(every_part_of_a_description_is_needed),
        IN_OWN_FOLDER(only_lines_that_describe_cases_are_accepted),
        IN_OWN_FOLDER(a_file_is_replaced_in_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
