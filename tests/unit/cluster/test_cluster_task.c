#include "cluster/tasks/cluster_task.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "cluster/site/run_folder.h"
#include "own_folder.h"

// The program of the run: notes what it was started with, and writes a record.
static const char PROGRAM[] = "#!/bin/sh\n"
                              "[ \"$1\" = count ] && [ \"$2\" = --hwcaps ] && exit 1\n"
                              "{ pwd; for word; do echo \"$word\"; done; } >\"$HERE/words\"\n"
                              "for name in BILANX_NODE BILANX_REPLICA BILANX_CASES_DIGEST "
                              "XDG_CACHE_HOME; do\n"
                              "eval \"echo \\$name=\\$$name\"\n"
                              "done >\"$HERE/variables\"\n"
                              "exit ${STATUS:-0}\n";

static const char SCONTROL[] = "#!/bin/sh\necho \"$@\" >>\"$HERE/slurm\"\n";

static const char *const variables[] = {"SLURM_ARRAY_TASK_ID", "SLURM_PROCID", "STATUS",
                                        "BILANX_REPLICA", "BILANX_CASES_DIGEST"};

// A folder with the program, a worker of our version, and a Slurm that lists what it is asked.
static int enter(void **state)
{
    static char path[4096];
    if (own_folder_enter(state) != 0 || mkdir("bin", 0700) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *worker = mem_format("%s/worker", own_folder);
    AUTO(memory) char *with_bin = mem_format("%s/bin:%s", own_folder, path);
    program_make("worker", "#!/bin/sh\necho bilanx-worker " BILANX_VERSION "\n");
    program_make("program", PROGRAM);
    program_make("bin/scontrol", SCONTROL);
    for (size_t i = 0; i < LENGTH(variables); i++)
        unsetenv(variables[i]);
    setenv("HERE", own_folder, 1);
    setenv("PATH", with_bin, 1);
    setenv("BILANX_WORKER_PROGRAM", worker, 1);
    setenv("SLURM_ARRAY_TASK_ID", "2", 1);
    return setenv("SLURMD_NODENAME", "n1", 1);
}
#define IN_RUN(test) cmocka_unit_test_setup_teardown(test, enter, own_folder_leave)

// A run in run/, with one batch of three tasks that is job 77. Members of `given` replace ours.
static struct run_folder *make_run(struct run_folder given)
{
    struct run_folder *run = mem_new(struct run_folder);
    *run = given;
    run->path = mem_format("%s/run", own_folder);
    run->version = mem_text(given.version ? given.version : BILANX_VERSION);
    run->program = mem_format("%s/program", own_folder);
    run->directory = mem_text(own_folder);
    run->out = mem_text("out.jsonl");
    run->launcher = mem_text("slurm");
    run->digest = mem_text(given.digest);
    if (!run->words.count) {
        list_add(&run->words, "run");
        list_add(&run->words, "s.yaml");
    }
    assert_ok(run_folder_create(run));
    assert_ok(run_batch_write(
        "run", 1, &(struct run_batch){.job = (char *)"77", .shard = {.count = 3}}, "1"));
    return run;
}

static inline void scope_made_run(struct run_folder **run)
{
    run_folder_done(*run);
    free(*run);
}
#define MAKE_RUN(...)                                                                   \
    AUTO(made_run) struct run_folder *run = make_run((struct run_folder){__VA_ARGS__}); \
    (void)run

static struct run_end end_of(const char *task)
{
    struct run_end end = {0};
    assert_true(run_end_read("run", task, &end));
    return end;
}

static void a_task_runs_its_shard_with_the_words_of_the_run(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_string_equal(end.node, "n1");
    assert_non_null(end.kind);
    assert_int_equal(end.status, 0);
    assert_null(end.refused);
    assert_null(end.failed);
    AUTO(memory) char *words =
        mem_format("%s\nrun\ns.yaml\n--shard=2/3\n--cases=run/batches/1.cases\n"
                   "--json=run/records/1.2.1.0.jsonl\n--append\n--quiet\n",
                   own_folder);
    assert_file("words", words);
    assert_true(file_exists("run/records/1.2.1.0.jsonl"));
    assert_false(file_exists("slurm"));  // the machine was not refused
}

static void a_task_describes_its_machine_once(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_nodes) struct run_nodes nodes = {0};
    run_nodes_read("run", &nodes);
    assert_int_equal(nodes.count, 1);
    assert_string_equal(nodes.items[0].name, "n1");
    AUTO(memory) char *cache = mem_format("BILANX_NODE=n1\nBILANX_REPLICA=\nBILANX_CASES_DIGEST=\n"
                                          "XDG_CACHE_HOME=run/../cache/%s\n",
                                          nodes.items[0].build);
    assert_file("variables", cache);
    static const char other[] = "{\"name\":\"n1\",\"kind\":\"another\"}";
    file_make("run/nodes/n1.json", other);
    assert_ok(cluster_task("run", "1"));
    assert_file("run/nodes/n1.json", other);
}

