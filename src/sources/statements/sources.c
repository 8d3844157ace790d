// sources: finds the distinct statements to compile.
#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/mem.h"

void sources_done(struct sources *sources)
{
    free(sources->texts);
    free(sources->places);
    free(sources->of_case);
}
void sources_find(const struct statement_text *texts, size_t count, struct sources *out)
{
    AUTO(index) struct index index = {0};
    *out = (struct sources){.texts = mem_array(struct statement_text, count),
                            .places = mem_array(size_t, count),
                            .of_case = mem_array(size_t, count)};
    for (size_t i = 0; i < count; i++) {
        struct hash key = hash_start();
        const char *const parts[] = {texts[i].stmt, texts[i].setup, texts[i].global_setup,
                                     texts[i].inputs.names};
        for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
            hash_add_text(&key, parts[j]);
        bool added;
        size_t at = out->of_case[i] = index_find_or_add(&index, key, out->count, &added);
        if (!added)
            continue;
        out->texts[at] = texts[i];
        out->places[at] = i;
        out->count++;
    }
}

void sources_copy(struct statements *statements, size_t from, size_t to)
{
    const struct run_case *source = &statements->cases.items[from];
    struct run_case *item = &statements->cases.items[to];
    struct statement *statement = &statements->items[to];
    bool marginal = statement->marginal, setup_once = statement->setup_once;
    *statement = statements->items[from];
    statement->object = mem_text(statement->object);
    statement->fixed.text = mem_text(statement->fixed.text);
    statement->marginal = marginal;
    statement->setup_once = setup_once;
    item->open = mem_text(source->open);
    item->rival = mem_text(source->rival);
    item->failure = source->failure ? record_copy_failure(source->failure) : NULL;
    memcpy(item->notes, source->notes, sizeof item->notes);
    item->layouts = source->layouts;
    if (source->task.compile) {
        item->task.compile = mem_new(struct bilanx_compile);
        item->task.compile->cc = mem_text(source->task.compile->cc);
        item->task.compile->flags = mem_text(source->task.compile->flags);
        item->task.compile->launder = mem_text(source->task.compile->launder);
    }
}
