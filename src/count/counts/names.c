// names: an index of functions, by open addressing over triples of pointers.
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

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
