// Runs on a cluster whose launcher is a table of this file: it says what the test wants.
#include "cluster/driving/drive.h"

#include <fcntl.h>

#include "base/monotonic.h"
#include "cluster/driving/drive_tasks.h"
#include "cluster/driving/submission.h"
#include "own_folder.h"

#define T(text) ((char *)(text))

// What the launcher was asked, and what it answers.
struct cluster {
    struct text asked;
    struct launch_tasks queue, forgotten;
    struct bilanx_error answer;  // of every request
    unsigned jobs;
};
static struct cluster cluster;

static struct bilanx_error submit(const struct launch_site *site, const struct launch_array *array,
                                  char **job)
{
    (void)site;
    text_format(&cluster.asked, "submit %s tasks=%llu at_once=%llu machines=%llu excluded=%s\n",
                array->name, (unsigned long long)array->tasks, (unsigned long long)array->at_once,
                (unsigned long long)array->machines, array->excluded);
    BILANX_TRY(cluster.answer);
    *job = mem_format("%u", 100 + ++cluster.jobs);
    return BILANX_SUCCESS;
}

static bool is_job(const char *word)
{
    return *word >= '0' && *word <= '9';
}

static void copy_tasks(const struct launch_tasks *from, struct launch_tasks *to)
{
    for (size_t i = 0; i < from->count; i++) {
        mem_grow(to->items, to->count, &to->room);
        to->items[to->count++] = from->items[i];
    }
}

static struct bilanx_error look(const char *names, struct launch_tasks *out)
{
    text_format(&cluster.asked, "look %s\n", names);
    BILANX_TRY(cluster.answer);
    copy_tasks(&cluster.queue, out);
    return BILANX_SUCCESS;
}

static struct bilanx_error recall(const char *names, struct launch_tasks *out)
{
    text_format(&cluster.asked, "recall %s\n", names);
    copy_tasks(&cluster.forgotten, out);
    return BILANX_SUCCESS;
}

static struct bilanx_error cancel(const char *job)
{
    text_format(&cluster.asked, "cancel %s\n", job);
    return BILANX_SUCCESS;
}

static struct bilanx_error avoid(const char *job, const char *machines)
{
    text_format(&cluster.asked, "avoid %s %s\n", job, machines);
    return BILANX_SUCCESS;
}

static void attach(const struct launch_site *site, uint64_t machines, const char *excluded,
                   struct list *out)
{
    (void)site, (void)machines, (void)excluded;
    list_add(out, "/bin/sh");
}

static const struct launcher launcher = {.name = "test",
                                         .submit = submit,
                                         .is_job = is_job,
                                         .look = look,
                                         .recall = recall,
                                         .cancel = cancel,
                                         .avoid = avoid,
                                         .attach = attach};

struct fixture {
    struct run_folder folder;
    struct drive drive;
    struct text told;
    struct drive_observer observer;
};
static struct fixture fixture;

static void note(void *context, const char *text)
{
    (void)context;
    text_format(&fixture.told, "%s\n", text);
}

