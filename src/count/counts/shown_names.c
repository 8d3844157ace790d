// shown_names: the functions of two sides, named as people read them.
//
// Without debug information a function is named by its object, "crc32_bytes (prog)". But sides are
// often two objects, such as "old" and "new": named by those, every function would vanish and
// another one appear. So a function that each side has only once is named alike.
#include "shown_names.h"

#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/record/function_label.h"

// Where the functions of one name are.
struct namesakes {
    size_t count[2];  // on each side
    const struct bilanx_function_count *last[2];
};

struct namesake_index {
    struct index index;
    struct namesakes *items;
    size_t count, room;
};

static void namesake_index_done(struct namesake_index *index)
{
    index_done(&index->index);
    free(index->items);
}
SCOPE_VALUE(namesake_index, namesake_index_done)

static struct namesakes *namesakes_of(struct namesake_index *index,
                                      const struct bilanx_function_count *item)
{
    struct hash key = hash_start();
    bool added = false;
    hash_add_text(&key, item->function ? item->function : "");
    size_t at = index_find_or_add(&index->index, key, index->count, &added);
    if (added) {
        mem_grow(index->items, index->count, &index->room);
        index->items[index->count++] = (struct namesakes){0};
    }
    return &index->items[at];
}

static void add_side(struct namesake_index *index, const struct bilanx_functions *functions,
                     bool after)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct namesakes *namesakes = namesakes_of(index, &functions->items[i]);
        namesakes->count[after]++;
        namesakes->last[after] = &functions->items[i];
    }
}

// The function that names one on both sides: if only one of them knows the file, that one.
static const struct bilanx_function_count *namer_of(struct namesake_index *index,
                                                    const struct bilanx_function_count *item)
{
    const struct namesakes *namesakes = namesakes_of(index, item);
    if (!item->function || namesakes->count[0] != 1 || namesakes->count[1] != 1)
        return item;
    bool known[] = {function_file_is_known(namesakes->last[0]->file),
                    function_file_is_known(namesakes->last[1]->file)};
    return known[0] && known[1] ? item : namesakes->last[known[1] || !known[0]];
}

static struct bilanx_functions show(const struct bilanx_functions *functions,
                                    struct namesake_index *index)
{
    struct tally tally;
    tally_start(&tally);
    AUTO(text) struct text name = {0};
    for (size_t i = 0; i < functions->count; i++) {
        const struct bilanx_function_count *item = &functions->items[i];
        const struct bilanx_function_count *namer = index ? namer_of(index, item) : item;
        text_clear(&name);
        function_add_name(&name, namer->function, namer->file, namer->object);
        *tally_count(&tally, NULL, text_get(&name), NULL) += item->count;
    }
    return tally_finish(&tally, functions->inclusive);
}

void functions_show(const struct bilanx_functions *before, const struct bilanx_functions *after,
                    bool standardize, struct bilanx_functions *shown_before,
                    struct bilanx_functions *shown_after)
{
    if (!standardize) {
        *shown_before = show(before, NULL);
        *shown_after = show(after, NULL);
        return;
    }
    AUTO(bilanx_functions) struct bilanx_functions left = functions_standardized_in_objects(before);
    AUTO(bilanx_functions) struct bilanx_functions right = functions_standardized_in_objects(after);
    AUTO(namesake_index) struct namesake_index index = {0};
    add_side(&index, &left, false);
    add_side(&index, &right, true);
    *shown_before = show(&left, &index);
    *shown_after = show(&right, &index);
}
