// portion: decides which of a list of items one machine measures.
#include "portion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "ranges.h"

bool portion_is_partial(const struct portion *portion)
{
    return portion->shard || portion->cases;
}

static struct bilanx_error read_positions(const char *path, size_t count, bool *keep)
{
    AUTO(text) struct text text = {0};
    AUTO(ranges) struct ranges ranges = {0};
    if (isdigit((unsigned char)path[0]) && access(path, F_OK) != 0)
        text_add(&text, path);
    else
        BILANX_TRY(file_read(path, &text));
    while (text.size && strchr(" \n", text.data[text.size - 1]))
        text.data[--text.size] = '\0';
    struct bilanx_error error = ranges_parse(text_get(&text), &ranges);
    if (error.status != BILANX_OK)
        return bilanx_error_make(error.status, "%s: %s", path, error.text);
    for (size_t i = 0; i < ranges.count; i++)
        for (uint64_t at = ranges.items[i].from; at <= ranges.items[i].to;
             at += ranges.items[i].step) {
            if (at < 1 || at > count)
                return bilanx_error_make(BILANX_E_INPUT,
                                         "%s: there is no case %llu: this suite has %zu cases",
                                         path, (unsigned long long)at, count);
            keep[at - 1] = true;
        }
    return BILANX_SUCCESS;
}

// Divides only the kept items, so that a second round divides only the missing ones.
static void keep_shard(const struct shard *shard, const struct shard_item *items, size_t count,
                       bool *keep)
{
    AUTO(memory) struct shard_item *chosen = mem_array(struct shard_item, count + 1);
    AUTO(memory) uint32_t *shards = mem_array(uint32_t, count + 1);
    AUTO(memory) size_t *renamed = mem_array(size_t, count + 1);  // group, plus 1
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!keep[i])
            continue;
        if (!renamed[items[i].group])
            renamed[items[i].group] = kept + 1;
        chosen[kept++] = (struct shard_item){items[i].cost, renamed[items[i].group] - 1};
    }
    shards_cut(chosen, kept, shard, shards);
    for (size_t i = 0, at = 0; i < count; i++)
        if (keep[i])
            keep[i] = shards[at++] == shard->index;
}

struct bilanx_error portion_choose(const struct portion *portion, const struct shard_item *items,
                                   size_t count, bool *keep)
{
    struct shard shard = {0};
    if (portion->shard)
        BILANX_TRY(shard_parse(portion->shard, &shard));
    for (size_t i = 0; i < count; i++)
        keep[i] = !portion->cases;
    if (portion->cases)
        BILANX_TRY(read_positions(portion->cases, count, keep));
    if (portion->shard)
        keep_shard(&shard, items, count, keep);
    return BILANX_SUCCESS;
}
