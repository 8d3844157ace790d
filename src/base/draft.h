// draft: a file that replaces another as a whole, or not at all.
//
// It is written beside the other and renamed, so a kill or a full disk leaves the other as it was.
//
//     AUTO(draft) struct draft draft = {0};
//     BILANX_TRY(draft_open("out.json", &draft));
//     fputs(text, draft.file);
//     return draft_commit(&draft);
#ifndef BASE_DRAFT_H
#define BASE_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct draft {
    FILE *file;
    char *name;   // for messages
    char *aside;  // path of the draft; NULL: `file` is the user's file itself
    char *target;
    bool fresh;  // must not replace anything
    FILE *held;  // keeps the lock of the file that is replaced; may be NULL
};

// Returns where a path leads, also if there is no file yet. The caller frees it.
char *draft_target(const char *path);

// A link stays, and its target is replaced; the mode stays as well. Pipes and devices are written
// to as they are, and "-" is stdout.
struct bilanx_error draft_open(const char *path, struct draft *out);

// Puts the draft in place, without closing it.
struct bilanx_error draft_place(struct draft *draft);

// The same, and closes it.
struct bilanx_error draft_commit(struct draft *draft);

// Closes the draft, and removes it unless it was put in place.
void draft_done(struct draft *draft);
SCOPE_VALUE(draft, draft_done)

#endif
