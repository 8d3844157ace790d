// Revisions as sides, with repositories made here, which must not change.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ab/sides/folders.h"
#include "ab/sides/side.h"
#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-sides-XXXXXX";
static struct text told;

static void keep_told(void *context, const char *text)
{
    (void)context;
    text_format(&told, "%s\n", text);
}

static const struct side_options plain = {.tell = {.line = keep_told}};

static char *says_in(const struct surroundings *surroundings, const char *script)
{
    const char *argv[] = {"/bin/bash", "-euc", script, NULL};
    struct text output = {0};
    int status;
    assert_ok(capture_run(
        &(struct capture_options){.argv = argv, .surroundings = surroundings, .timeout_s = 60},
        &output, &status));
    if (status != 0)
        fail_msg("%s: %s", script, text_get(&output));
    return output.size ? text_take(&output) : mem_text("");
}

static char *says(const char *script)
{
    return says_in(NULL, script);
}

static void script(const char *text)
{
    free(says(text));
}

// A repository with two commits, the first one tagged, in a path with blanks; it becomes the
// current directory.
static const char MAKE_REPOSITORY[] =
    "mkdir -p 'a repository/lib' && cd 'a repository' && git init -q -b main . && "
    "echo 1 >version && echo lib >lib/file && git add . && git commit -qm 'First one' && "
    "git tag -am one v1 && echo 2 >version && git commit -qam 'Second: \"quoted\"'";

// Each test has its own folder and cache, and no user settings.
static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    AUTO(memory) char *cache = mem_format("%s/the cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", folder, 1);
    setenv("SHELL", "/bin/bash", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME",
                                            "COMMITTER_EMAIL"};
        AUTO(memory) char *name = mem_format("GIT_%s", names[i]);
        setenv(name, "nobody", 1);
    }
    text_clear(&told);
    script(MAKE_REPOSITORY);
    return chdir("a repository");
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static char *child_says(struct side *side, const char *text)
{
    return says_in(&side->surroundings, text);
}

#define assert_says(spec, options, text, expected)           \
    do {                                                     \
        AUTO(side) struct side side_ = {0};                  \
        assert_ok(side_open("A", spec, options, &side_));    \
        AUTO(memory) char *said_ = child_says(&side_, text); \
        assert_string_equal(said_, expected);                \
    } while (0)

static struct bilanx_error try(const char *spec, const struct side_options *options)
{
    AUTO(side) struct side side = {0};
    return side_open("B", spec, options, &side);
}

static void a_revision_is_checked_out_elsewhere(void **state)
{
    (void)state;
    AUTO(memory) char *before = says("find .git -type f | sort | xargs -d '\\n' sha1sum; ls");
    AUTO(memory) char *head = says("git rev-parse HEAD~1 | tr -d '\\n'");
    AUTO(side) struct side side = {0};
    assert_ok(side_open("A", "git:HEAD~1", &plain, &side));
    assert_string_equal(side.commit, head);
    AUTO(memory) char *title = mem_format("HEAD~1: %.7s First one", head);
    assert_string_equal(side.title, title);
    assert_true(side.kind->can_share);
    AUTO(memory) char *said = child_says(&side, "cat version; ls; test \"$PWD\" = \"$(pwd)\"");
    assert_string_equal(said, "1\nlib\nversion\n");
    AUTO(memory) char *after = says("find .git -type f | sort | xargs -d '\\n' sha1sum; ls");
    assert_string_equal(before, after);
    assert_string_equal(text_get(&told), "");
}

static void a_revision_can_be_named_in_many_ways(void **state)
{
    (void)state;
    assert_says("git:v1", &plain, "cat version", "1\n");
    assert_says("git:main", &plain, "cat version", "2\n");
    assert_says("git: HEAD", &plain, "cat version", "2\n");
    assert_says("git:HEAD^{/First}", &plain, "cat version", "1\n");
    assert_says("git::/First", &plain, "cat version", "1\n");
    script("git checkout -qb topic v1 && echo 3 >version && git commit -qam Third");
    assert_says("git:merge-base:main", &plain, "cat version", "1\n");
    assert_says("git:HEAD", &plain, "cat version", "3\n");
    // Not reachable from anything.
    AUTO(memory) char *lost = says("git checkout -q main && git branch -qD topic && "
                                   "printf git:; git rev-parse HEAD@{1} | tr -d '\\n'");
    assert_says(lost, &plain, "cat version", "3\n");
}

