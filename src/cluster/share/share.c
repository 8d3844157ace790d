// share: the part of a source's cases that one machine measures.
#include "share.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/mem.h"

struct bilanx_error share_take(const struct share *share, struct source *source)
{
    if (!portion_is_partial(&share->portion))
        return BILANX_SUCCESS;
    size_t count = source->cases.count;
    AUTO(memory) struct shard_item *items = NULL;
    AUTO(memory) bool *keep = mem_array(bool, count + 1);
    BILANX_TRY(case_groups(source, &share->costs, &items));
    BILANX_TRY(portion_choose(&share->portion, items, count, keep));
    return source_keep(source, keep);
}

struct bilanx_error share_follow(const struct source *first, struct source *source)
{
    if (!first->places)
        return BILANX_SUCCESS;
    AUTO(index) struct index names = {0};
    AUTO(memory) bool *keep = mem_array(bool, source->cases.count + 1);
    for (size_t i = 0; i < first->cases.count; i++) {
        bool added;
        index_find_or_add(&names, hash_of_text(first->cases.items[i].name), i, &added);
    }
    for (size_t i = 0; i < source->cases.count; i++)
        keep[i] = index_find(&names, hash_of_text(source->cases.items[i].name)) != SIZE_MAX;
    return source_keep(source, keep);
}
