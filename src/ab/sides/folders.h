// folders: places under the cache that one process fills and many use.
//
// A folder that was filled has a file "done" in it, which is there all at once; one without is
// filled anew. Whoever fills or uses it holds a lock, which ends with its process.
#ifndef AB_SIDES_FOLDERS_H
#define AB_SIDES_FOLDERS_H

#include <stdbool.h>

#include "base/scope.h"
#include "base/tell.h"
#include "bilanx/error.h"

struct folder {
    char *path;  // "tree" and "log" in it are the filler's
    int lock;    // exclusive until it is filled, then shared
    bool filled;
};
void folder_done(struct folder *folder);  // others may fill or remove it from here on
SCOPE_VALUE(folder, folder_done)

// Waits for whoever fills it; `tell` gets a line on that. An unfilled one is empty but for a log.
struct bilanx_error folder_open(const char *root, const char *name, const struct tell *tell,
                                struct folder *out);

// Says that it is filled. `text` is for people who look at it.
struct bilanx_error folder_fill(struct folder *folder, const char *text);

// Removes those that were not used lately when there are many.
void folders_bound(const char *root);

#endif
