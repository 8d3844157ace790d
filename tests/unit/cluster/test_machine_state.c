#include "cluster/tasks/machine_state.h"

#include <sys/utsname.h>

#include "own_folder.h"

static struct run_folder run_here(void)
{
    struct run_folder run = {.path = mem_text("run"), .program = mem_text("./program")};
    list_add(&run.words, "count");
    assert_int_equal(mkdir("run", 0700), 0);
    assert_int_equal(mkdir("run/nodes", 0700), 0);
    return run;
}

#define COUNTS(stmt, count)                                                   \
    "{\"schema\":\"bilanx/1\",\"kind\":\"counts\",\"task\":{\"stmt\":\"" stmt \
    "\"},\"counts\":{\"number\":10,\"per_iteration\":" #count ",\"repeats\":[1,1]}}\n"

// Notes its words, and prints two counts among other lines.
static void make_program(void)
{
    program_make("program", "#!/bin/sh\nfor word; do echo \"$word\"; done >>words\ncat output\n");
    file_make(
        "output",
        "counting ...\n" COUNTS("strlen(a)", 42) COUNTS(
            "memchr", 7) "{\"schema\":\"bilanx/1\",\"kind\":\"failure\",\"task\":{\"stmt\":\"x\"},"
                         "\"error\":{\"code\":\"crashed\"}}\n{\n");
}

static void the_kind_of_a_machine_is_its_processor(void **state)
{
    (void)state;
    struct utsname system;
    AUTO(memory) char *kind = machine_kind();
    AUTO(text) struct text processors = {0};
    assert_ok(file_read("/proc/cpuinfo", &processors));
    assert_int_equal(uname(&system), 0);
    const char *model = strstr(text_get(&processors), "model name\t: ");
    if (!model) {
        assert_true(*kind);
        return;
    }
    model = strchr(model, ':') + 2;
    assert_true(*kind && strncmp(model, kind, strlen(kind)) == 0);
}

static void machines_of_a_kind_with_one_system_share_builds(void **state)
{
    (void)state;
    struct utsname system;
    AUTO(run_folder) struct run_folder run = run_here();
    run.unchecked = true;
    AUTO(run_node) struct run_node a = {0}, b = {0};
    machine_state(&run, "a", &a);
    machine_state(&run, "b", &b);
    assert_string_equal(a.name, "a");
    assert_string_equal(b.name, "b");
    assert_string_equal(a.kind, b.kind);
    assert_string_equal(a.build, b.build);
    assert_int_equal(uname(&system), 0);
    size_t size = strlen(system.machine);
    assert_int_equal(strncmp(a.build, system.machine, size), 0);
    assert_int_equal(a.build[size], '-');
    assert_int_equal(strspn(a.build + size + 1, "0123456789abcdef"), 12);
    assert_int_equal(strlen(a.build), size + 13);
}

static void only_checked_machines_are_examined(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = run_here();
    AUTO(run_node) struct run_node checked = {0}, unchecked = {0};
    machine_state(&run, "a", &checked);
    assert_true(checked.kernel_ns > 1 && checked.kernel_ns < 1e9);
    for (size_t i = 0; i < checked.failing.count; i++)
        assert_string_not_equal(checked.failing.items[i], "valgrind");  // a tool
    run.unchecked = true;
    machine_state(&run, "a", &unchecked);
    assert_true(unchecked.kernel_ns == 0);
    assert_int_equal(unchecked.failing.count, 0);
}

static void functions_of_libc_are_counted_for_counts_only(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = run_here();
    AUTO(run_node) struct run_node timed = {0}, counted = {0};
    make_program();
    run.unchecked = true;
    machine_state(&run, "a", &timed);
    assert_int_equal(timed.counts.count, 0);
    assert_false(file_exists("words"));
    run.counted = true;
    machine_state(&run, "a", &counted);
    assert_int_equal(counted.counts.count, 2);
    assert_string_equal(counted.counts.items[0], "strlen(a): 42");
    assert_string_equal(counted.counts.items[1], "memchr: 7");
    assert_file("words", "count\n--hwcaps\nx86-64-v2\nstrlen(a)\nmemcpy(b, a, 300)\n"
                         "memchr(a, 1, 300)\nstrcmp(a, b)\n-s\nchar a[300], b[300]; memset(a, 'x', "
                         "299); a[299] = 0; strcpy(b, a)\n--quiet\n-o\n-\n");
}