static int enter(void **state)
{
    static char path[4096];
    if (own_folder_enter(state) != 0 || mkdir("bin", 0700) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *with_bin = mem_format("%s/bin:%s", own_folder, path);
    program_make("bin/sinfo", "#!/bin/sh\necho '4|idle'\n");
    program_make("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize = 101'\n"
                                 "echo 'AccountingStorageType = slurmdbd'\n");
    cluster = (struct cluster){0};
    fixture = (struct fixture){.observer = {.note = note}};
    return setenv("PATH", with_bin, 1);
}

static int leave(void **state)
{
    drive_done(&fixture.drive);
    run_folder_done(&fixture.folder);
    text_done(&fixture.told);
    text_done(&cluster.asked);
    launch_tasks_done(&cluster.queue);
    launch_tasks_done(&cluster.forgotten);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

enum { CASES = 4 };

// A run of four cases of equal cost. Members that `given` has are kept.
static void make_run(struct run_folder given)
{
    struct run_folder *folder = &fixture.folder;
    *folder = given;
    folder->path = mem_text("run");
    folder->version = mem_text("1");
    folder->program = mem_format("%s/program x", own_folder);
    folder->directory = mem_text(own_folder);
    folder->out = mem_text("out");
    folder->launcher = mem_text("slurm");
    list_add(&folder->words, "run");
    folder->case_count = CASES;
    folder->items = mem_array(struct shard_item, CASES);
    for (size_t i = 0; i < CASES; i++) {
        folder->items[i] = (struct shard_item){1, i};
        list_add(&folder->names, "case");
    }
    assert_ok(run_folder_create(folder));
}

static void open_drive(void)
{
    assert_ok(drive_open(&fixture.drive, &fixture.folder, &fixture.observer));
    fixture.drive.launcher = &launcher;
}

static void assert_asked(const char *expected)
{
    assert_string_equal(text_get(&cluster.asked), expected);
    text_clear(&cluster.asked);
}

static void assert_told(const char *expected)
{
    assert_string_equal(text_get(&fixture.told), expected);
    text_clear(&fixture.told);
}

static void queue(struct launch_tasks *tasks, uint64_t number, enum launch_state state,
                  const char *word, const char *node)
{
    struct launch_task task = {.array = "bilanx-run.1",
                               .job = "101",
                               .number = number,
                               .state = state,
                               .reason = "Because"};
    snprintf(task.word, sizeof task.word, "%s", word);
    snprintf(task.node, sizeof task.node, "%s", node);
    mem_grow(tasks->items, tasks->count, &tasks->room);
    tasks->items[tasks->count++] = task;
}

static void end_task(uint64_t task, uint64_t replica, struct run_end end)
{
    AUTO(memory) char *name =
        mem_format("1.%llu.%llu", (unsigned long long)task, (unsigned long long)replica);
    assert_ok(run_end_write("run", name, &end));
}

// The record of a case, by the task that has it.
static void record_case(size_t at, const char *node)
{
    AUTO(memory) char *path =
        mem_format("run/records/1.%u.1.0.jsonl", fixture.drive.campaign.batches[0].tasks[at]);
    AUTO(file) FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file,
            "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{},\"place\":%zu,"
            "\"machine\":{\"node\":\"%s\"}}\n",
            at + 1, node);
}

static enum campaign_progress progress_of(size_t at)
{
    return fixture.drive.campaign.cases[at].progress;
}

static size_t case_of_task(uint32_t task)
{
    for (size_t i = 0; i < CASES; i++)
        if (fixture.drive.campaign.batches[0].tasks[i] == task)
            return i;
    fail_msg("task %u has no case", task);
    return 0;
}

static void submit_run(struct run_folder given)
{
    make_run(given);
    open_drive();
    assert_ok(drive_submit(&fixture.drive));
    text_clear(&cluster.asked);
}

static void a_run_is_submitted_once_as_an_array(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 3});
    open_drive();
    assert_int_equal(fixture.drive.facts.machines, 4);
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("submit bilanx-run.1 tasks=3 at_once=3 machines=1 excluded=\n");
    AUTO(memory) char *script =
        mem_format("#!/bin/sh\nexec '%s/program x' cluster task run 1\n", own_folder);
    assert_file("run/batches/1.sh", script);
    assert_file("run/batches/1.cases", "1-4");
    assert_file("run/batches/1.json", "{\"job\":\"101\",\"tasks\":3,\"step\":0}\n");
    struct stat facts;
    assert_int_equal(stat("run/batches/1.sh", &facts), 0);
    assert_int_equal(facts.st_mode & 0111, 0111);
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("");
}

static void replicas_of_a_task_run_on_machines_of_their_own(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 3, .replicas = 2});
    open_drive();
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("submit bilanx-run.1 tasks=1 at_once=2 machines=2 excluded=\n");
    AUTO(memory) char *script =
        mem_format("#!/bin/sh\nexec srun --kill-on-bad-exit=0 '%s/program x' cluster task run 1\n",
                   own_folder);
    assert_file("run/batches/1.sh", script);
}

