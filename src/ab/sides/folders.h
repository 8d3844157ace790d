// folders: folders in the cache that one process fills and many use.
//
// A filled folder contains a file "done", created atomically; a folder without it is filled again.
// Processes that fill or use a folder hold a lock, which is released when they exit.
#ifndef AB_SIDES_FOLDERS_H
#define AB_SIDES_FOLDERS_H

#include <stdbool.h>

#include "base/scope.h"
#include "base/tell.h"
#include "bilanx/error.h"

struct folder {
    char *path;  // the creator owns "tree" and "log" in it
    int lock;    // exclusive until filled, then shared
    bool filled;
};
void folder_done(struct folder *folder);  // afterwards others may fill or remove it
SCOPE_VALUE(folder, folder_done)

// Waits while another process fills it, and reports that through `tell`. An unfilled folder is
// empty except for a log.
struct bilanx_error folder_open(const char *root, const char *name, const struct tell *tell,
                                struct folder *out);

// Marks it as filled. `text` is for people who look at it.
struct bilanx_error folder_fill(struct folder *folder, const char *text);

// If there are many, removes those not used recently.
void folders_bound(const char *root);

#endif