static void the_exit_status_is_kept(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    setenv("STATUS", "3", 1);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_int_equal(end.status, 3);
    assert_null(end.failed);
    program_make("program", "#!/bin/sh\nkill -9 $$\n");
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end killed = end_of("1.2.1");
    assert_int_equal(killed.status, 137);
}

static void each_start_of_a_task_writes_records_of_its_own(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    for (int i = 0; i < 3; i++)
        assert_ok(cluster_task("run", "1"));
    AUTO(text) struct text words = {0};
    assert_ok(file_read("words", &words));
    assert_non_null(strstr(text_get(&words), "--json=run/records/1.2.1.2.jsonl\n"));
    assert_true(file_exists("run/records/1.2.1.0.jsonl"));
    assert_true(file_exists("run/records/1.2.1.1.jsonl"));
    assert_int_equal(file_remove_tree("run/records"), true);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_string_equal(end.failed, "cannot write 'run/records/1.2.1.0.jsonl': "
                                    "No such file or directory");
}

static void replicas_and_steps_and_the_digest_are_passed_on(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true, .replicas = 2, .digest = (char *)"abc");
    assert_ok(
        run_batch_write("run", 4, &(struct run_batch){.shard = {.count = 9, .step = 3}}, "1"));
    setenv("SLURM_PROCID", "1", 1);
    assert_ok(cluster_task("run", "4"));
    AUTO(run_end) struct run_end end = end_of("4.2.2");
    assert_int_equal(end.status, 0);
    AUTO(text) struct text words = {0}, set = {0};
    assert_ok(file_read("words", &words));
    assert_non_null(strstr(text_get(&words), "\n--shard=2/9/3\n"));
    assert_non_null(strstr(text_get(&words), "\n--json=run/records/4.2.2.0.jsonl\n"));
    assert_ok(file_read("variables", &set));
    assert_int_equal(
        strncmp(text_get(&set), "BILANX_NODE=n1\nBILANX_REPLICA=2\nBILANX_CASES_DIGEST=abc\n", 55),
        0);
}

static void without_replicas_the_rank_does_not_matter(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true, .replicas = 1);
    setenv("SLURM_PROCID", "5", 1);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_int_equal(end.status, 0);
    AUTO(text) struct text set = {0};
    assert_ok(file_read("variables", &set));
    assert_non_null(strstr(text_get(&set), "BILANX_REPLICA=\n"));
}