static void more_replicas_than_machines_are_refused(void **state)
{
    (void)state;
    make_run((struct run_folder){.replicas = 5});
    assert_error(drive_open(&fixture.drive, &fixture.folder, &fixture.observer), BILANX_E_USAGE,
                 "--replicate 5 needs as many nodes, but there are 4");
}

static void the_name_of_a_job_has_no_commas(void **state)
{
    (void)state;
    make_run((struct run_folder){0});
    open_drive();
    free(fixture.folder.path);
    assert_int_equal(rename("run", "a,b c-d.e_f"), 0);
    fixture.folder.path = mem_format("%s/a,b c-d.e_f", own_folder);
    assert_ok(drive_submit(&fixture.drive));
    AUTO(memory) char *names = submission_names(&fixture.drive);
    assert_string_equal(names, "bilanx-a_b_c-d.e_f.1");
}

static void a_scheduler_without_an_answer_is_asked_again(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 1});
    open_drive();
    cluster.answer = bilanx_error_make(BILANX_E_TIMED_OUT, "busy");
    assert_ok(drive_submit(&fixture.drive));
    assert_told("the scheduler does not answer; waiting (busy)\n");
    assert_true(fixture.drive.silent);
    assert_null(fixture.drive.batches[0].job);
    assert_ok(drive_submit(&fixture.drive));  // looks for the job first, which fails as well
    assert_asked("submit bilanx-run.1 tasks=1 at_once=1 machines=1 excluded=\n"
                 "look bilanx-run.1\n");
    assert_told("");
    cluster.answer = BILANX_SUCCESS;
    queue(&cluster.queue, 1, LAUNCH_WAITING, "PENDING", "");
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("look bilanx-run.1\n");
    assert_string_equal(fixture.drive.batches[0].job, "101");  // it had been accepted
    assert_file("run/batches/1.json", "{\"job\":\"101\",\"tasks\":1,\"step\":0}\n");
    assert_false(fixture.drive.silent);
    assert_true(text_starts(text_get(&fixture.told), "the scheduler answers again, after "));
}

static void a_submission_that_got_lost_is_repeated(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 1});
    open_drive();
    cluster.answer = bilanx_error_make(BILANX_E_TIMED_OUT, "busy");
    assert_ok(drive_submit(&fixture.drive));
    cluster.answer = BILANX_SUCCESS;
    text_clear(&cluster.asked);
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("look bilanx-run.1\n"
                 "submit bilanx-run.1 tasks=1 at_once=1 machines=1 excluded=\n");
}

static void a_submission_that_is_refused_is_an_error(void **state)
{
    (void)state;
    make_run((struct run_folder){0});
    open_drive();
    cluster.answer = bilanx_error_make(BILANX_E_FAILED, "invalid partition");
    assert_error(drive_submit(&fixture.drive), BILANX_E_FAILED, "invalid partition");
}

static void tasks_that_finish_end_the_run(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 2});
    for (size_t i = 0; i < CASES; i++)
        record_case(i, "n1");
    queue(&cluster.queue, 1, LAUNCH_RUNNING, "RUNNING", "n1");
    queue(&cluster.queue, 2, LAUNCH_WAITING, "PENDING", "");
    end_task(1, 1, (struct run_end){.node = T("n1")});
    assert_ok(drive_look(&fixture.drive));
    assert_int_equal(campaign_open_tasks(&fixture.drive.campaign), 1);
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_WAITING), 1);
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_RUNNING), 0);
    end_task(2, 1, (struct run_end){.node = T("n1"), .status = 1});  // some cases failed
    assert_ok(drive_run(&fixture.drive));
    assert_true(campaign_is_over(&fixture.drive.campaign));
    assert_int_equal(fixture.drive.campaign.done_count, CASES);
    assert_told("");
    assert_int_equal(fixture.drive.trouble_count, 0);
}