static void the_current_folder_is_the_same_in_the_checkout(void **state)
{
    (void)state;
    assert_int_equal(chdir("lib"), 0);
    assert_says("git:HEAD", &plain, "cat file; basename \"$PWD\"", "lib\nlib\n");
    assert_says("git:.", &plain, "cat file; basename \"$PWD\"", "lib\nlib\n");
    script("mkdir ../new && echo >../new/file && git add .. && git commit -qm New");
    assert_int_equal(chdir("../new"), 0);
    assert_error(try("git:v1", &plain), BILANX_E_INPUT, "this revision has no folder 'new'");
    const struct side_options elsewhere = {.repository = "../lib"};
    assert_says("git:v1", &elsewhere, "cat file", "lib\n");
}

static void git_dot_is_the_working_tree_as_it_is(void **state)
{
    (void)state;
    script("echo dirty >version");
    AUTO(side) struct side side = {0};
    assert_ok(side_open("A", "git:.", &plain, &side));
    assert_null(side.commit);
    AUTO(memory) char *said = child_says(&side, "cat version");
    assert_string_equal(said, "dirty\n");
    const struct side_options building = {.build = "echo built >>version"};
    assert_says("git:.", &building, "cat version", "dirty\nbuilt\n");
    assert_says("git:HEAD", &building, "cat version", "2\nbuilt\n");
    const struct side_options failing = {.build = "echo no luck; exit 4"};
    assert_error(try("git:.", &failing), BILANX_E_EXITED,
                 "side B ('git:.'): the build exited with status 4: no luck");
}

static void a_revision_is_built_once(void **state)
{
    (void)state;
    const struct side_options options = {
        .build = "cat version >>../../../../../builds; cp version built; echo 'a note'",
        .tell = {.line = keep_told},
    };
    assert_says("git:HEAD", &options, "cat built", "2\n");
    assert_non_null(strstr(text_get(&told), "side A: checking out and building"));
    assert_says("git:HEAD", &options, "cat built", "2\n");
    assert_says("git:main", &options, "cat built", "2\n");
    assert_says("git:v1", &options, "cat built", "1\n");
    AUTO(memory) char *builds = says("cat ../builds; cat ../*cache/bilanx/revisions/*/log");
    assert_string_equal(builds, "2\n1\na note\na note\n");
    // A different command or compiler gives a different build.
    const struct side_options other = {.build = "cat version >>../../../../../builds; true"};
    assert_says("git:HEAD", &other, "test ! -e built && echo fresh", "fresh\n");
    setenv("CC", "another", 1);
    assert_says("git:HEAD", &other, "echo \"$CC\"", "another\n");
    unsetenv("CC");
    AUTO(memory) char *again = says("wc -l <../builds");
    assert_string_equal(again, "4\n");
}

static void a_failed_build_is_not_kept(void **state)
{
    (void)state;
    const struct side_options options = {.build =
                                             "echo before >left; seq 1000; echo 'x.c:1: error: no' "
                                             ">&2; ls ../../../../../ok && echo after >left"};
    struct bilanx_error error = try("git:HEAD", &options);
    assert_int_equal(error.status, BILANX_E_EXITED);
    assert_non_null(
        strstr(error.text, "side B ('git:HEAD'): the build exited with status 2 (log: "));
    assert_non_null(strstr(error.text, "1000 | x.c:1: error: no | ls: cannot access"));
    script("grep -q '^500$' ../*cache/bilanx/revisions/*/log");
    script("touch ../ok");
    assert_says("git:HEAD", &options, "cat left", "after\n");
}

static void an_interrupted_build_is_repeated(void **state)
{
    (void)state;
    const struct side_options slow = {.build = "touch ../started left; [ -e ../../../../../go ] || "
                                               "sleep 1000; touch right"};
    pid_t child = fork();
    if (child == 0) {
        struct side side = {0};
        side_open("A", "git:HEAD", &slow, &side);
        _exit(0);
    }
    script("until ls ../*cache/bilanx/revisions/*/started; do sleep .02; done");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    script("touch ../go");
    assert_says("git:HEAD", &slow, "ls", "left\nlib\nright\nversion\n");
}

