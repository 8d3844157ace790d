// index: maps the hash of a content to its place. Entries are never removed.
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stdbool.h>

#include "base/hash.h"
#include "base/scope.h"

struct index {
    struct index_slot {
        struct hash key;
        size_t place;  // plus 1; 0: the slot is free
    } *slots;
    size_t room, count;
};
void index_done(struct index *index);
SCOPE_VALUE(index, index_done)

// Returns the place of `key`. A new key is added with `place`, and sets `*added`.
size_t index_find_or_add(struct index *index, struct hash key, size_t place, bool *added);

// Returns the place of `key`, or SIZE_MAX.
size_t index_find(const struct index *index, struct hash key);

#endif