static void functions_are_counted_with_the_hwcaps_of_the_run(void **state)
{
    (void)state;
    static const struct {
        const char *words[3], *level;
    } runs[] = {
        {{"--hwcaps", "native"}, "native"}, {{"--hwcaps=v4"}, "v4"},
        {{"--hwcaps"}, "x86-64-v2"},        {{"--hwcapsules=v4"}, "x86-64-v2"},
        {{"x--hwcaps=v4"}, "x86-64-v2"},    {{"--hwcaps=v3", "--hwcaps", "v1"}, "v1"},
    };
    AUTO(run_folder) struct run_folder run = run_here();
    make_program();
    run.unchecked = run.counted = true;
    for (size_t i = 0; i < LENGTH(runs); i++) {
        AUTO(run_node) struct run_node node = {0};
        AUTO(text) struct text words = {0};
        list_done(&run.words);
        list_add(&run.words, "count");
        for (size_t k = 0; k < 3 && runs[i].words[k]; k++)
            list_add(&run.words, runs[i].words[k]);
        machine_state(&run, "a", &node);
        assert_ok(file_read("words", &words));
        AUTO(memory) char *start = mem_format("count\n--hwcaps\n%s\n", runs[i].level);
        assert_true(text_starts(text_get(&words), start));
        assert_int_equal(unlink("words"), 0);
    }
}

static void machines_that_share_builds_are_counted_once(void **state)
{
    (void)state;
    AUTO(run_folder) struct run_folder run = run_here();
    AUTO(run_node) struct run_node first = {0}, second = {0}, third = {0};
    make_program();
    run.unchecked = run.counted = true;
    machine_state(&run, "a", &first);
    assert_int_equal(unlink("words"), 0);
    struct run_node other = {.name = (char *)"o", .kind = (char *)"k", .build = (char *)"else"};
    list_add(&other.counts, "strlen(a): 1");
    assert_ok(run_node_write("run", &other));
    list_done(&other.counts);
    machine_state(&run, "b", &second);  // nobody with its build was counted
    assert_true(file_exists("words"));
    assert_string_equal(second.counts.items[0], "strlen(a): 42");
    assert_int_equal(unlink("words"), 0);
    assert_ok(run_node_write("run", &first));
    machine_state(&run, "c", &third);
    assert_false(file_exists("words"));
    assert_int_equal(third.counts.count, 2);
    assert_string_equal(third.counts.items[1], "memchr: 7");
}

static void a_machine_that_differs_from_its_kind_is_unfit(void **state)
{
    (void)state;
    struct run_node items[4] = {0};
    struct run_nodes nodes = {.items = items, .count = LENGTH(items)};
    for (size_t i = 0; i < LENGTH(items); i++) {
        items[i].name = (char *)"n";
        items[i].kind = (char *)"k";
        items[i].kernel_ns = 100;
    }
    items[2].kernel_ns = 150;
    list_add(&items[3].failing, "governor");
    AUTO(text) struct text good = {0}, slow = {0}, failing = {0};
    assert_false(machine_is_unfit(&nodes, 0, &good));
    assert_int_equal(good.size, 0);
    assert_true(machine_is_unfit(&nodes, 2, &slow));
    assert_non_null(strstr(text_get(&slow), "takes 150 ns"));
    assert_true(machine_is_unfit(&nodes, 3, &failing));
    assert_non_null(strstr(text_get(&failing), "check 'governor', which 3 of 4 machines"));
    items[2].kind = items[3].kind = (char *)"other";
    assert_false(machine_is_unfit(&nodes, 2, &slow));
    assert_false(machine_is_unfit(&nodes, 3, &slow));
    list_done(&items[3].failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(the_kind_of_a_machine_is_its_processor),
        IN_OWN_FOLDER(machines_of_a_kind_with_one_system_share_builds),
        IN_OWN_FOLDER(only_checked_machines_are_examined),
        IN_OWN_FOLDER(functions_of_libc_are_counted_for_counts_only),
        IN_OWN_FOLDER(functions_are_counted_with_the_hwcaps_of_the_run),
        IN_OWN_FOLDER(machines_that_share_builds_are_counted_once),
        IN_OWN_FOLDER(a_machine_that_differs_from_its_kind_is_unfit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
