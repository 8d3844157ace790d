// index: open addressing, at most half full.
#include "index.h"

#include <stdint.h>
#include <stdlib.h>

#include "mem.h"

void index_done(struct index *index)
{
    free(index->slots);
    *index = (struct index){0};
}

// Returns the slot of a key, or the free slot where it belongs.
static struct index_slot *slot_of(const struct index *index, struct hash key)
{
    size_t at = key.a & (index->room - 1);
    while (index->slots[at].place &&
           (index->slots[at].key.a != key.a || index->slots[at].key.b != key.b))
        at = (at + 1) & (index->room - 1);
    return &index->slots[at];
}

static void grow(struct index *index)
{
    struct index grown = {.room = index->room ? 2 * index->room : 16, .count = index->count};
    grown.slots = mem_array(struct index_slot, grown.room);
    for (size_t i = 0; i < index->room; i++)
        if (index->slots[i].place)
            *slot_of(&grown, index->slots[i].key) = index->slots[i];
    free(index->slots);
    *index = grown;
}

size_t index_find_or_add(struct index *index, struct hash key, size_t place, bool *added)
{
    if (2 * (index->count + 1) > index->room)
        grow(index);
    struct index_slot *slot = slot_of(index, key);
    *added = slot->place == 0;
    if (*added) {
        *slot = (struct index_slot){key, place + 1};
        index->count++;
    }
    return slot->place - 1;
}

size_t index_find(const struct index *index, struct hash key)
{
    return index->room ? slot_of(index, key)->place - 1 : SIZE_MAX;
}
