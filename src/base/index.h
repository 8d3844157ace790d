// index: where things are, by the hash of what they are. A content never leaves it.
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

// The place of `key`. A new key gets `place`, and `*added` says so.
size_t index_find_or_add(struct index *index, struct hash key, size_t place, bool *added);

// The place of `key`, or SIZE_MAX.
size_t index_find(const struct index *index, struct hash key);

#endif
