// place: where the cache is, and whether it is ours.
//
// Code is loaded from it. So the folder must belong to this user, nobody else may write to it, it
// is no link, and nobody else can put another in its place: neither above it nor in it. It is made
// with mode 0700, whatever the umask.
//
// It is $XDG_CACHE_HOME/bilanx, or ~/.cache/bilanx, or /tmp/bilanx-UID where neither can be
// written. One that is there and not ours is not used: a temporary folder, which is removed when
// this process exits, stands in for it.
//
// Threads: one at a time.
#ifndef LANG_PLACE_H
#define LANG_PLACE_H

#include "base/surroundings.h"
#include "bilanx/error.h"

// What there is below it.
#define PLACE_OBJECTS "objects"      // what was compiled
#define PLACE_BUILDING "building"    // where compilers are at work
#define PLACE_REVISIONS "revisions"  // checkouts

// By the variables of the surroundings; NULL: ours. The caller frees the path, which is absolute
// and has no links in it.
struct bilanx_error place_find(const struct surroundings *surroundings, char **out);

// Whether a path that place_find() gave to this or another process is still ours.
struct bilanx_error place_check(const char *path);

// Who is to tell the user, once, that the usual folder is not used. Until then nobody does.
void place_tell_by(void (*tell)(const char *text));

#endif
