// own_cache: a cache folder for the tests of one program, so that they neither use nor change the
// user's.
#ifndef UNIT_OWN_CACHE_H
#define UNIT_OWN_CACHE_H

#include <stdlib.h>

#include "base/file.h"
#include "unit.h"

static char own_cache[] = "/tmp/bilanx-cache-XXXXXX";

// Setup and teardown of a test or group.
static inline int own_cache_begin(void **state)
{
    (void)state;
    strcpy(own_cache + strlen(own_cache) - 6, "XXXXXX");
    return mkdtemp(own_cache) && setenv("XDG_CACHE_HOME", own_cache, 1) == 0 &&
                   setenv("HOME", own_cache, 1) == 0
               ? 0
               : -1;
}

static inline int own_cache_end(void **state)
{
    (void)state;
    return file_remove_tree(own_cache) ? 0 : -1;
}

#endif
