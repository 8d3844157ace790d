// git: what a repository says of itself, by the git of the PATH. Nothing in it is changed.
#ifndef AB_SIDES_GIT_H
#define AB_SIDES_GIT_H

#include <stdbool.h>

#include "base/surroundings.h"
#include "base/text.h"

struct git {
    char *directory;     // where git is asked; NULL: here
    char *own, *common;  // absolute: its folder, and the one its worktrees share
    char *top;           // of its working tree, absolute; NULL: there is none
    char *prefix;        // of `directory` in that: "" or "/lib"
    char *format;        // of its hashes: "sha1"
    bool shallow;        // its history is cut off
    // Those that git was found in, without the variables that say which repository it is in.
    struct surroundings clean;
};
void git_done(struct git *git);
SCOPE_VALUE(git, git_done)

// By the git of the surroundings; NULL: ours.
struct bilanx_error git_find(const char *directory, const struct surroundings *surroundings,
                             struct git *out);

// Runs git with `words`, which end in NULL, in a directory and its repository, and appends what it
// prints. `directory` may be NULL, for that of the surroundings, and these for ours. When it fails
// the error is in git's own words. capture_run() says how much it keeps.
struct bilanx_error git_ask(const char *directory, const struct surroundings *surroundings,
                            const char *const *words, struct text *answer);

// The whole hash of the one commit that `revision` names, also as "merge-base:BRANCH".
struct bilanx_error git_resolve(const struct git *git, const char *revision, char **commit);

#endif
