// share: the part of a source's cases that one machine measures.
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"

// Covers only the suite's text, so it is equal on every machine.
char *share_digest(const struct source *source)
{
    struct hash all = hash_start();
    for (size_t i = 0; i < source->cases.count; i++) {
        const struct run_case *one = &source->cases.items[i];
        const char *const texts[] = {one->name, one->task.stmt, one->task.setup,
                                     one->task.global_setup};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            hash_add_text(&all, texts[k]);
    }
    return mem_format("%016llx%016llx", (unsigned long long)all.a, (unsigned long long)all.b);
}

// Positions are meaningless in a suite that was edited since.
static struct bilanx_error check_digest(const struct source *source)
{
    const char *wanted = getenv(PORTION_DIGEST);
    AUTO(memory) char *digest = share_digest(source);
    if (!wanted || strcmp(wanted, digest) == 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_INPUT,
                             "the cases here are not those that the run was started with: its "
                             "suite has changed since, or is another one on this machine");
}

struct bilanx_error share_take(const struct share *share, struct source *source)
{
    if (!portion_is_partial(&share->portion))
        return BILANX_SUCCESS;
    BILANX_TRY(check_digest(source));
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
