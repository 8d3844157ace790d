// git: queries a repository with the git on the PATH. Changes nothing in it.
#include "git.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "shell.h"
#include "side.h"

static const double GIT_TIMEOUT_S = 3600;  // a large tree on a slow disk
enum { HISTORY_LIMIT = 1000000 };          // bytes; safely below the limit of capture_run()

void git_done(struct git *git)
{
    free(git->directory);
    free(git->own);
    free(git->common);
    free(git->top);
    free(git->prefix);
    free(git->format);
    surroundings_done(&git->clean);
    *git = (struct git){0};
}

struct bilanx_error git_ask(const char *directory, const struct surroundings *surroundings,
                            const char *const *words, struct text *answer)
{
    AUTO(memory) char *program = surroundings_find_program(surroundings, "git");
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot find 'git' on the PATH: install it (apt-get install git)");
    AUTO(list) struct list argv = {0};
    list_add(&argv, program);
    for (; *words; words++)
        list_add(&argv, *words);
    AUTO(text) struct text output = {0};
    int status = 0;
    BILANX_TRY(capture_run(&(struct capture_options){.argv = (const char *const *)argv.items,
                                                     .surroundings = surroundings,
                                                     .directory = directory,
                                                     .timeout_s = GIT_TIMEOUT_S},
                           &output, &status));
    if (status != 0) {
        AUTO(text) struct text last = {0};
        shell_add_last_lines(&last, &output, 300);
        return bilanx_error_make(BILANX_E_INPUT, "git exited with status %d%s", status,
                                 text_get(&last));
    }
    text_add_n(answer, text_get(&output), output.size);
    return BILANX_SUCCESS;
}

#define ASK(directory, surroundings, answer, ...) \
    git_ask(directory, surroundings, (const char *const[]){__VA_ARGS__, NULL}, answer)

// The last lines of git's output; warnings come before them.
static struct bilanx_error last_lines(const struct text *answer, size_t count, struct list *lines,
                                      char ***last)
{
    list_split_lines(lines, text_get(answer));
    if (lines->count < count)
        return bilanx_error_make(BILANX_E_INPUT, "unexpected output of git: '%s'",
                                 text_get(answer));
    *last = lines->items + lines->count - count;
    return BILANX_SUCCESS;
}

static struct bilanx_error real_path(const char *directory, const char *path, char **out)
{
    AUTO(memory) char *joined =
        path[0] == '/' || !directory ? mem_text(path) : mem_format("%s/%s", directory, path);
    *out = realpath(joined, NULL);
    return *out ? BILANX_SUCCESS
                : bilanx_error_make(BILANX_E_SYSTEM, "cannot find '%s': %s", joined,
                                    strerror(errno));
}

static bool is_one_of(const char *variable, const struct list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t size = strlen(names->items[i]);
        if (size && strncmp(variable, names->items[i], size) == 0 && variable[size] == '=')
            return true;
    }
    return false;
}

// We may run in a git hook, where GIT_DIR selects the repository regardless of the directory.
static struct bilanx_error clean_surroundings(struct git *git,
                                              const struct surroundings *surroundings)
{
    AUTO(text) struct text answer = {0};
    AUTO(list) struct list names = {0}, kept = {0};
    BILANX_TRY(ASK(git->directory, surroundings, &answer, "rev-parse", "--local-env-vars"));
    list_split_lines(&names, text_get(&answer));
    for (char *const *variable = surroundings_variables(surroundings); *variable; variable++)
        if (!is_one_of(*variable, &names))
            list_add(&kept, *variable);
    return surroundings_init(&git->clean, &kept, NULL);
}

static struct bilanx_error find_working_tree(struct git *git,
                                             const struct surroundings *surroundings)
{
    AUTO(text) struct text inside = {0};
    AUTO(text) struct text answer = {0};
    AUTO(list) struct list lines = {0};
    char **last = NULL;
    BILANX_TRY(ASK(git->directory, surroundings, &inside, "rev-parse", "--is-inside-work-tree"));
    if (!strstr(text_get(&inside), "true")) {
        git->prefix = mem_text("");
        return BILANX_SUCCESS;
    }
    BILANX_TRY(ASK(git->directory, surroundings, &answer, "rev-parse", "--show-toplevel",
                   "--show-prefix"));
    BILANX_TRY(last_lines(&answer, 2, &lines, &last));
    git->top = mem_text(last[0]);
    size_t size = strlen(last[1]);
    git->prefix = size ? mem_format("/%.*s", (int)size - 1, last[1]) : mem_text("");
    return BILANX_SUCCESS;
}