static void a_task_that_ends_leaves_the_others_alone(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 2});
    const uint32_t *tasks = fixture.drive.campaign.batches[0].tasks;
    size_t last = 0;
    for (size_t i = 0; i < CASES; i++)
        last = tasks[i] == 2 ? i : last;
    for (size_t i = 0; i < CASES; i++)
        if (i != last)
            record_case(i, "n1");
    end_task(1, 1, (struct run_end){.node = T("n1")});
    assert_ok(drive_look(&fixture.drive));
    assert_int_equal(fixture.drive.campaign.done_count, CASES - 1);
    record_case(last, "n1");
    end_task(2, 1, (struct run_end){.node = T("n1")});
    assert_ok(drive_look(&fixture.drive));
    assert_int_equal(fixture.drive.campaign.done_count, CASES);
    assert_told("");
}

static void a_task_that_fails_is_reported_with_its_last_words(void **state)
{
    (void)state;
    static const struct {
        const char *log, *words;
    } logs[] = {
        {NULL, ""},
        {"", ""},
        {"one\nlast\n\n", ": last"},
        {"bilanx: the reason\nsrun: error: task 0\n", ": the reason"},
    };
    submit_run((struct run_folder){.nodes = 4});
    for (uint32_t task = 1; task <= LENGTH(logs); task++) {
        AUTO(memory) char *path = mem_format("run/logs/1.%u.log", task);
        if (logs[task - 1].log)
            file_make(path, logs[task - 1].log);
        queue(&cluster.queue, task, LAUNCH_ENDED, "FAILED", "n1");
        end_task(task, 1, (struct run_end){.node = T("n1"), .status = 2});
        assert_ok(drive_look(&fixture.drive));
        AUTO(memory) char *told = mem_format(
            "task 1.%u on n1: exit status 2%s; gave up on 1 case\n", task, logs[task - 1].words);
        assert_told(told);
        assert_int_equal(progress_of(case_of_task(task)), CAMPAIGN_ABANDONED);
    }
    assert_int_equal(fixture.drive.trouble_count, 1);
    assert_int_equal(fixture.drive.troubles[0].count, LENGTH(logs));
    assert_string_equal(fixture.drive.troubles[0].node, "n1");
    assert_string_equal(fixture.drive.troubles[0].what, "exit status 2");
}