static void concurrent_processes_share_one_build(void **state)
{
    (void)state;
    // A build that finds files of another one fails.
    const struct side_options options = {
        .build = "mkdir busy && echo x >>../../../../../builds && sleep .3 && rmdir busy"};
    pid_t children[4];
    for (size_t i = 0; i < LENGTH(children); i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct side side = {0};
            struct bilanx_error error = side_open("A", "git:HEAD", &options, &side);
            _exit(error.status != BILANX_OK || !side.lock);
        }
    }
    for (size_t i = 0; i < LENGTH(children); i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    AUTO(memory) char *builds = says("cat ../builds");
    assert_string_equal(builds, "x\n");
}

static void a_build_sees_its_version_but_not_our_repository(void **state)
{
    (void)state;
    const struct side_options options = {.build = "git describe >described; echo y >version; "
                                                  "git commit -qam Wild; git tag wild"};
    AUTO(memory) char *expected = says("git describe");
    AUTO(memory) char *git_dir = says("printf %s \"$(pwd)/.git\"");
    setenv("GIT_DIR", git_dir, 1);  // as in a hook
    setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
    AUTO(side) struct side side = {0};
    struct bilanx_error error = side_open("A", "git:HEAD", &options, &side);
    unsetenv("GIT_INDEX_FILE");
    unsetenv("GIT_DIR");
    assert_ok(error);
    AUTO(memory) char *described = child_says(&side, "cat described; echo ${GIT_DIR-none}");
    AUTO(memory) char *wanted = mem_format("%snone\n", expected);
    assert_string_equal(described, wanted);
    AUTO(memory) char *tags = says("git tag; git log --format=%s -1; git status --short");
    assert_string_equal(tags, "v1\nSecond: \"quoted\"\n");
}

static void hooks_are_not_run(void **state)
{
    (void)state;
    script("mkdir ../hooks && printf '#!/bin/sh\\ntouch %s/../ran\\n' \"'$(pwd)'\" "
           ">../hooks/post-checkout && chmod +x ../hooks/post-checkout && "
           "cp ../hooks/post-checkout .git/hooks/ 2>/dev/null || "
           "{ mkdir .git/hooks && cp ../hooks/post-checkout .git/hooks/; }; "
           "git config core.hooksPath \"$(cd ../hooks && pwd)\"");
    assert_ok(try("git:HEAD", &plain));
    assert_int_equal(access("../ran", F_OK), -1);
}

static void repository_settings_apply_to_the_checkout(void **state)
{
    (void)state;
    script(
        "git config filter.shout.smudge 'tr a-z A-Z' && git config filter.shout.clean cat && "
        "echo 'lib/file filter=shout' >.gitattributes && git add . && git commit -qm Attributes");
    assert_says("git:HEAD", &plain, "cat lib/file", "LIB\n");
}

static void bare_shallow_and_linked_repositories_work(void **state)
{
    (void)state;
    script(
        "git clone -q --bare . ../bare.git; git clone -q --depth 1 \"file://$(pwd)\" ../shallow; "
        "git worktree add -q ../linked v1");
    const struct side_options bare = {.repository = "../bare.git"};
    assert_says("git:v1", &bare, "cat version; git status --short", "1\n");
    assert_error(try("git:.", &bare), BILANX_E_USAGE, "has no working tree");
    const struct side_options shallow = {.repository = "../shallow"};
    assert_says("git:HEAD", &shallow, "cat version; git log --oneline | wc -l", "2\n1\n");
    assert_error(try("git:HEAD~1", &shallow), BILANX_E_INPUT, "bad revision 'HEAD~1'");
    script("cd ../shallow && git fetch -q --depth 1 origin tag v1");
    assert_error(try("git:merge-base:v1", &shallow), BILANX_E_INPUT,
                 "have no commit in common in this shallow clone (run 'git fetch --unshallow");
    const struct side_options linked = {.repository = "../linked"};
    assert_says("git:HEAD", &linked, "cat version", "1\n");
    assert_says("git:main", &linked, "cat version", "2\n");
    AUTO(memory) char *worktrees = says("git worktree list | wc -l");
    assert_string_equal(worktrees, "2\n");
}

