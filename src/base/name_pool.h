// name_pool: strings stored once each, so that equal names are equal pointers.
#ifndef BASE_NAME_POOL_H
#define BASE_NAME_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct name_pool {
    struct name_block *blocks;
    struct name_slot {
        uint64_t hash;
        const char *text;  // NULL: free
    } *slots;
    size_t count, room;
};
void name_pool_done(struct name_pool *names);
SCOPE_VALUE(name_pool, name_pool_done)

// Returns the pool's copy of a text, the same pointer for equal texts; NULL stays NULL.
const char *name_pool_add(struct name_pool *names, const char *text);
const char *name_pool_add_n(struct name_pool *names, const char *text, size_t size);

#endif
