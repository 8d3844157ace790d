// source: where cases come from.
#include "source.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

#define LIST(kind) &kind,
static const struct source_kind *const kinds[] = {SOURCE_KINDS(LIST) NULL};

const struct source_kind *source_kind_of(const char *word)
{
    size_t i = 0;
    while (kinds[i] && !(kinds[i]->takes && kinds[i]->takes(word)))
        i++;
    return kinds[i] ? kinds[i] : &program_source;
}

struct bilanx_error source_open(const struct source_kind *kind,
                                const struct source_request *request, struct source *out)
{
    *out = (struct source){.kind = kind, .request = *request};
    return kind->open(out);
}

void source_done(struct source *source)
{
    if (source->kind)
        source->kind->done(source);
    free(source->places);
    *source = (struct source){0};
}

struct bilanx_error source_keep(struct source *source, const bool *keep)
{
    if (!source->kind->keep)
        return bilanx_error_make(BILANX_E_USAGE, "a %s cannot be divided into shards",
                                 source->kind->name);
    size_t *places = mem_array(size_t, source->cases.count + 1), kept = 0;
    for (size_t i = 0; i < source->cases.count; i++)
        if (keep[i])
            places[kept++] = source_place(source, i);
    source->kind->keep(source, keep);
    free(source->places);
    source->places = places;
    return BILANX_SUCCESS;
}

void source_keep_cases(struct source *source, const bool *keep)
{
    struct run_cases *cases = &source->cases;
    AUTO(run_cases) struct run_cases dropped = {.items = mem_array(struct run_case, cases->count)};
    size_t kept = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (keep[i])
            cases->items[kept++] = cases->items[i];
        else
            dropped.items[dropped.count++] = cases->items[i];
    }
    cases->count = kept;
}

size_t source_place(const struct source *source, size_t at)
{
    return source->places ? source->places[at] : at;
}

struct bilanx_error source_prepare_some(struct source *source, bool *more)
{
    *more = false;
    if (!source->prepared && source->kind->prepare)
        BILANX_TRY(source->kind->prepare(source, more));
    source->prepared = !*more;
    return BILANX_SUCCESS;
}

struct bilanx_error source_prepare(struct source *source)
{
    for (bool more = true; more;)
        BILANX_TRY(source_prepare_some(source, &more));
    return BILANX_SUCCESS;
}

const struct run_case *source_case(const struct source *source, size_t place)
{
    return source->kind->ready ? source->kind->ready(source, place) : &source->cases.items[place];
}

void source_check(struct source *source, size_t place, struct bilanx_record *record)
{
    if (source->kind->check)
        source->kind->check(source, place, record);
}

void source_tell(const struct source *source, const char *text)
{
    tell_line(&source->request.tell, text);
}

// Opened again, a source has all its cases.
static struct bilanx_error keep_same(const struct source *source, struct source *out)
{
    AUTO(memory) bool *keep = mem_array(bool, out->cases.count + 1);
    for (size_t i = 0; i < source->cases.count; i++)
        if (source->places[i] < out->cases.count)
            keep[source->places[i]] = true;
    return source_keep(out, keep);
}

struct bilanx_error source_duplicate(const struct source *source, enum source_purpose purpose,
                                     struct source *out)
{
    *out = (struct source){.kind = source->kind, .request = source->request};
    out->request.purpose = purpose;
    out->request.tell = (struct tell){0};  // already reported
    if (source->kind->duplicate)
        return source->kind->duplicate(source, out);
    BILANX_TRY(out->kind->open(out));
    return source->places ? keep_same(source, out) : BILANX_SUCCESS;
}