static void sha256_repositories_work(void **state)
{
    (void)state;
    script("git init -q --object-format=sha256 ../long && cd ../long && echo long >file && "
           "git add . && git commit -qm Long");
    const struct side_options options = {.repository = "../long"};
    assert_says("git:HEAD", &options, "cat file; git rev-parse HEAD | wc -c", "long\n65\n");
}

static void submodules_are_checked_out(void **state)
{
    (void)state;
    script("git init -q ../inner && (cd ../inner && echo inner >file && git add . && "
           "git commit -qm Inner) && "
           "git -c protocol.file.allow=always submodule --quiet add ../inner 'its inner' && "
           "git commit -qm 'With a submodule' && cd 'its inner' && echo newer >file && "
           "git commit -qam Newer && cd .. && git commit -qam 'Its newer state'");
    assert_says("git:HEAD~1", &plain, "cat 'its inner/file'", "inner\n");
    assert_says("git:HEAD", &plain, "cat 'its inner/file'; cd 'its inner'; git status --short",
                "newer\n");
    assert_says("git:v1", &plain, "ls", "lib\nversion\n");
    script("git submodule --quiet deinit -f 'its inner'");  // git keeps it in .git/modules
    const struct side_options building = {.build = "cp 'its inner/file' got"};
    assert_says("git:HEAD", &building, "cat got", "newer\n");
    assert_string_equal(text_get(&told), "");
    script("rm -r .git/modules");
    const struct side_options again = {.build = "true", .tell = {.line = keep_told}};
    assert_says("git:HEAD", &again, "ls 'its inner'", "");
    assert_non_null(strstr(text_get(&told), "submodule 'its inner' is left empty"));
}

static void a_submodule_without_its_commit_is_an_error(void **state)
{
    (void)state;
    script("git init -q ../inner && (cd ../inner && echo inner >file && git add . && "
           "git commit -qm Inner) && "
           "git -c protocol.file.allow=always submodule --quiet add ../inner inner && "
           "git update-index --cacheinfo 160000,1234567890123456789012345678901234567890,inner && "
           "git commit -qm 'Nowhere'");
    assert_error(try("git:HEAD", &plain), BILANX_E_INPUT, "submodule 'inner': git exited");
}

static void an_invalid_revision_is_an_error(void **state)
{
    (void)state;
    assert_error(try("git:nosuch", &plain), BILANX_E_INPUT,
                 "side B ('git:nosuch'): git exited with status 128: fatal: bad revision 'nosuch'");
    assert_error(try("git:merge-base:nosuch", &plain), BILANX_E_INPUT, "bad revision 'nosuch'");
    assert_error(try("git:v1..main", &plain), BILANX_E_USAGE,
                 "'v1..main' is not a single revision");
    assert_error(try("git:HEAD:version", &plain), BILANX_E_USAGE, "is not a single revision");
    assert_error(try("git:--all", &plain), BILANX_E_USAGE, "'--all' is not a revision");
    assert_error(try("git:merge-base:", &plain), BILANX_E_USAGE, "'' is not a revision");
    assert_error(try("git:", &plain), BILANX_E_USAGE, "nothing follows the prefix: git:REVISION");
    script("git checkout -q --orphan apart && git commit -qm Apart");
    assert_error(try("git:merge-base:main", &plain), BILANX_E_INPUT,
                 "HEAD and 'main' have no commit in common");
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    assert_int_equal(chdir(folder), 0);
    assert_error(try("git:HEAD", &plain), BILANX_E_INPUT, "not a git repository");
    AUTO(memory) char *path = mem_text(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    struct bilanx_error error = try("git:HEAD", &plain);
    setenv("PATH", path, 1);
    assert_error(error, BILANX_E_SYSTEM, "cannot find 'git' on the PATH: install it");
}

// In a separate namespace, where the cache is a disk of one megabyte. 0: the error was reported;
// 77: not possible here.
static int try_on_a_small_disk(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return 77;
    // Below a chroot, "/" is not a mount point; then nothing may be shared with others.
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 &&
        system("! grep -q shared: /proc/self/mountinfo") != 0)
        return 77;
    if (mkdir(cache, 0755) != 0 || mount("tmpfs", cache, "tmpfs", 0, "size=1m") != 0)
        return 77;
    struct bilanx_error error = try("git:HEAD", &plain);
    AUTO(memory) char *left = says("ls ../*cache/bilanx/revisions/*");
    return error.status == BILANX_E_INPUT && strstr(error.text, "cannot check it out in '") &&
                   strstr(error.text, "(the disk is full; set XDG_CACHE_HOME") &&
                   strcmp(left, "lock\n") == 0
               ? 0
               : 1;
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    script("head -c 3000000 /dev/urandom >large && git add . && git commit -qm Large");
    pid_t child = fork();
    if (child == 0)
        _exit(try_on_a_small_disk());
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip_because("no small disk can be made here");
    assert_int_equal(status, 0);
}