struct bilanx_error git_find(const char *directory, const struct surroundings *surroundings,
                             struct git *out)
{
    AUTO(git) struct git git = {.directory = mem_text(directory)};
    AUTO(text) struct text answer = {0};
    AUTO(list) struct list lines = {0};
    char **last = NULL;
    BILANX_TRY(ASK(directory, surroundings, &answer, "rev-parse", "--git-dir", "--git-common-dir",
                   "--is-shallow-repository", "--show-object-format"));
    BILANX_TRY(last_lines(&answer, 4, &lines, &last));
    BILANX_TRY(real_path(directory, last[0], &git.own));
    BILANX_TRY(real_path(directory, last[1], &git.common));
    git.shallow = text_equal(last[2], "true");
    git.format = mem_text(last[3]);
    BILANX_TRY(find_working_tree(&git, surroundings));
    BILANX_TRY(clean_surroundings(&git, surroundings));
    *out = git;
    git = (struct git){0};
    return BILANX_SUCCESS;
}

static struct bilanx_error one_hash(const struct text *answer, char **commit)
{
    AUTO(list) struct list lines = {0};
    char **last = NULL;
    BILANX_TRY(last_lines(answer, 1, &lines, &last));
    *commit = mem_text(last[0]);
    return BILANX_SUCCESS;
}

static struct bilanx_error merge_base(const struct git *git, const char *branch, char **commit)
{
    AUTO(memory) char *tip = NULL;
    AUTO(text) struct text answer = {0};
    BILANX_TRY(git_resolve(git, branch, &tip));
    if (ASK(git->directory, NULL, &answer, "merge-base", "HEAD", tip).status == BILANX_OK)
        return one_hash(&answer, commit);
    return bilanx_error_make(BILANX_E_INPUT, "HEAD and '%s' have no commit in common%s", branch,
                             git->shallow ? " in this shallow clone (run 'git fetch --unshallow')"
                                          : "");
}

struct bilanx_error git_resolve(const struct git *git, const char *revision, char **commit)
{
    static const char BASE[] = "merge-base:";
    if (text_starts(revision, BASE))
        return merge_base(git, revision + strlen(BASE), commit);
    if (revision[0] == '-' || revision[0] == '\0')
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not a revision", revision);
    // git searches for any text after ":/", and the result is always a commit.
    const char *peeled = text_starts(revision, ":/") ? "" : "^{commit}";
    AUTO(memory) char *wanted = mem_format("%s%s", revision, peeled);
    AUTO(text) struct text answer = {0};
    if (ASK(git->directory, NULL, &answer, "rev-parse", "--verify", wanted).status == BILANX_OK)
        return one_hash(&answer, commit);
    // rev-parse says only "Needed a single revision"; this says what was wrong.
    BILANX_TRY(ASK(git->directory, NULL, &answer, "rev-list", "--max-count=1", revision, "--"));
    return bilanx_error_make(BILANX_E_USAGE, "'%s' is not a single revision", revision);
}

struct bilanx_error revision_title(const struct side_options *options, const char *revision,
                                   char **out)
{
    AUTO(text) struct text answer = {0};
    AUTO(list) struct list lines = {0};
    char **last = NULL;
    BILANX_TRY(ASK(options->repository, NULL, &answer, "rev-list", "--max-count=1",
                   "--format=%h %s", revision, "--"));
    BILANX_TRY(last_lines(&answer, 1, &lines, &last));
    AUTO(text) struct text title = {0};
    text_add_harmless(&title, last[0]);
    *out = text_take(&title);
    return BILANX_SUCCESS;
}

struct bilanx_error revisions_between(const struct side_options *options, const char *from,
                                      const char *to, struct list *commits)
{
    AUTO(git) struct git git = {0};
    AUTO(memory) char *first = NULL;
    AUTO(memory) char *last = NULL;
    AUTO(text) struct text base = {0};
    AUTO(text) struct text answer = {0};
    BILANX_TRY(git_find(options->repository, NULL, &git));
    BILANX_TRY(git_resolve(&git, from, &first));
    BILANX_TRY(git_resolve(&git, to, &last));
    if (ASK(git.directory, NULL, &base, "merge-base", "--is-ancestor", first, last).status !=
        BILANX_OK)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not an ancestor of '%s'%s", from, to,
                                 git.shallow ? " in this shallow clone" : "");
    AUTO(memory) char *range = mem_format("%s..%s", first, last);
    BILANX_TRY(
        ASK(git.directory, NULL, &answer, "rev-list", "--first-parent", "--reverse", range, "--"));
    if (answer.size > HISTORY_LIMIT)
        return bilanx_error_make(BILANX_E_USAGE, "too many commits from '%s' to '%s'", from, to);
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(&answer));
    for (size_t i = 0; i < lines.count; i++)
        if (strlen(lines.items[i]) == strlen(first) && !strchr(lines.items[i], ' '))
            list_add(commits, lines.items[i]);
    return BILANX_SUCCESS;
}