static void a_case_of_a_lost_task_is_submitted_again(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4, .retries = 1});
    end_task(2, 1, (struct run_end){.node = T("n2"), .failed = T("no disk")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.2 on n2: no disk\n");
    assert_int_equal(progress_of(case_of_task(2)), CAMPAIGN_MISSING);
    text_clear(&cluster.asked);
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("submit bilanx-run.2 tasks=1 at_once=4 machines=1 excluded=\n");
    assert_ok(drive_look(&fixture.drive));
    assert_asked("look bilanx-run.1,bilanx-run.2\n");
}

static void a_task_that_did_not_record_all_its_cases_is_lost(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    end_task(1, 1, (struct run_end){.node = T("n1")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.1 on n1: it did not record all its cases; gave up on 1 case\n");
}

static void a_signal_is_explained_by_the_scheduler(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    for (uint64_t task = 1; task <= 3; task++)
        end_task(task, 1, (struct run_end){.node = T("n1"), .status = task == 3 ? 128 : 137});
    queue(&cluster.queue, 1, LAUNCH_RUNNING, "RUNNING", "n1");
    queue(&cluster.queue, 2, LAUNCH_KILLED, "TIMEOUT", "n1");
    queue(&cluster.queue, 3, LAUNCH_RUNNING, "RUNNING", "n1");
    assert_ok(drive_look(&fixture.drive));  // the first one's reason is not known yet
    assert_told("task 1.2 on n1: over its time limit; gave up on 1 case\n"
                "task 1.3 on n1: exit status 128; gave up on 1 case\n");
    cluster.queue.items[0].state = LAUNCH_ENDED;
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.1 on n1: exit status 137; gave up on 1 case\n");
}

static void a_task_that_is_held_is_reported_once(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    queue(&cluster.queue, 2, LAUNCH_HELD, "REQUEUE_HOLD", "");
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.2 is held (Because): 'scontrol release 101_2' starts it\n");
    cluster.queue.items[0].reason[0] = '\0';
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_HELD), 1);
}

static void a_killed_task_without_a_result_is_lost_at_once(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    for (uint64_t task = 1; task <= 4; task++)
        queue(&cluster.queue, task, task == 2 ? LAUNCH_KILLED : LAUNCH_RUNNING, "NODE_FAIL", "n5");
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.2 on n5: the node failed; gave up on 1 case\n");
    assert_asked("look bilanx-run.1\n");
    assert_int_equal(campaign_open_tasks(&fixture.drive.campaign), 3);
}

static void the_files_of_a_task_that_is_gone_may_take_a_moment(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    for (uint64_t task = 2; task <= 4; task++)
        queue(&cluster.queue, task, LAUNCH_RUNNING, "RUNNING", "n1");
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    struct drive_task *gone = &fixture.drive.batches[0].tasks[0];
    assert_true(gone->gone_ns > 0);
    assert_true(fixture.drive.batches[0].tasks[1].gone_ns == 0);
    queue(&cluster.forgotten, 1, LAUNCH_KILLED, "OUT_OF_MEMORY", "n7");
    gone->gone_ns = monotonic_ns() - 3600000000000u;  // an hour ago
    text_clear(&cluster.asked);
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.1 on n7: out of memory; gave up on 1 case\n");
    assert_asked("look bilanx-run.1\nrecall bilanx-run.1\n");
}

static void a_task_that_nobody_knows_ended_without_a_result(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    assert_ok(drive_look(&fixture.drive));
    for (size_t i = 0; i < 4; i++)
        fixture.drive.batches[0].tasks[i].gone_ns = monotonic_ns() - 3600000000000u;
    fixture.drive.facts.accounts = false;
    text_clear(&cluster.asked);
    assert_ok(drive_look(&fixture.drive));
    assert_told("task 1.1: it ended without a result; gave up on 1 case\n"
                "task 1.2: it ended without a result; gave up on 1 case\n"
                "task 1.3: it ended without a result; gave up on 1 case\n"
                "task 1.4: it ended without a result; gave up on 1 case\n");
    assert_asked("look bilanx-run.1\n");
    assert_string_equal(fixture.drive.troubles[0].node, "no node");
}

static void a_task_that_comes_back_is_not_gone(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 1});
    assert_ok(drive_look(&fixture.drive));
    fixture.drive.batches[0].tasks[0].gone_ns = monotonic_ns() - 3600000000000u;
    queue(&cluster.queue, 1, LAUNCH_RUNNING, "RUNNING", "n1");
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    assert_true(fixture.drive.batches[0].tasks[0].gone_ns == 0);
}

static void without_an_answer_no_task_is_gone(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 1});
    cluster.answer = bilanx_error_make(BILANX_E_TIMED_OUT, "busy");
    assert_ok(drive_look(&fixture.drive));
    assert_true(fixture.drive.batches[0].tasks[0].gone_ns == 0);
    cluster.answer = bilanx_error_make(BILANX_E_INPUT, "nonsense");
    assert_ok(drive_look(&fixture.drive));
    assert_told("the scheduler does not answer; waiting (busy)\nnonsense\n");
    assert_true(fixture.drive.batches[0].tasks[0].gone_ns == 0);
    cluster.answer = bilanx_error_make(BILANX_E_FAILED, "final");
    assert_error(drive_look(&fixture.drive), BILANX_E_FAILED, "final");
}

static void tasks_of_other_arrays_are_ignored(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 2});
    static const char *const arrays[] = {"other", "bilanx-run.0", "bilanx-run.2", "bilanx-run.x"};
    for (size_t i = 0; i < LENGTH(arrays); i++) {
        queue(&cluster.queue, 1, LAUNCH_HELD, "X", "n");
        snprintf(cluster.queue.items[i].array, sizeof cluster.queue.items[i].array, "%s",
                 arrays[i]);
    }
    queue(&cluster.queue, 0, LAUNCH_HELD, "X", "n");
    queue(&cluster.queue, 3, LAUNCH_HELD, "X", "n");
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    assert_false(fixture.drive.batches[0].tasks[0].known);
}