static void instructions_are_counted_with_all_cores(void **state)
{
    (void)state;
    AUTO(memory) char *jobs = mem_format("\n--jobs=%ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    static const char *const commands[] = {"count", "run"};
    for (size_t i = 0; i < LENGTH(commands); i++) {
        struct run_folder given = {.unchecked = true, .counted = true};
        list_add(&given.words, commands[i]);
        AUTO(made_run) struct run_folder *run = make_run(given);
        assert_non_null(run);
        assert_ok(cluster_task("run", "1"));
        AUTO(text) struct text words = {0};
        assert_ok(file_read("words", &words));
        assert_int_equal(strstr(text_get(&words), jobs) != NULL, i == 0);
        assert_true(file_remove_tree("run"));
    }
}

static void a_machine_with_another_version_is_avoided(void **state)
{
    (void)state;
    AUTO(memory) char *expected =
        mem_format("%s/program here is bilanx " BILANX_VERSION ", but the run was started by "
                   "bilanx 0.0.1: install the same version on all machines",
                   own_folder);
    MAKE_RUN(.version = (char *)"0.0.1");
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_string_equal(end.refused, expected);
    assert_file("slurm", "update JobId=77 ExcNodeList=n1\n");
    assert_false(file_exists("words"));
    assert_false(file_exists("run/records/1.2.1.0.jsonl"));
}

static void a_worker_of_another_version_is_avoided(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    static const char *const scripts[] = {
        "#!/bin/sh\necho bilanx-worker 0.0.1\n",
        "#!/bin/sh\necho bilanx-worker " BILANX_VERSION "; exit 1\n",
        "#!/bin/sh\necho " BILANX_VERSION "-next\n",
    };
    static const char *const said[] = {"bilanx-worker 0.0.1", "bilanx-worker " BILANX_VERSION,
                                       BILANX_VERSION "-next"};
    for (size_t i = 0; i < LENGTH(scripts); i++) {
        program_make("worker", scripts[i]);
        assert_ok(cluster_task("run", "1"));
        AUTO(run_end) struct run_end end = end_of("1.2.1");
        AUTO(memory) char *expected =
            mem_format("the worker here is '%s', but the run needs " BILANX_VERSION, said[i]);
        assert_string_equal(end.refused, expected);
    }
    assert_false(file_exists("words"));
}

// Three machines of this kind that fail no check and are infinitely faster.
static void add_machines(const char *kind)
{
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_ok(run_node_write(
            "run",
            &(struct run_node){.name = (char *)names[i], .kind = (char *)kind, .kernel_ns = 1e-3}));
}

static void a_machine_slower_than_others_of_its_kind_is_avoided(void **state)
{
    (void)state;
    MAKE_RUN(0);
    assert_ok(cluster_task("run", "1"));  // there is nothing to compare it with
    AUTO(run_end) struct run_end alone = end_of("1.2.1");
    assert_null(alone.refused);
    add_machines("of another kind");
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end only = end_of("1.2.1");
    assert_null(only.refused);
    assert_false(file_exists("slurm"));
    assert_int_equal(unlink("words"), 0);
    add_machines(alone.kind);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end slow = end_of("1.2.1");
    assert_non_null(slow.refused);
    assert_non_null(strstr(slow.refused, "its reference kernel takes "));
    assert_file("slurm", "update JobId=77 ExcNodeList=n1\n");
    assert_false(file_exists("words"));
}

static void unchecked_machines_are_not_compared(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    assert_ok(run_node_write(
        "run", &(struct run_node){.name = (char *)"n1", .kind = (char *)"k", .kernel_ns = 1e9}));
    add_machines("k");
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_null(end.refused);
    assert_true(file_exists("words"));
}

static void a_program_that_cannot_be_started_is_a_failure_of_the_task(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    assert_int_equal(unlink("program"), 0);
    assert_ok(cluster_task("run", "1"));
    AUTO(run_end) struct run_end end = end_of("1.2.1");
    assert_null(end.refused);
    assert_non_null(end.failed);
    assert_non_null(strstr(end.failed, "/program"));
}

static void tasks_are_started_by_jobs(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    static const char by_hand[] = "'bilanx cluster task' is started by jobs, not by users";
    unsetenv("SLURM_ARRAY_TASK_ID");
    assert_error(cluster_task("run", "1"), BILANX_E_USAGE, by_hand);
    setenv("SLURM_ARRAY_TASK_ID", "2", 1);
    unsetenv("SLURMD_NODENAME");
    assert_error(cluster_task("run", "1"), BILANX_E_USAGE, by_hand);
}

static void only_batches_of_the_run_are_taken(void **state)
{
    (void)state;
    MAKE_RUN(.unchecked = true);
    static const char *const wrong[] = {"2", "1x", "x"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        AUTO(memory) char *expected = mem_format("'run' has no batch %s", wrong[i]);
        assert_error(cluster_task("run", wrong[i]), BILANX_E_INPUT, expected);
    }
    file_make("run/batches/1.json", "{\"job\":\"--user=victim\",\"tasks\":3}");
    assert_error(cluster_task("run", "1"), BILANX_E_INPUT, "'run' has no batch 1");
    assert_error(cluster_task("nowhere", "1"), BILANX_E_SYSTEM, "nowhere/run.json");
}

// Calls cluster_stream() in another process. Returns what it printed, and sets its exit status: 99
// if the call returned.
static char *streamed(const char *version, int *status)
{
    AUTO(text) struct text said = {0};
    char *words[] = {(char *)"test", (char *)"--child", NULL};
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        struct bilanx_error error = cluster_stream(version, words);
        dprintf(fd, "%s\n", error.text);
        _exit(99);
    }
    assert_true(pid > 0 && waitpid(pid, status, 0) == pid);
    assert_true(WIFEXITED(*status));
    *status = WEXITSTATUS(*status);
    assert_ok(file_read("said", &said));
    return mem_text(text_get(&said));
}

