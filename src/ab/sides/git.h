// git: queries a repository with the git on the PATH. Changes nothing in it.
#ifndef AB_SIDES_GIT_H
#define AB_SIDES_GIT_H

#include <stdbool.h>

#include "base/surroundings.h"
#include "base/text.h"

struct git {
    char *directory;     // where git runs; NULL: the current directory
    char *own, *common;  // absolute: its git folder, and the one shared by its worktrees
    char *top;           // working tree, absolute; NULL: none
    char *prefix;        // of `directory` within top: "" or "/lib"
    char *format;        // hash format: "sha1"
    bool shallow;        // history is truncated
    // The original surroundings, without the variables that select a repository.
    struct surroundings clean;
};
void git_done(struct git *git);
SCOPE_VALUE(git, git_done)

// Uses the git of the surroundings; NULL: of this process.
struct bilanx_error git_find(const char *directory, const struct surroundings *surroundings,
                             struct git *out);

// Runs git with `words`, which end in NULL, and appends its output. `directory` NULL: that of the
// surroundings; `surroundings` NULL: this process. On failure the error quotes git's message. See
// capture_run() for the output limit.
struct bilanx_error git_ask(const char *directory, const struct surroundings *surroundings,
                            const char *const *words, struct text *answer);

// Returns the full hash of the commit that `revision` names, which may be "merge-base:BRANCH".
struct bilanx_error git_resolve(const struct git *git, const char *revision, char **commit);

#endif
