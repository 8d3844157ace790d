// Slurm's commands are stand-ins that note their words and print what a file says.
#include "cluster/launching/launcher.h"
#include "own_folder.h"

static const struct launcher *const slurm = &launcher_slurm;

static int enter(void **state)
{
    static const char command[] = "#!/bin/sh\necho \"${0##*/} $*\" >>\"$HERE/asked\"\n"
                                  "cat \"$HERE/${0##*/}.says\" 2>/dev/null\n"
                                  "exit $(cat \"$HERE/status\" 2>/dev/null || echo 0)\n";
    static const char *const names[] = {"sinfo",  "scontrol", "sbatch",
                                        "squeue", "sacct",    "scancel"};
    static char path[4096];
    if (own_folder_enter(state) != 0 || mkdir("bin", 0700) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *with_bin = mem_format("%s/bin:%s", own_folder, path);
    for (size_t i = 0; i < LENGTH(names); i++) {
        AUTO(memory) char *file = mem_format("bin/%s", names[i]);
        program_make(file, command);
    }
    unsetenv("SLURM_ARRAY_TASK_ID");
    unsetenv("SLURMD_NODENAME");
    setenv("HERE", own_folder, 1);
    return setenv("PATH", with_bin, 1);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, own_folder_leave)

static const char CONFIG[] = "Configuration data as of today\nMaxArraySize            = 1001\n"
                             "AccountingStorageType   = accounting_storage/slurmdbd\n";

static void a_survey_counts_machines_and_tasks(void **state)
{
    (void)state;
    struct launch_facts facts = {0};
    file_make("scontrol.says", CONFIG);
    file_make("sinfo.says", "3|idle\n2|mixed\n4|down\n");
    assert_ok(slurm->survey(&(struct launch_site){0}, &facts));
    assert_int_equal(facts.machines, 5);
    assert_int_equal(facts.most_tasks, 1000);
    assert_true(facts.accounts);
    assert_file("asked", "scontrol show config\nsinfo --noheader --format=%D|%T\n");
}

static void only_the_machines_of_a_partition_count(void **state)
{
    (void)state;
    struct launch_facts facts = {0};
    struct launch_site site = {.partition = "quick"};
    file_make("scontrol.says", CONFIG);
    file_make("sinfo.says", "4|down\n");
    assert_error(slurm->survey(&site, &facts), BILANX_E_FAILED,
                 "Slurm has no usable nodes in the partition quick (see 'sinfo')");
    assert_int_equal(facts.machines, 0);
    assert_file("asked",
                "scontrol show config\nsinfo --noheader --format=%D|%T --partition=quick\n");
    assert_error(slurm->survey(&(struct launch_site){0}, &facts), BILANX_E_FAILED,
                 "Slurm has no usable nodes (see 'sinfo')");
}

static void a_cluster_need_not_keep_accounts(void **state)
{
    (void)state;
    static const char *const kinds[] = {"AccountingStorageType = accounting_storage/none\n",
                                        "AccountingStorageType = (null)\n", ""};
    file_make("sinfo.says", "1|idle\n");
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        struct launch_facts facts = {.accounts = true};
        AUTO(memory) char *config = mem_format("MaxArraySize = 2\n%s", kinds[i]);
        file_make("scontrol.says", config);
        assert_ok(slurm->survey(&(struct launch_site){0}, &facts));
        assert_false(facts.accounts);
        assert_int_equal(facts.most_tasks, 1);
    }
}

static void a_cluster_without_arrays_is_refused(void **state)
{
    (void)state;
    static const char *const sizes[] = {"MaxArraySize = 1\n", "MaxArraySize = many\n",
                                        "Other = 5\n"};
    file_make("sinfo.says", "1|idle\n");
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct launch_facts facts = {0};
        file_make("scontrol.says", sizes[i]);
        assert_error(slurm->survey(&(struct launch_site){0}, &facts), BILANX_E_INPUT,
                     "does not name a usable MaxArraySize");
    }
}

static void an_array_is_submitted_with_what_its_site_needs(void **state)
{
    (void)state;
    AUTO(list) struct list options = {0};
    AUTO(memory) char *first = NULL, *second = NULL;
    list_add(&options, "--qos=low");
    list_add(&options, "--mem=0");
    file_make("sbatch.says", "1234;cluster\n");
    assert_ok(slurm->submit(&(struct launch_site){.partition = "quick", .options = &options},
                            &(struct launch_array){.name = "bilanx-1",
                                                   .script = "/run/1.sh",
                                                   .log = "/run/1.%a.log",
                                                   .tasks = 40,
                                                   .at_once = 8,
                                                   .machines = 2,
                                                   .excluded = "n1,n2"},
                            &first));
    assert_string_equal(first, "1234");
    assert_file("asked", "sbatch --parsable --exclusive --no-requeue --open-mode=append --nodes=2 "
                         "--ntasks-per-node=1 --job-name=bilanx-1 --output=/run/1.%a.log "
                         "--partition=quick --exclude=n1,n2 --qos=low --mem=0 --array=1-40%8 "
                         "/run/1.sh\n");
    assert_int_equal(unlink("asked"), 0);
    assert_ok(slurm->submit(
        &(struct launch_site){0},
        &(struct launch_array){.name = "b", .script = "s", .log = "l", .tasks = 1, .excluded = ""},
        &second));
    assert_file("asked", "sbatch --parsable --exclusive --no-requeue --open-mode=append --nodes=1 "
                         "--ntasks-per-node=1 --job-name=b --output=l --array=1-1 s\n");
}

