// names: an index of functions by their three names.
#ifndef COUNTS_NAMES_H
#define COUNTS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/name_pool.h"

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