static void a_machine_that_refuses_is_no_longer_used(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    record_case(case_of_task(1), "n3");
    end_task(1, 1, (struct run_end){.node = T("n3")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    assert_int_equal(progress_of(case_of_task(1)), CAMPAIGN_DONE);
    end_task(2, 1, (struct run_end){.node = T("n3"), .refused = T("it is slow")});
    text_clear(&cluster.asked);
    assert_ok(drive_look(&fixture.drive));
    assert_told("n3 is no longer used: it is slow; its 1 case will be measured elsewhere\n");
    assert_asked("look bilanx-run.1\navoid 101 n3\n");
    assert_int_equal(progress_of(case_of_task(1)), CAMPAIGN_MISSING);
    assert_int_equal(progress_of(case_of_task(2)), CAMPAIGN_MISSING);
    end_task(3, 1, (struct run_end){.node = T("n3"), .refused = T("it is slow")});
    end_task(4, 1, (struct run_end){.node = T("n4"), .refused = T("too old")});
    text_clear(&cluster.asked);
    assert_ok(drive_look(&fixture.drive));
    assert_told("n4 is no longer used: too old\n");
    assert_asked("look bilanx-run.1\n");  // no task of the batch is open any more
    AUTO(memory) char *excluded = submission_excluded(&fixture.drive);
    assert_string_equal(excluded, "n3,n4");
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("submit bilanx-run.2 tasks=1 at_once=4 machines=1 excluded=n3,n4\n");
}

static void what_an_unfit_machine_recorded_meanwhile_does_not_count(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    end_task(1, 1, (struct run_end){.node = T("n3"), .refused = T("it is slow")});
    assert_ok(drive_look(&fixture.drive));
    record_case(case_of_task(2), "n3");
    end_task(2, 1, (struct run_end){.node = T("n3")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("n3 is no longer used: it is slow\n");
    assert_int_equal(progress_of(case_of_task(2)), CAMPAIGN_MISSING);
}

static void another_process_tells_the_scheduler_what_to_avoid(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    fixture.drive.only_collect = true;
    end_task(1, 1, (struct run_end){.node = T("n3"), .refused = T("it is slow")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("n3 is no longer used: it is slow\n");
    assert_asked("look bilanx-run.1\n");
}

static void machines_are_compared_with_each_other(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_ok(run_node_write("run", &(struct run_node){.name = T(names[i]),
                                                           .kind = T("k"),
                                                           .kernel_ns = i == 2 ? 200 : 100}));
    fixture.folder.unchecked = true;
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    fixture.folder.unchecked = false;
    assert_ok(drive_look(&fixture.drive));
    assert_true(text_starts(text_get(&fixture.told),
                            "n3 is no longer used: its reference kernel takes 200 ns"));
    text_clear(&fixture.told);
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
}

static void all_replicas_of_a_task_must_end(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4, .replicas = 2});
    end_task(1, 1, (struct run_end){.node = T("n1")});
    assert_ok(drive_look(&fixture.drive));
    assert_told("");
    end_task(1, 2, (struct run_end){.node = T("n2"), .status = 3});
    assert_ok(drive_look(&fixture.drive));
    assert_true(text_starts(text_get(&fixture.told), "task 1.1 on n2: exit status 3; gave up on "));
}

static void a_run_is_continued_from_its_folder(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 2});
    file_make("run/earlier.jsonl",
              "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{},\"place\":3}\n");
    drive_done(&fixture.drive);
    // The launcher of the folder knows only numbers as jobs, as ours does.
    open_drive();
    assert_int_equal(fixture.drive.campaign.batch_count, 1);
    assert_string_equal(fixture.drive.batches[0].job, "101");
    assert_true(fixture.drive.batches[0].asked);
    assert_int_equal(progress_of(2), CAMPAIGN_DONE);
    assert_int_equal(progress_of(1), CAMPAIGN_UNDERWAY);
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("");
}

static void a_folder_that_is_damaged_is_not_continued(void **state)
{
    (void)state;
    static const struct {
        const char *json, *cases, *refused;
    } batches[] = {
        {"{\"tasks\":2}", "1-5", "run/batches/1: its cases are not those of the run"},
        {"{\"tasks\":2}", "0-1", "its cases are not those of the run"},
        {"{\"tasks\":2}", "2,2", "its cases are not those of the run"},
        {"{\"tasks\":2}", "3,1-2", "its cases are not those of the run"},
        {"{\"tasks\":3}", "1-2", "run/batches/1: has too many tasks"},
        {"{\"tasks\":2,\"job\":\"-x\"}", "1-2", "its 'job' is not the number of a job"},
        {"{\"tasks\":2}", "x", "is not a list of numbers"},
    };
    make_run((struct run_folder){0});
    for (size_t i = 0; i < LENGTH(batches); i++) {
        file_make("run/batches/1.json", batches[i].json);
        file_make("run/batches/1.cases", batches[i].cases);
        assert_error(drive_open(&fixture.drive, &fixture.folder, &fixture.observer), BILANX_E_INPUT,
                     batches[i].refused);
        drive_done(&fixture.drive);
    }
    file_make("run/batches/1.json", "{\"tasks\":2}");
    file_make("run/batches/1.cases", "1,3-4");
    open_drive();
    assert_int_equal(progress_of(0), CAMPAIGN_UNDERWAY);
    assert_int_equal(progress_of(1), CAMPAIGN_MISSING);
    assert_int_equal(progress_of(3), CAMPAIGN_UNDERWAY);
    assert_null(fixture.drive.batches[0].job);
}

static void cancelled_tasks_are_no_trouble(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4});
    for (uint64_t task = 1; task <= 4; task++)
        queue(&cluster.queue, task, LAUNCH_KILLED, "CANCELLED", "n1");
    assert_ok(drive_cancel(&fixture.drive));
    assert_asked("cancel 101\nlook bilanx-run.1\n");
    assert_told("");
    assert_int_equal(fixture.drive.trouble_count, 0);
    assert_int_equal(campaign_open_tasks(&fixture.drive.campaign), 0);
    assert_ok(drive_cancel(&fixture.drive));  // nothing is left to cancel
    assert_asked("");
}

