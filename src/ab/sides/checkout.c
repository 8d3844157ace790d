// checkout: puts the files of one commit into a folder that is a separate repository.
#include "checkout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define ASK(git, directory, answer, ...) \
    git_ask(directory, &(git)->clean, (const char *const[]){__VA_ARGS__, NULL}, answer)

static struct bilanx_error add_to_file(const char *folder, const char *name, const char *text)
{
    AUTO(memory) char *path = mem_format("%s/.git/%s", folder, name);
    AUTO(file) FILE *file = fopen(path, "ae");
    if (!file || fputs(text, file) < 0 || fflush(file) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

static struct bilanx_error borrow_objects(const struct git *git, const char *folder)
{
    if (strchr(git->common, '\n'))
        return bilanx_error_make(BILANX_E_INPUT, "the repository's path contains a line break");
    AUTO(memory) char *alternates = mem_format("%s/objects\n", git->common);
    BILANX_TRY(add_to_file(folder, "objects/info/alternates", alternates));
    AUTO(memory) char *shallow_path = mem_format("%s/shallow", git->common);
    AUTO(text) struct text shallow = {0};
    if (git->shallow)
        BILANX_TRY(file_read(shallow_path, &shallow));
    return git->shallow ? add_to_file(folder, "shallow", text_get(&shallow)) : BILANX_SUCCESS;
}

// Copies settings that affect the files: line endings, filters, remotes. Hooks do not run.
static struct bilanx_error borrow_settings(const struct git *git, const char *folder)
{
    AUTO(text) struct text settings = {0};
    text_add(&settings, "[include]\n\tpath = \"");
    for (const char *c = git->common; *c; c++) {
        text_add(&settings, strchr("\\\"", *c) ? "\\" : "");
        text_add_char(&settings, *c);
    }
    text_add(&settings, "/config\"\n[core]\n\tbare = false\n\thooksPath = /dev/null\n"
                        "\tfsmonitor = false\n\tsparseCheckout = false\n[gc]\n\tauto = 0\n");
    return add_to_file(folder, "config", text_get(&settings));
}

// For builds that query git for their version.
static struct bilanx_error borrow_tags(const struct git *git, const char *folder)
{
    AUTO(text) struct text tags = {0};
    BILANX_TRY(ASK(git, git->common, &tags, "for-each-ref", "--format=%(objectname) %(refname)",
                   "refs/tags"));
    return add_to_file(folder, "packed-refs", text_get(&tags));
}

// Finds the submodule's repository: checked out, or stored in the git folder.
static bool find_submodule(const struct git *git, const char *name, const char *path,
                           struct git *out)
{
    AUTO(memory) char *checked_out = mem_format("%s/%s", git->top ? git->top : "", path);
    AUTO(memory) char *link = mem_format("%s/.git", checked_out);
    AUTO(memory) char *own = mem_format("%s/modules/%s", git->own, name);
    AUTO(memory) char *common = mem_format("%s/modules/%s", git->common, name);
    if (git->top && access(link, F_OK) == 0)
        return git_find(checked_out, &git->clean, out).status == BILANX_OK;
    if (strstr(name, ".."))
        return false;
    const char *put_away = access(own, F_OK) == 0 ? own : common;
    return access(put_away, F_OK) == 0 && git_find(put_away, &git->clean, out).status == BILANX_OK;
}

// `commit` stays NULL if the path is not a submodule in the checked-out commit.
static struct bilanx_error commit_of_submodule(const struct git *git, const char *folder,
                                               const char *path, char **commit)
{
    AUTO(text) struct text answer = {0};
    BILANX_TRY(ASK(git, folder, &answer, "ls-files", "--stage", "--", path));
    char hash[129];
    if (sscanf(text_get(&answer), "160000 %128s", hash) == 1)
        *commit = mem_text(hash);
    return BILANX_SUCCESS;
}

static struct bilanx_error make_submodule(const struct git *git, const char *name, const char *path,
                                          const char *folder, const struct tell *tell)
{
    AUTO(git) struct git submodule = {0};
    AUTO(memory) char *commit = NULL;
    AUTO(memory) char *inner = mem_format("%s/%s", folder, path);
    BILANX_TRY(commit_of_submodule(git, folder, path, &commit));
    if (!commit)
        return BILANX_SUCCESS;
    if (!find_submodule(git, name, path, &submodule)) {
        AUTO(memory) char *told = mem_format("submodule '%s' is left empty: it is not initialised "
                                             "(run 'git submodule update --init')",
                                             path);
        tell_line(tell, told);
        return BILANX_SUCCESS;
    }
    struct bilanx_error error = checkout_make(&submodule, commit, inner, tell);
    return error.status == BILANX_OK
               ? error
               : bilanx_error_make(error.status, "submodule '%s': %s", path, error.text);
}

// git config -z: "submodule.NAME.path", a newline, the path, a NUL.
static struct bilanx_error make_submodules(const struct git *git, const char *folder,
                                           const struct tell *tell)
{
    static const char BEFORE[] = "submodule.", AFTER[] = ".path";
    AUTO(memory) char *listed = mem_format("%s/.gitmodules", folder);
    AUTO(text) struct text answer = {0};
    if (access(listed, F_OK) != 0 || ASK(git, folder, &answer, "config", "-z", "--file", listed,
                                         "--get-regexp", "^submodule\\..*\\.path$")
                                             .status != BILANX_OK)
        return BILANX_SUCCESS;
    const char *end = text_get(&answer) + answer.size;
    for (const char *at = text_get(&answer); at < end; at += strlen(at) + 1) {
        const char *path = strchr(at, '\n');
        if (!path || !text_starts(at, BEFORE) ||
            (size_t)(path - at) <= strlen(BEFORE) + strlen(AFTER))
            continue;
        size_t size = (size_t)(path - at) - strlen(BEFORE) - strlen(AFTER);
        AUTO(memory) char *name = mem_text_n(at + strlen(BEFORE), size);
        BILANX_TRY(make_submodule(git, name, path + 1, folder, tell));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error checkout_make(const struct git *git, const char *commit, const char *folder,
                                  const struct tell *tell)
{
    AUTO(text) struct text said = {0};
    AUTO(memory) char *format = mem_format("--object-format=%s", git->format);
    BILANX_TRY(ASK(git, NULL, &said, "-c", "init.defaultBranch=none", "init", "--quiet",
                   "--template=", format, "--", folder));
    BILANX_TRY(borrow_objects(git, folder));
    BILANX_TRY(borrow_settings(git, folder));
    BILANX_TRY(borrow_tags(git, folder));
    BILANX_TRY(ASK(git, folder, &said, "-c", "advice.detachedHead=false", "checkout", "--quiet",
                   "--force", "--detach", commit, "--"));
    return make_submodules(git, folder, tell);
}
