// temporary: folders that go with the process that made them.
//
// Their maker holds a lock on each, which the kernel releases however the process ends. One that
// nobody holds was left behind by a process that was killed: the next one to make a folder in the
// same place removes it, if it is the same user's.
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "base/scope.h"
#include "bilanx/error.h"

struct temporary {
    char *path;  // NULL: there is none
    int lock;
};

// Makes one in the folder `where`; NULL: in $TMPDIR, or /tmp. Nobody else can enter it.
struct bilanx_error temporary_init(struct temporary *temporary, const char *where);
void temporary_done(struct temporary *temporary);  // removes it with all that is in it
SCOPE_VALUE(temporary, temporary_done)

// Removes what was left behind in `where`; NULL as above.
void temporary_sweep(const char *where);

#endif
