#include "base/temporary.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-temporary-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 && setenv("TMPDIR", folder, 1) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static void make_old(const char *path)
{
    struct timespec past = {.tv_sec = time(NULL) - 3600};
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){past, past}, 0), 0);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void folders_are_separate_private_and_removed_with_their_contents(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary one = {0}, other = {0};
    assert_ok(temporary_init(&one, NULL));
    assert_ok(temporary_init(&other, folder));
    assert_true(text_starts(one.path, folder));
    assert_string_not_equal(one.path, other.path);
    struct stat status;
    assert_int_equal(stat(one.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    AUTO(memory) char *inner = mem_format("%s/inner", one.path);
    AUTO(memory) char *file = mem_format("%s/inner/file", one.path);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_ok(file_write(file, "x", 1));
    assert_int_equal(chmod(inner, 0500), 0);
    AUTO(memory) char *gone = mem_text(one.path);
    temporary_done(&one);
    assert_false(is_there(gone));
    assert_true(is_there(other.path));
}

// Creates one and is killed, as by kill -9. Returns its path.
static char *leave_behind(void)
{
    int pipes[2];
    char path[256] = "";
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        struct temporary left = {0};
        temporary_init(&left, NULL);
        ssize_t written = write(pipes[1], left.path, strlen(left.path) + 1);
        raise(written > 0 ? SIGKILL : SIGABRT);
    }
    assert_true(read(pipes[0], path, sizeof path - 1) > 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipes[0]);
    close(pipes[1]);
    return mem_text(path);
}

static void an_abandoned_folder_is_removed_once_it_is_old(void **state)
{
    (void)state;
    AUTO(memory) char *young = leave_behind(), *old = leave_behind();
    AUTO(memory) char *file = mem_format("%s/file", old);
    assert_ok(file_write(file, "x", 1));
    make_old(old);
    AUTO(temporary) struct temporary next = {0};
    assert_ok(temporary_init(&next, NULL));
    assert_false(is_there(old));
    assert_true(is_there(young));
}

static void a_folder_in_use_stays_however_old(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary used = {0};
    assert_ok(temporary_init(&used, NULL));
    make_old(used.path);
    pid_t child = fork();  // holds the lock in another process
    if (child == 0) {
        close(used.lock);
        temporary_sweep(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(is_there(used.path));
}

static void files_that_are_not_ours_stay(void **state)
{
    (void)state;
    AUTO(memory) char *file = mem_format("%s/bilanx-run-file", folder);
    AUTO(memory) char *link = mem_format("%s/bilanx-run-link", folder);
    AUTO(memory) char *other = mem_format("%s/bilanx-own", folder);
    AUTO(memory) char *foreign = mem_format("%s/bilanx-run-foreign", folder);
    assert_ok(file_write(file, "x", 1));
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(mkdir(foreign, 0700), 0);
    assert_int_equal(symlink(other, link), 0);
    bool is_root = geteuid() == 0;
    if (is_root)
        assert_int_equal(chown(foreign, 65534, 65534), 0);
    make_old(file);
    make_old(other);
    make_old(foreign);
    temporary_sweep(NULL);
    assert_true(is_there(file));
    assert_true(is_there(link));
    assert_true(is_there(other));
    assert_int_equal(is_there(foreign), is_root);
}

static void a_folder_that_cannot_be_created_is_an_error(void **state)
{
    (void)state;
    struct temporary none = {0};
    assert_error(temporary_init(&none, "/dev/null/x"), BILANX_E_SYSTEM,
                 "cannot create a folder in '/dev/null/x': Not a directory");
    temporary_done(&none);
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(folders_are_separate_private_and_removed_with_their_contents),
        ALONE(an_abandoned_folder_is_removed_once_it_is_old),
        ALONE(a_folder_in_use_stays_however_old),
        ALONE(files_that_are_not_ours_stay),
        ALONE(a_folder_that_cannot_be_created_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
