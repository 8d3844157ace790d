// owner: checks whether other users could replace the file at a path.
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>

#include "base/text.h"

// Whether no other user can replace this folder or any of its parents. `real` is absolute and
// contains no links; a missing folder is not safe. If others can, `why` says where.
bool owner_is_only_one(const char *real, struct text *why);

#endif
