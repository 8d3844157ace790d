// names: texts that are kept once each, so that equal names are equal pointers, and an index of
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

// The names' own copy of a text, the same for equal texts; NULL stays NULL.
const char *name_pool_add(struct name_pool *names, const char *text);
const char *name_pool_add_n(struct name_pool *names, const char *text, size_t size);

// What names a function; each NULL where it is not known.
struct function_name {
    const char *file, *function, *object;
};

// Orders by file, function, object; NULL before every text.
int function_name_compare(const struct function_name *a, const struct function_name *b);

struct function_index {
    struct function_name *names;
    size_t count, room;
    size_t *slots;  // one more than an index; 0: free
    size_t slot_count;
};
void function_index_done(struct function_index *index);
SCOPE_VALUE(function_index, function_index_done)

// The function's number, from 0; a new one is added. Its texts must be of one struct name_pool.
size_t function_index_add(struct function_index *index, const struct function_name *name);

// Its number, or `count` when it is not there.
size_t function_index_find(const struct function_index *index, const struct function_name *name);

#endif
