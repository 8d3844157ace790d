#include "base/place.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

enum { SOMEBODY = 65534 };
static char folder[] = "/tmp/bilanx-place-XXXXXX";
static char told[600];
static unsigned times_told;

static void note(const char *text)
{
    snprintf(told, sizeof told, "%s", text);
    times_told++;
}

// Each test has an empty folder for $XDG_CACHE_HOME, and no home.
static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 && setenv("XDG_CACHE_HOME", folder, 1) == 0 &&
                   setenv("TMPDIR", folder, 1) == 0 && setenv("HOME", "/dev/null", 1) == 0
               ? 0
               : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static char *found(void)
{
    char *path = NULL;
    assert_ok(place_find(NULL, &path));
    return path;
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (unsigned)status.st_mode & 07777;
}

static void the_cache_is_private_whatever_the_umask(void **state)
{
    (void)state;
    static const mode_t masks[] = {0, 022, 0777};
    AUTO(memory) char *deep = mem_format("%s/not/there/yet", folder);
    setenv("XDG_CACHE_HOME", deep, 1);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        mode_t before = umask(masks[i]);
        AUTO(memory) char *path = found();
        umask(before);
        assert_true(text_starts(path, deep));
        assert_int_equal(mode_of("not"), 0700);
        assert_int_equal(mode_of("not/there/yet"), 0700);
        assert_int_equal(mode_of("not/there/yet/bilanx"), 0700);
        assert_int_equal(mode_of("not/there/yet/bilanx/" PLACE_OBJECTS), 0700);
        assert_int_equal(system("/bin/rm -rf not"), 0);
    }
}

static void a_cache_that_others_can_read_is_made_private(void **state)
{
    (void)state;
    assert_int_equal(mkdir("bilanx", 0755), 0);
    AUTO(memory) char *path = found();
    assert_int_equal(mode_of("bilanx"), 0700);
    assert_true(text_starts(path, folder));
}

static void an_unusable_folder_is_skipped(void **state)
{
    (void)state;
    AUTO(memory) char *home = mem_format("%s/home", folder);
    setenv("HOME", home, 1);
    static const char *const unusable[] = {"/dev/null", "/dev/null/x", "not/absolute", ""};
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        setenv("XDG_CACHE_HOME", unusable[i], 1);
        AUTO(memory) char *path = found();
        assert_true(text_starts(path, home));
    }
    unsetenv("XDG_CACHE_HOME");
    AUTO(memory) char *at_home = found();
    assert_true(text_starts(at_home, home));
}

static void a_link_above_the_cache_is_resolved(void **state)
{
    (void)state;
    assert_int_equal(mkdir("real", 0700), 0);
    assert_int_equal(symlink("real", "link"), 0);
    AUTO(memory) char *link = mem_format("%s/link", folder);
    AUTO(memory) char *expected = mem_format("%s/real/bilanx", folder);
    setenv("XDG_CACHE_HOME", link, 1);
    AUTO(memory) char *path = found();
    assert_string_equal(path, expected);
}

// Runs in a separate process, because the temporary folder vanishes with it. The status says that
// the same other folder was used each time and that this was reported once, with the reason.
static bool stands_in(const char *why)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char *path = NULL, *again = NULL;
        place_tell_by(note);
        bool right = place_find(NULL, &path).status == BILANX_OK &&
                     place_find(NULL, &again).status == BILANX_OK && strcmp(path, again) == 0 &&
                     strstr(path, "/bilanx-run-") && mode_of(path) == 0700 && times_told == 1 &&
                     strstr(told, why) && chdir(path) == 0 && mode_of(PLACE_OBJECTS) == 0700 &&
                     mode_of(PLACE_REVISIONS) == 0700;
        if (!right)
            print_message("# %s, told %u times: %s\n", path ? path : "none", times_told, told);
        exit(right ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(system("! ls -d \"$TMPDIR\"/bilanx-run-* 2>/dev/null"), 0);
    return status == 0;
}

static void a_cache_that_others_can_write_to_is_not_used(void **state)
{
    (void)state;
    static const char *const paths[] = {"bilanx", "bilanx/objects", "bilanx/revisions"};
    static const mode_t modes[] = {0777, 0720, 0702};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        free(found());
        assert_int_equal(chmod(paths[i], modes[i]), 0);
        assert_true(stands_in("other users can write to"));
        assert_int_equal(mode_of(paths[i]), modes[i]);  // unchanged
        assert_int_equal(system("/bin/rm -r bilanx"), 0);
    }
}

static void a_cache_that_is_a_link_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(mkdir("real", 0700), 0);
    assert_int_equal(symlink("real", "bilanx"), 0);
    assert_true(stands_in("/bilanx' is a link"));
    unlink("bilanx");
    free(found());
    assert_int_equal(rmdir("bilanx/objects"), 0);
    assert_int_equal(symlink("../real", "bilanx/objects"), 0);
    assert_true(stands_in("/bilanx/objects' is a link"));
}

static void the_cache_of_another_user_is_not_used(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip_because("only root can make files of another user");
    assert_int_equal(mkdir("bilanx", 0700), 0);
    assert_int_equal(chown("bilanx", SOMEBODY, SOMEBODY), 0);
    assert_true(stands_in("/bilanx' belongs to user 65534"));
}

// A user who can rename the folder can replace it between the check and the load.
static void a_cache_that_another_user_could_replace_is_not_used(void **state)
{
    (void)state;
    AUTO(memory) char *above = mem_format("%s/above/cache", folder);
    assert_int_equal(mkdir("above", 0700), 0);
    setenv("XDG_CACHE_HOME", above, 1);
    assert_int_equal(chmod("above", 0777), 0);
    assert_true(stands_in("other users can change the contents of"));
    assert_int_equal(access(above, F_OK), -1);  // and nothing is made there
    assert_int_equal(chmod("above", 01777), 0);
    AUTO(memory) char *sticky = found();
    assert_true(text_starts(sticky, above));
    assert_int_equal(system("/bin/rm -r above/cache"), 0);
    if (geteuid() != 0)
        return;
    assert_int_equal(chown("above", SOMEBODY, SOMEBODY), 0);
    assert_int_equal(chmod("above", 0755), 0);
    assert_true(stands_in("other users can change the contents of"));
}

static void a_given_place_is_checked_again(void **state)
{
    (void)state;
    AUTO(memory) char *path = found();
    assert_ok(place_check(path));
    assert_int_equal(chmod("bilanx/objects", 0777), 0);
    assert_error(place_check(path), BILANX_E_SYSTEM, "other users can write to");
    assert_error(place_check("/dev/null/x"), BILANX_E_SYSTEM, "cannot be used: Not a directory");
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(the_cache_is_private_whatever_the_umask),
        ALONE(a_cache_that_others_can_read_is_made_private),
        ALONE(an_unusable_folder_is_skipped),
        ALONE(a_link_above_the_cache_is_resolved),
        ALONE(a_cache_that_others_can_write_to_is_not_used),
        ALONE(a_cache_that_is_a_link_is_not_used),
        ALONE(the_cache_of_another_user_is_not_used),
        ALONE(a_cache_that_another_user_could_replace_is_not_used),
        ALONE(a_given_place_is_checked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
