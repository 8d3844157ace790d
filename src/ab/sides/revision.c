// revision: a commit, checked out and built once in a cache folder.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/place.h"
#include "checkout.h"
#include "folders.h"
#include "git.h"
#include "shell.h"
#include "side_kinds.h"
#include "support/digest/digest.h"

// Variables that affect a build besides its command.
static const char *const heeded[] = {"AR",       "CC",      "CFLAGS",    "CPPFLAGS", "CXX",
                                     "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "PATH",     "SHELL"};

struct revision {
    const struct side *side;
    const struct side_options *options;
    struct git git;
    const char *commit;
    struct folder folder;
    char *tree;   // inside the folder
    char *place;  // inside the tree, corresponding to the working directory
};

static void revision_done(struct revision *revision)
{
    git_done(&revision->git);
    folder_done(&revision->folder);
    free(revision->tree);
    free(revision->place);
}
SCOPE_VALUE(revision, revision_done)

static char *name_of(const struct revision *revision)
{
    AUTO(digester) struct digester *digester = digester_new();
    digester_add_text(digester, "2");  // version of the folder's contents
    digester_add_text(digester, revision->git.common);
    digester_add_text(digester, revision->commit);
    digester_add_text(digester, revision->options->build);
    if (revision->options->build) {
        digester_add_text(digester, revision->git.prefix);
        for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++)
            digester_add_text(digester, getenv(heeded[i]));
    }
    struct digest digest = digester_get(digester);
    char text[DIGEST_TEXT];
    return mem_format("%.12s-%.16s", revision->commit, digest_text(&digest, text));
}

static struct bilanx_error build_failed(int status, const struct text *output, const char *log)
{
    AUTO(text) struct text last = {0};
    AUTO(memory) char *where = log ? mem_format(" (log: %s)", log) : mem_text("");
    shell_add_last_lines(&last, output, 240);
    return bilanx_error_make(BILANX_E_EXITED, "the build exited with status %d%s%s", status, where,
                             text_get(&last));
}

static struct bilanx_error build_in(const char *place, const struct git *git,
                                    const struct side_options *options, const char *log)
{
    AUTO(fd) int fd =
        log ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (log && fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", log, strerror(errno));
    AUTO(text) struct text output = {0};
    int status = 0;
    struct shell_job job = {.text = options->build,
                            .directory = place,
                            .surroundings = &git->clean,
                            .log = fd > 0 ? fd : 0};
    BILANX_TRY(shell_run(&job, &output, &status));
    return status == 0 ? BILANX_SUCCESS : build_failed(status, &output, log);
}

// git does not say why it cannot write a file.
static const char *hint_on_space(const char *folder)
{
    return file_disk_is_full(folder) ? " (the disk is full; set XDG_CACHE_HOME to use another)"
                                     : "";
}

static struct bilanx_error check_out(struct revision *revision)
{
    struct bilanx_error error =
        checkout_make(&revision->git, revision->commit, revision->tree, &revision->options->tell);
    if (error.status == BILANX_OK)
        return error;
    const char *hint = hint_on_space(revision->folder.path);
    file_remove_tree(revision->tree);
    return bilanx_error_make(error.status, "cannot check it out in '%s'%s: %s",
                             revision->folder.path, hint, error.text);
}

static struct bilanx_error fill(struct revision *revision)
{
    const char *build = revision->options->build;
    AUTO(memory) char *log = mem_format("%s/log", revision->folder.path);
    AUTO(memory) char *told =
        mem_format("side %s: checking out%s %s (log: %s)", revision->side->name,
                   build ? " and building" : "", revision->side->title, log);
    if (build)
        tell_line(&revision->options->tell, told);
    BILANX_TRY(check_out(revision));
    if (access(revision->place, X_OK) != 0)
        return bilanx_error_make(BILANX_E_INPUT, "this revision has no folder '%s'",
                                 revision->git.prefix + 1);
    if (build)
        BILANX_TRY(build_in(revision->place, &revision->git, revision->options, log));
    AUTO(memory) char *text =
        mem_format("repository %s\ncommit %s\nbuild %s\n", revision->git.common, revision->commit,
                   build ? build : "");
    return folder_fill(&revision->folder, text);
}

// Our own surroundings, except for the directory, set as a shell would.
static struct bilanx_error surround(struct side *side, const struct git *git, const char *place)
{
    AUTO(list) struct list variables = {0};
    for (size_t i = 0; i < git->clean.variables.count; i++)
        if (!text_starts(git->clean.variables.items[i], "PWD="))
            list_add(&variables, git->clean.variables.items[i]);
    list_take(&variables, mem_format("PWD=%s", place));
    return surroundings_init(&side->surroundings, &variables, place);
}

static struct bilanx_error open_tree_as_it_is(struct side *side, const struct git *git,
                                              const struct side_options *options)
{
    if (!git->top)
        return bilanx_error_make(BILANX_E_USAGE, "this repository has no working tree");
    side->title = mem_text("working tree");
    AUTO(memory) char *told = mem_format("side %s: building in the working tree", side->name);
    if (options->build) {
        tell_line(&options->tell, told);
        BILANX_TRY(build_in(options->repository, git, options, NULL));
    }
    AUTO(memory) char *place = mem_format("%s%s", git->top, git->prefix);
    return surround(side, git, place);
}

static struct bilanx_error open_commit(struct side *side, struct revision *revision)
{
    AUTO(memory) char *cache = NULL;
    AUTO(memory) char *name = name_of(revision);
    BILANX_TRY(place_find(NULL, &cache));
    AUTO(memory) char *root = mem_format("%s/%s", cache, PLACE_REVISIONS);
    BILANX_TRY(folder_open(root, name, &revision->options->tell, &revision->folder));
    revision->tree = mem_format("%s/tree", revision->folder.path);
    revision->place = mem_format("%s%s", revision->tree, revision->git.prefix);
    if (!revision->folder.filled) {
        BILANX_TRY(fill(revision));
        folders_bound(root);
    }
    BILANX_TRY(surround(side, &revision->git, revision->place));
    side->tree = mem_text(revision->tree);
    side->lock = revision->folder.lock;
    revision->folder.lock = 0;
    return BILANX_SUCCESS;
}

// "v1.9.2: 1a2b3c4 subject"; a hash needs no repeating.
static void add_name(struct side *side, const char *typed)
{
    if (strncmp(side->commit, typed, strlen(typed)) == 0)
        return;
    char *title = mem_format("%s: %s", typed, side->title);
    free(side->title);
    side->title = title;
}

struct bilanx_error revision_open(struct side *side, const char *rest,
                                  const struct side_options *options)
{
    AUTO(revision) struct revision revision = {.side = side, .options = options};
    BILANX_TRY(git_find(options->repository, NULL, &revision.git));
    if (text_equal(rest, "."))
        return open_tree_as_it_is(side, &revision.git, options);
    BILANX_TRY(git_resolve(&revision.git, rest, &side->commit));
    BILANX_TRY(revision_title(options, side->commit, &side->title));
    add_name(side, rest);
    revision.commit = side->commit;
    return open_commit(side, &revision);
}
