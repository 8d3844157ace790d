// place: finds the cache folder and checks that it is safe to use.
//
// Code is loaded from it. So it must belong to this user, must not be writable by others or be a
// link, and no other user may be able to replace it or anything in it. It is created with mode 0700
// regardless of the umask.
//
// The folder is $XDG_CACHE_HOME/bilanx, or ~/.cache/bilanx, or /tmp/bilanx-UID if neither is
// writable. If an existing folder is unsafe, a temporary one is used instead and removed when this
// process exits.
//
// Not thread-safe.
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include "base/surroundings.h"
#include "bilanx/error.h"

// Folders below it.
#define PLACE_OBJECTS "objects"      // compiled objects
#define PLACE_BUILDING "building"    // builds in progress
#define PLACE_REVISIONS "revisions"  // checkouts

// Uses the variables of the surroundings; NULL: of this process. The caller frees the path, which
// is absolute and free of links.
struct bilanx_error place_find(const struct surroundings *surroundings, char **out);

// Checks that a path returned by place_find(), in this or another process, is still safe.
struct bilanx_error place_check(const char *path);

// Sets the function that reports, once, that the usual folder is not used. Until then nothing is
// reported.
void place_tell_by(void (*tell)(const char *text));

#endif