static void a_run_that_is_only_watched_submits_nothing(void **state)
{
    (void)state;
    submit_run((struct run_folder){.nodes = 4, .retries = 3});
    fixture.drive.only_look = true;
    for (uint64_t task = 1; task <= 4; task++)
        end_task(task, 1, (struct run_end){.node = T("n1"), .status = 2});
    assert_ok(drive_run(&fixture.drive));
    assert_asked("look bilanx-run.1\n");
    assert_int_equal(progress_of(0), CAMPAIGN_MISSING);
}

// Looks until all tasks have ended; the processes are real.
static void stream_to_the_end(void)
{
    for (int i = 0; i < 6000 && campaign_open_tasks(&fixture.drive.campaign); i++) {
        assert_ok(drive_look(&fixture.drive));
        usleep(10000);
    }
    assert_int_equal(campaign_open_tasks(&fixture.drive.campaign), 0);
}

static void without_a_shared_folder_records_come_over_the_launcher(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 4, .streamed = true, .digest = mem_text("d1")});
    program_make(
        "program x",
        "echo \"$*\" >>words\necho 'bilanx runs on n1' >&2\n"
        "echo \"$BILANX_CASES_DIGEST\" >digest\n"
        "for word; do case $word in --cases=*) place=${word#--cases=};; esac; done\n"
        "[ \"$place\" = 3 ] && exit 4\n"
        "echo \"{\\\"schema\\\":\\\"bilanx/1\\\",\\\"kind\\\":\\\"measurement\\\","
        "\\\"task\\\":{},\\\"place\\\":$place,\\\"machine\\\":{\\\"node\\\":\\\"n1\\\"}}\"\n");
    open_drive();
    assert_ok(drive_submit(&fixture.drive));
    assert_asked("");
    stream_to_the_end();
    assert_told("task 1.3 on n1: exit status 4: bilanx runs on n1; gave up on 1 case\n");
    assert_int_equal(fixture.drive.campaign.done_count, 3);
    assert_file("digest", "d1\n");
    AUTO(text) struct text words = {0};
    assert_ok(file_read("words", &words));
    assert_non_null(strstr(text_get(&words), "cluster stream 1 run --cases=2 --json=- --quiet\n"));
    AUTO(run_end) struct run_end end = {0};
    assert_true(run_end_read("run", "1.3.1", &end));
    assert_int_equal(end.status, 4);
    assert_string_equal(end.node, "n1");
    assert_asked("");
}

