#include "core/record/provenance.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-provenance-XXXXXX";

static void sh(const char *command)
{
    assert_int_equal(system(command), 0);
}

// Each test has a repository with two commits, the first of which is tagged.
static int make_repository(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0 || setenv("HOME", folder, 1) != 0)
        return -1;
    return system("git init -q -b trunk tool && cd tool && git config user.name x && "
                  "git config user.email x@x.test && echo 1 >a && git add a && "
                  "git commit -qm one && git tag v1 && echo 2 >a && git commit -qam two");
}

static int remove_repository(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(folder) ? 0 : -1;
}

static void assert_has(const char *git, const char *part)
{
    if (!git || !strstr(git, part))
        fail_msg("'%s' is not in '%s'", part, git ? git : "nothing");
}

static void a_commit_is_described(void **state)
{
    (void)state;
    AUTO(memory) char *git = provenance_of("tool", NULL);
    AUTO(memory) char *commit = provenance_text(git, "commit");
    AUTO(memory) char *check =
        mem_format("test \"$(git -C tool rev-parse HEAD)\" = '%s'", commit ? commit : "");
    sh(check);
    assert_has(git, "\"repository\":\"tool\"");
    assert_has(git, "\"describe\":\"v1-1-g");
    assert_has(git, "\"branch\":\"trunk\"");
    assert_has(git, "\"depth\":2");
    assert_has(git, "\"dirty\":false");
    assert_has(git, "\"time\":\"20");
}

static void changes_make_it_dirty_but_new_files_do_not(void **state)
{
    (void)state;
    sh("echo new >tool/new");
    AUTO(memory) char *clean = provenance_of("tool", NULL);
    assert_has(clean, "\"dirty\":false");
    sh("echo 3 >tool/a");
    AUTO(memory) char *dirty = provenance_of("tool", NULL);
    assert_has(dirty, "\"dirty\":true");
}

static void the_password_of_a_remote_is_left_out(void **state)
{
    (void)state;
    static const char *const addresses[][2] = {
        {"https://me:secret@host.test/a/b.git", "https://host.test/a/b.git"},
        {"https://host.test/a@b.git", "https://host.test/a@b.git"},
        {"git@host.test:a/b.git", "git@host.test:a/b.git"},
    };
    for (size_t i = 0; i < LENGTH(addresses); i++) {
        AUTO(memory) char *set =
            mem_format("cd tool && git config remote.origin.url '%s'", addresses[i][0]);
        AUTO(memory) char *expected = mem_format("\"repository\":\"%s\"", addresses[i][1]);
        sh(set);
        AUTO(memory) char *git = provenance_of("tool", NULL);
        assert_has(git, expected);
        assert_null(strstr(git, "secret"));
    }
}

static void a_shallow_clone_and_no_branch_have_neither(void **state)
{
    (void)state;
    sh("git clone -q --depth 1 file://$PWD/tool shallow && git -C shallow checkout -q --detach");
    AUTO(memory) char *git = provenance_of("shallow", NULL);
    assert_has(git, "\"commit\":\"");
    assert_null(strstr(git, "\"depth\""));
    assert_null(strstr(git, "\"branch\""));
}

static void without_a_commit_or_a_repository_there_is_nothing(void **state)
{
    (void)state;
    sh("git init -q empty && mkdir plain");
    assert_null(provenance_of("empty", NULL));
    assert_null(provenance_of("plain", NULL));
}

static void nothing_that_the_repository_names_is_run(void **state)
{
    (void)state;
    sh("cd tool && printf '#!/bin/sh\\ntouch %s/ran\\n' $HOME >evil && chmod +x evil && "
       "git config core.fsmonitor $PWD/evil && mkdir -p hooks && cp evil hooks/post-index-change "
       "&& "
       "git config core.hooksPath $PWD/hooks");
    AUTO(memory) char *git = provenance_of("tool", NULL);
    assert_has(git, "\"dirty\":false");
    assert_int_not_equal(access("ran", F_OK), 0);
}

static void a_remote_without_a_name_at_its_end_is_kept(void **state)
{
    (void)state;
    static const char *const addresses[][2] = {
        {"https://host.test:8080/a.git", "https://host.test:8080/a.git"},
        {"ssh://git@host.test/a.git", "ssh://host.test/a.git"},
        {"file:///srv/a@b/c", "file:///srv/a@b/c"},
    };
    for (size_t i = 0; i < LENGTH(addresses); i++) {
        AUTO(memory) char *set =
            mem_format("cd tool && git config remote.origin.url '%s'", addresses[i][0]);
        AUTO(memory) char *expected = mem_format("\"repository\":\"%s\"", addresses[i][1]);
        sh(set);
        AUTO(memory) char *git = provenance_of("tool", NULL);
        assert_has(git, expected);
    }
}

static void a_commit_without_tags_has_no_description(void **state)
{
    (void)state;
    sh("cd tool && git tag -d v1 >/dev/null");
    AUTO(memory) char *git = provenance_of("tool", NULL);
    assert_has(git, "\"branch\":\"trunk\"");
    assert_null(strstr(git, "describe"));
    AUTO(memory) char *absent = provenance_text(git, "describe");
    assert_null(absent);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_repository, remove_repository)
    const struct CMUnitTest tests[] = {
        TEST(a_commit_is_described),
        TEST(changes_make_it_dirty_but_new_files_do_not),
        TEST(the_password_of_a_remote_is_left_out),
        TEST(a_shallow_clone_and_no_branch_have_neither),
        TEST(without_a_commit_or_a_repository_there_is_nothing),
        TEST(nothing_that_the_repository_names_is_run),
        TEST(a_remote_without_a_name_at_its_end_is_kept),
        TEST(a_commit_without_tags_has_no_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
