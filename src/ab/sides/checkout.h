// checkout: puts the files of one commit into a folder that is a separate repository.
//
// It borrows objects from the original repository and writes nothing there; a git worktree would
// leave an entry behind. Submodules are included if present.
#ifndef AB_SIDES_CHECKOUT_H
#define AB_SIDES_CHECKOUT_H

#include "ab/sides/git.h"
#include "base/tell.h"

// Creates `folder`, an absolute path. git runs in git->clean.
struct bilanx_error checkout_make(const struct git *git, const char *commit, const char *folder,
                                  const struct tell *tell);

#endif