static void as_many_streams_run_as_there_are_machines(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 2, .streamed = true});
    program_make("program x", "exec sleep 60\n");
    open_drive();
    fixture.drive.campaign.options.machines = 4;  // four tasks
    assert_ok(drive_submit(&fixture.drive));
    fixture.drive.campaign.options.machines = 2;
    assert_ok(drive_look(&fixture.drive));
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_RUNNING), 2);
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_WAITING), 2);
    assert_ok(drive_look(&fixture.drive));
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_RUNNING), 2);
    fixture.drive.cancelled = true;
    fixture.drive.campaign.options.machines = 4;
    assert_ok(drive_look(&fixture.drive));  // starts no more
    assert_int_equal(drive_count(&fixture.drive, LAUNCH_RUNNING), 2);
    assert_told("");
}

static void a_stream_that_cannot_start_is_lost(void **state)
{
    (void)state;
    make_run((struct run_folder){.nodes = 1, .streamed = true});
    open_drive();
    assert_int_equal(file_remove_tree("run/logs"), true);
    assert_ok(drive_submit(&fixture.drive));
    stream_to_the_end();
    assert_told("task 1.1: cannot write to 'run': No such file or directory; gave up on 4 cases\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_is_submitted_once_as_an_array),
        TEST(replicas_of_a_task_run_on_machines_of_their_own),
        TEST(more_replicas_than_machines_are_refused),
        TEST(the_name_of_a_job_has_no_commas),
        TEST(a_scheduler_without_an_answer_is_asked_again),
        TEST(a_submission_that_got_lost_is_repeated),
        TEST(a_submission_that_is_refused_is_an_error),
        TEST(tasks_that_finish_end_the_run),
        TEST(a_task_that_ends_leaves_the_others_alone),
        TEST(a_task_that_fails_is_reported_with_its_last_words),
        TEST(a_case_of_a_lost_task_is_submitted_again),
        TEST(a_task_that_did_not_record_all_its_cases_is_lost),
        TEST(a_signal_is_explained_by_the_scheduler),
        TEST(a_task_that_is_held_is_reported_once),
        TEST(a_killed_task_without_a_result_is_lost_at_once),
        TEST(the_files_of_a_task_that_is_gone_may_take_a_moment),
        TEST(a_task_that_nobody_knows_ended_without_a_result),
        TEST(a_task_that_comes_back_is_not_gone),
        TEST(without_an_answer_no_task_is_gone),
        TEST(tasks_of_other_arrays_are_ignored),
        TEST(a_machine_that_refuses_is_no_longer_used),
        TEST(what_an_unfit_machine_recorded_meanwhile_does_not_count),
        TEST(another_process_tells_the_scheduler_what_to_avoid),
        TEST(machines_are_compared_with_each_other),
        TEST(all_replicas_of_a_task_must_end),
        TEST(a_run_is_continued_from_its_folder),
        TEST(a_folder_that_is_damaged_is_not_continued),
        TEST(cancelled_tasks_are_no_trouble),
        TEST(a_run_that_is_only_watched_submits_nothing),
        TEST(without_a_shared_folder_records_come_over_the_launcher),
        TEST(as_many_streams_run_as_there_are_machines),
        TEST(a_stream_that_cannot_start_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
