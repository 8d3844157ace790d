// checkout: the files of one commit in a folder that is a repository of its own.
//
// It borrows the objects of the repository that the commit is from, and nothing is written there: a
// worktree of git's would leave an entry behind. Submodules that are there come along.
#ifndef AB_SIDES_CHECKOUT_H
#define AB_SIDES_CHECKOUT_H

#include "ab/sides/git.h"
#include "base/tell.h"

// `folder` is made; it is absolute. git runs in git->clean.
struct bilanx_error checkout_make(const struct git *git, const char *commit, const char *folder,
                                  const struct tell *tell);

#endif