static void commits_between_two_revisions_follow_the_first_parent(void **state)
{
    (void)state;
    script(
        "git checkout -qb topic && for i in 3 4; do echo $i >version; git commit -qam \"No. $i\"; "
        "done && git checkout -q main && echo x >lib/file && git commit -qam Five && "
        "git merge -q -m Merge topic");
    AUTO(list) struct list commits = {0};
    assert_ok(revisions_between(&plain, "v1", "main", &commits));
    assert_int_equal(commits.count, 3);
    const char *const subjects[] = {"Second: \"quoted\"", "Five", "Merge"};
    for (size_t i = 0; i < commits.count; i++) {
        AUTO(memory) char *title = NULL;
        assert_ok(revision_title(&plain, commits.items[i], &title));
        assert_string_equal(title + 8, subjects[i]);
        assert_memory_equal(title, commits.items[i], 7);
    }
    AUTO(list) struct list none = {0};
    assert_ok(revisions_between(&plain, "main", "main", &none));
    assert_int_equal(none.count, 0);
    assert_error(revisions_between(&plain, "main", "v1", &none), BILANX_E_USAGE,
                 "'main' is not an ancestor of 'v1'");
    assert_error(revisions_between(&plain, "nosuch", "v1", &none), BILANX_E_INPUT, "nosuch");
}

static void old_checkouts_are_removed_unless_in_use(void **state)
{
    (void)state;
    AUTO(side) struct side used = {0};
    assert_ok(side_open("A", "git:v1", &plain, &used));
    script("cd ../*cache/bilanx/revisions && touch -d '3 days ago' */lock; for i in $(seq 30); do "
           "mkdir -p $i/tree/protected; "
           "touch $i/tree/protected/file $i/done $i/lock; chmod 500 $i/tree/protected; "
           "[ $i = 7 ] || touch -d '2 days ago' $i/lock; done");
    assert_ok(try("git:HEAD", &plain));
    AUTO(memory) char *left = says("cd ../*cache/bilanx/revisions && ls | wc -l; ls -d 7");
    assert_string_equal(left, "25\n7\n");  // 24, and the oldest, which is in use
    AUTO(memory) char *said = child_says(&used, "cat version");
    assert_string_equal(said, "1\n");
    script("chmod -R u+rwx ../*cache/bilanx/revisions");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_revision_is_checked_out_elsewhere),
        TEST(a_revision_can_be_named_in_many_ways),
        TEST(the_current_folder_is_the_same_in_the_checkout),
        TEST(git_dot_is_the_working_tree_as_it_is),
        TEST(a_revision_is_built_once),
        TEST(a_failed_build_is_not_kept),
        TEST(an_interrupted_build_is_repeated),
        TEST(concurrent_processes_share_one_build),
        TEST(a_build_sees_its_version_but_not_our_repository),
        TEST(hooks_are_not_run),
        TEST(repository_settings_apply_to_the_checkout),
        TEST(bare_shallow_and_linked_repositories_work),
        TEST(sha256_repositories_work),
        TEST(submodules_are_checked_out),
        TEST(a_submodule_without_its_commit_is_an_error),
        TEST(an_invalid_revision_is_an_error),
        TEST(a_full_disk_is_reported),
        TEST(commits_between_two_revisions_follow_the_first_parent),
        TEST(old_checkouts_are_removed_unless_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
