#include "cluster/site/run_folder.h"
#include "own_folder.h"

static void one_process_at_a_time_drives_a_run(void **state)
{
    (void)state;
    AUTO(fd) int first = -1, second = -1;
    assert_int_equal(mkdir("run", 0700), 0);
    assert_ok(run_folder_claim("run", &first));
    assert_true(first >= 0);
    assert_true(file_exists("run/lock"));
    AUTO(memory) char *process = mem_format("cannot use the run in 'run': process %d (", getpid());
    assert_error(run_folder_claim("run", &second), BILANX_E_SYSTEM, process);
    assert_error(run_folder_claim("run", &second), BILANX_E_SYSTEM,
                 ") drives it; wait for its end, or interrupt it");
    assert_int_equal(second, -1);
    close(first);
    first = -1;
    assert_ok(run_folder_claim("run", &second));
    assert_true(second >= 0);
}

// Root may write to any file, so it becomes somebody else.
static void a_user_who_may_only_read_the_folder_takes_its_lock(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    AUTO(fd) int lock = -1;
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(mkdir("run", 0700), 0);
    file_make("run/lock", "");
    assert_int_equal(chmod("run/lock", 0444), 0);
    assert_int_equal(chmod("run", 0755), 0);
    bool root = geteuid() == 0;
    assert_true(!root || seteuid(NOBODY) == 0);
    struct bilanx_error error = run_folder_claim("run", &lock);
    assert_true(!root || seteuid(0) == 0);
    assert_ok(error);
    assert_true(lock >= 0);
}

static void a_folder_that_cannot_be_locked_is_no_error(void **state)
{
    (void)state;
    int lock = 5;
    assert_ok(run_folder_claim("missing", &lock));
    assert_int_equal(lock, -1);
}

static void a_link_is_not_used_as_a_lock(void **state)
{
    (void)state;
    int lock = 5;
    assert_int_equal(mkdir("run", 0700), 0);
    file_make("elsewhere", "");
    assert_int_equal(symlink("../elsewhere", "run/lock"), 0);
    assert_ok(run_folder_claim("run", &lock));
    assert_int_equal(lock, -1);
}

static const char *const folders[] = {"run",      "run/batches", "run/records",
                                      "run/ends", "run/nodes",   "run/logs"};
static const char *const made[] = {"run/run.json",
                                   "run/run.json.new",
                                   "run/cases",
                                   "run/earlier.jsonl",
                                   "run/lock",
                                   "run/batches/1.json",
                                   "run/batches/12.cases",
                                   "run/batches/1.sh",
                                   "run/batches/1.json.new",
                                   "run/records/1.7.1.0.jsonl",
                                   "run/records/10.70.11.22.jsonl",
                                   "run/ends/1.7.1.json",
                                   "run/nodes/n3.json",
                                   "run/nodes/a.b.json",
                                   "run/nodes/n4.json.new",
                                   "run/logs/1.7.log"};

static void make_run(void)
{
    for (size_t i = 0; i < LENGTH(folders); i++)
        assert_int_equal(mkdir(folders[i], 0700), 0);
    for (size_t i = 0; i < LENGTH(made); i++)
        file_make(made[i], "");
}

static void everything_that_a_run_makes_is_removed(void **state)
{
    (void)state;
    make_run();
    run_folder_remove("run");
    assert_false(file_exists("run"));
    run_folder_remove("run");  // does nothing
}

static void files_of_others_stay_and_so_do_their_folders(void **state)
{
    (void)state;
    static const char *const others[] = {
        "run/mine.jsonl",
        "run/cases.txt",
        "run/batches/x.json",
        "run/batches/1.jso",
        "run/batches/1.json.old",
        "run/batches/.json",
        "run/records/1.7.1.jsonl",
        "run/records/1.7.1.0.jsonl2",
        "run/records/a1.7.1.0.jsonl",
        "run/ends/1.7.json",
        "run/nodes/n3",
        "run/nodes/.jso",
        "run/logs/1.7.2.log",
        "run/logs/1.7log",
    };
    make_run();
    for (size_t i = 0; i < LENGTH(others); i++)
        file_make(others[i], "");
    run_folder_remove("run");
    for (size_t i = 0; i < LENGTH(others); i++)
        if (!file_exists(others[i]))
            fail_msg("'%s' was removed", others[i]);
    for (size_t i = 0; i < LENGTH(made); i++)
        if (file_exists(made[i]))
            fail_msg("'%s' was not removed", made[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(one_process_at_a_time_drives_a_run),
        IN_OWN_FOLDER(a_user_who_may_only_read_the_folder_takes_its_lock),
        IN_OWN_FOLDER(a_folder_that_cannot_be_locked_is_no_error),
        IN_OWN_FOLDER(a_link_is_not_used_as_a_lock),
        IN_OWN_FOLDER(everything_that_a_run_makes_is_removed),
        IN_OWN_FOLDER(files_of_others_stay_and_so_do_their_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
