// file_lock: lets one process at a time use a file.
#ifndef BASE_FILE_LOCK_H
#define BASE_FILE_LOCK_H

#include <stdbool.h>

#include "bilanx/error.h"

// Locks an open file until it is closed. If another process has the lock, the error names it:
// "CANNOT: process 42 (bilanx) DOES". File systems without locks are not an error.
struct bilanx_error file_lock(int fd, const char *cannot, const char *does);

// Returns whether `path` still names this open file: it may have been replaced or removed before
// the lock was taken.
bool file_lock_is_at(int fd, const char *path);

#endif