static void the_queue_is_asked_by_name(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    file_make("squeue.says", "b.1|77|3|RUNNING|10|n5|None\n");
    assert_ok(slurm->look("b.1,b.2", &tasks));
    assert_int_equal(tasks.count, 1);
    assert_int_equal(tasks.items[0].number, 3);
    assert_string_equal(tasks.items[0].node, "n5");
    AUTO(memory) char *asked =
        mem_format("squeue --noheader --array --states=all --user=%lu --name=b.1,b.2 "
                   "--format=%%j|%%F|%%K|%%T|%%Q|%%N|%%r\n",
                   (unsigned long)getuid());
    assert_file("asked", asked);
}

static void accounts_are_asked_for_the_last_week(void **state)
{
    (void)state;
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    file_make("sacct.says", "b.1|77_3|COMPLETED|n5\n");
    assert_ok(slurm->recall("b.1", &tasks));
    assert_int_equal(tasks.count, 1);
    assert_int_equal(tasks.items[0].number, 3);
    assert_int_equal(tasks.items[0].state, LAUNCH_ENDED);
    assert_file("asked", "sacct --noheader --parsable2 --allocations --starttime=now-7days "
                         "--name=b.1 --format=JobName,JobID,State,NodeList\n");
}

static void jobs_are_named_by_their_numbers_only(void **state)
{
    (void)state;
    assert_ok(slurm->cancel("77"));
    assert_ok(slurm->avoid("77", "n3"));
    assert_file("asked", "scancel --quiet -- 77\nscontrol update JobId=77 ExcNodeList=n3\n");
    assert_error(slurm->cancel("--user=victim"), BILANX_E_INPUT,
                 "'--user=victim' is not the number of a job");
    assert_error(slurm->avoid("77 78", "n3"), BILANX_E_INPUT, "is not the number of a job");
    assert_file("asked", "scancel --quiet -- 77\nscontrol update JobId=77 ExcNodeList=n3\n");
    assert_true(slurm->is_job("77"));
    assert_false(slurm->is_job("-77"));
}

static void assert_attached(const struct launch_site *site, uint64_t machines, const char *excluded,
                            const char *expected)
{
    AUTO(list) struct list words = {0};
    AUTO(text) struct text line = {0};
    slurm->attach(site, machines, excluded, &words);
    for (size_t i = 0; i < words.count; i++)
        text_format(&line, "%s%s", i ? " " : "", words.items[i]);
    assert_string_equal(text_get(&line), expected);
}

static void a_command_is_started_on_machines_of_its_own(void **state)
{
    (void)state;
    AUTO(list) struct list options = {0};
    list_add(&options, "--qos=low");
    assert_attached(&(struct launch_site){0}, 0, NULL,
                    "srun --quiet --exclusive --ntasks-per-node=1 --nodes=1");
    assert_attached(&(struct launch_site){.partition = "p", .options = &options}, 3, "n1",
                    "srun --quiet --exclusive --ntasks-per-node=1 --nodes=3 --partition=p "
                    "--exclude=n1 --qos=low");
    assert_attached(&(struct launch_site){0}, 1, "",
                    "srun --quiet --exclusive --ntasks-per-node=1 --nodes=1");
}

static void a_command_that_fails_is_quoted(void **state)
{
    (void)state;
    file_make("status", "2");
    file_make("scancel.says", "scancel: error: Invalid job id\n\n");
    struct bilanx_error error = slurm->cancel("5");
    assert_int_equal(error.status, BILANX_E_FAILED);
    assert_string_equal(error.text,
                        "'scancel' failed with status 2: scancel: error: Invalid job id");
    file_make("scancel.says", "scancel: error: Unable to contact slurm controller\n");
    assert_int_equal(slurm->cancel("5").status, BILANX_E_TIMED_OUT);
}

static void without_slurm_the_missing_command_is_named(void **state)
{
    (void)state;
    setenv("PATH", "/nowhere", 1);
    assert_error(slurm->cancel("5"), BILANX_E_SYSTEM, "there is no 'scancel' here");
}

static void a_task_knows_its_number_and_machine(void **state)
{
    (void)state;
    assert_null(slurm->task_number());
    assert_null(slurm->machine_name());
    setenv("SLURM_ARRAY_TASK_ID", "4", 1);
    setenv("SLURMD_NODENAME", "n9", 1);
    assert_string_equal(slurm->task_number(), "4");
    assert_string_equal(slurm->machine_name(), "n9");
}

static void launchers_are_found_by_their_names(void **state)
{
    (void)state;
    const struct launcher *found = NULL;
    assert_ok(launcher_find("slurm", &found));
    assert_ptr_equal(found, slurm);
    found = NULL;
    assert_true(launcher_find("slur", &found).status != BILANX_OK);
    assert_null(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_survey_counts_machines_and_tasks),
        TEST(only_the_machines_of_a_partition_count),
        TEST(a_cluster_need_not_keep_accounts),
        TEST(a_cluster_without_arrays_is_refused),
        TEST(an_array_is_submitted_with_what_its_site_needs),
        TEST(the_queue_is_asked_by_name),
        TEST(accounts_are_asked_for_the_last_week),
        TEST(jobs_are_named_by_their_numbers_only),
        TEST(a_command_is_started_on_machines_of_its_own),
        TEST(a_command_that_fails_is_quoted),
        TEST(without_slurm_the_missing_command_is_named),
        TEST(a_task_knows_its_number_and_machine),
        TEST(launchers_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
