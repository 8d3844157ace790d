// trust: folders in which bilanx may use files that name programs, although the user did not name
// these files.
//
// A file that is found, such as .bilanx/cluster.yaml, may have come with a cloned repository. It
// runs or names a program only if its folder was allowed once, by `bilanx trust FOLDER`. Ownership
// does not help: a clone belongs to the user, too.
//
// The list is a file of absolute paths, one per line: $XDG_CONFIG_HOME/bilanx/trusted, or
// ~/.config/bilanx/trusted. It is used only if no other user can write to it.
#ifndef BASE_TRUST_H
#define BASE_TRUST_H

#include <stdbool.h>

#include "base/list.h"
#include "base/text.h"
#include "bilanx/error.h"

// Whether the folder was allowed. `why`, if it is not NULL, gets the reason if the list cannot be
// used.
bool trust_has(const char *folder, struct text *why);

// Adds the folder, or removes it. *changed is false if it was there, or was not.
struct bilanx_error trust_add(const char *folder, bool *changed);
struct bilanx_error trust_remove(const char *folder, bool *changed);

// All folders, in the order in which they were added.
struct bilanx_error trust_list(struct list *out);

#endif