static void without_a_shared_folder_the_machine_is_named_and_the_words_are_run(void **state)
{
    (void)state;
    int status;
    AUTO(memory) char *said = streamed(BILANX_VERSION, &status);
    assert_string_equal(said, STREAM_NODE "n1\nnode n1, 2 words\n");
    assert_int_equal(status, 7);
    unsetenv("SLURMD_NODENAME");
    AUTO(memory) char *unnamed = streamed(BILANX_VERSION, &status);
    assert_string_equal(unnamed, "node none, 2 words\n");
}

static void without_a_shared_folder_another_version_does_not_run(void **state)
{
    (void)state;
    int status;
    AUTO(memory) char *said = streamed("0.0.1", &status);
    assert_int_equal(status, 99);
    assert_string_equal(said, STREAM_NODE "n1\nbilanx here is bilanx " BILANX_VERSION
                                          ", but the run was started by bilanx 0.0.1: install the "
                                          "same version on all machines\n");
}

// What cluster_stream() starts is this program.
static int act_as_child(int count)
{
    const char *node = getenv("BILANX_NODE");
    printf("node %s, %d words\n", node ? node : "none", count);
    return 7;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--child") == 0)
        return act_as_child(argc);
    const struct CMUnitTest tests[] = {
        IN_RUN(a_task_runs_its_shard_with_the_words_of_the_run),
        IN_RUN(a_task_describes_its_machine_once),
        IN_RUN(the_exit_status_is_kept),
        IN_RUN(each_start_of_a_task_writes_records_of_its_own),
        IN_RUN(replicas_and_steps_and_the_digest_are_passed_on),
        IN_RUN(without_replicas_the_rank_does_not_matter),
        IN_RUN(instructions_are_counted_with_all_cores),
        IN_RUN(a_machine_with_another_version_is_avoided),
        IN_RUN(a_worker_of_another_version_is_avoided),
        IN_RUN(a_machine_slower_than_others_of_its_kind_is_avoided),
        IN_RUN(unchecked_machines_are_not_compared),
        IN_RUN(a_program_that_cannot_be_started_is_a_failure_of_the_task),
        IN_RUN(tasks_are_started_by_jobs),
        IN_RUN(only_batches_of_the_run_are_taken),
        IN_RUN(without_a_shared_folder_the_machine_is_named_and_the_words_are_run),
        IN_RUN(without_a_shared_folder_another_version_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
