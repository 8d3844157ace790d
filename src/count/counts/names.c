// names: open addressing, over strings and over triples of pointers to them.
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

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

static int compare_texts(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return a == b ? 0 : strcmp(a, b);
}

int function_name_compare(const struct function_name *a, const struct function_name *b)
{
    int order = compare_texts(a->file, b->file);
    if (order == 0)
        order = compare_texts(a->function, b->function);
    return order ? order : compare_texts(a->object, b->object);
}

void function_index_done(struct function_index *index)
{
    free(index->names);
    free(index->slots);
    *index = (struct function_index){0};
}

static size_t slot_of(const struct function_index *index, const struct function_name *name)
{
    struct hash hash = hash_start();
    uintptr_t pointers[] = {(uintptr_t)name->file, (uintptr_t)name->function,
                            (uintptr_t)name->object};
    hash_add(&hash, pointers, sizeof pointers);
    size_t slot = hash.a & (index->slot_count - 1);
    while (index->slots[slot]) {
        const struct function_name *there = &index->names[index->slots[slot] - 1];
        if (there->function == name->function && there->file == name->file &&
            there->object == name->object)
            break;
        slot = (slot + 1) & (index->slot_count - 1);
    }
    return slot;
}

static void spread(struct function_index *index)
{
    if (index->slot_count > 2 * index->count)
        return;
    free(index->slots);
    index->slot_count = index->slot_count ? 2 * index->slot_count : FIRST_SLOTS;
    index->slots = mem_array(size_t, index->slot_count);
    for (size_t i = 0; i < index->count; i++)
        index->slots[slot_of(index, &index->names[i])] = i + 1;
}

size_t function_index_find(const struct function_index *index, const struct function_name *name)
{
    size_t number = index->slot_count ? index->slots[slot_of(index, name)] : 0;
    return number ? number - 1 : index->count;
}

size_t function_index_add(struct function_index *index, const struct function_name *name)
{
    spread(index);
    size_t slot = slot_of(index, name);
    if (!index->slots[slot]) {
        mem_grow(index->names, index->count, &index->room);
        index->names[index->count++] = *name;
        index->slots[slot] = index->count;
    }
    return index->slots[slot] - 1;
}
