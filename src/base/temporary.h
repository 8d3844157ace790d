// temporary: directories that disappear with the process that made them.
//
// The creator holds a lock on each directory, which the kernel releases however the process ends.
// If nobody holds the lock, the directory was left behind by a killed process. It is removed by the
// next process of the same user that creates one in the same place.
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "base/scope.h"
#include "bilanx/error.h"

struct temporary {
    char *path;  // NULL: none
    int lock;
};

// Creates a directory in `where`; NULL: in $TMPDIR, or /tmp. No other user can enter it.
struct bilanx_error temporary_init(struct temporary *temporary, const char *where);
void temporary_done(struct temporary *temporary);  // removes it with its contents
SCOPE_VALUE(temporary, temporary_done)

// Removes directories left behind in `where`; NULL as above.
void temporary_sweep(const char *where);

#endif
