// name_pool: open addressing, over strings in blocks.
#include "name_pool.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "mem.h"

enum { BLOCK = 1 << 16, FIRST_SLOTS = 64 };

struct name_block {
    struct name_block *next;
    size_t used, room;
    char bytes[];
};

void name_pool_done(struct name_pool *names)
{
    while (names->blocks) {
        struct name_block *next = names->blocks->next;
        free(names->blocks);
        names->blocks = next;
    }
    free(names->slots);
    *names = (struct name_pool){0};
}

static const char *keep(struct name_pool *names, const char *text, size_t size)
{
    struct name_block *block = names->blocks;
    if (!block || block->room - block->used <= size) {
        size_t room = size + 1 > BLOCK ? size + 1 : BLOCK;
        block = mem_zeroed(1, sizeof *block + room);
        block->room = room;
        block->next = names->blocks;
        names->blocks = block;
    }
    char *kept = block->bytes + block->used;
    memcpy(kept, text, size);
    kept[size] = '\0';
    block->used += size + 1;
    return kept;
}

static struct name_slot *find(const struct name_pool *names, uint64_t hash, const char *text,
                              size_t size)
{
    for (size_t i = hash;; i++) {
        struct name_slot *slot = &names->slots[i & (names->room - 1)];
        if (!slot->text || (slot->hash == hash && strncmp(slot->text, text, size) == 0 &&
                            slot->text[size] == '\0'))
            return slot;
    }
}

static void make_room(struct name_pool *names)
{
    if (names->room > 2 * names->count)
        return;
    struct name_slot *old = names->slots;
    size_t old_room = names->room;
    names->room = old_room ? 2 * old_room : FIRST_SLOTS;
    names->slots = mem_array(struct name_slot, names->room);
    for (size_t i = 0; i < old_room; i++) {
        size_t at = old[i].hash & (names->room - 1);
        if (!old[i].text)
            continue;
        while (names->slots[at].text)
            at = (at + 1) & (names->room - 1);
        names->slots[at] = old[i];
    }
    free(old);
}

const char *name_pool_add_n(struct name_pool *names, const char *text, size_t size)
{
    make_room(names);
    struct hash hash = hash_start();
    hash_add(&hash, text, size);
    struct name_slot *slot = find(names, hash.a, text, size);
    if (!slot->text) {
        *slot = (struct name_slot){hash.a, keep(names, text, size)};
        names->count++;
    }
    return slot->text;
}

const char *name_pool_add(struct name_pool *names, const char *text)
{
    return text ? name_pool_add_n(names, text, strlen(text)) : NULL;
}
