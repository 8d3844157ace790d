// names: strings stored once each, so that equal names are equal pointers, and an index of
// functions by their three names.
#ifndef COUNTS_NAMES_H
#define COUNTS_NAMES_H

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

// The pool's copy of a text, the same pointer for equal texts; NULL stays NULL.
const char *name_pool_add(struct name_pool *names, const char *text);
const char *name_pool_add_n(struct name_pool *names, const char *text, size_t size);

// Identifies a function; members are NULL if unknown.
struct function_name {
    const char *file, *function, *object;
};

// Orders by file, function, object; NULL sorts first.
int function_name_compare(const struct function_name *a, const struct function_name *b);

struct function_index {
    struct function_name *names;
    size_t count, room;
    size_t *slots;  // index plus one; 0: free
    size_t slot_count;
};
void function_index_done(struct function_index *index);
SCOPE_VALUE(function_index, function_index_done)

// The function's index, from 0; adds it if new. All texts must be from the same struct name_pool.
size_t function_index_add(struct function_index *index, const struct function_name *name);

// Its index, or `count` if not found.
size_t function_index_find(const struct function_index *index, const struct function_name *name);

#endif
