// source: where cases come from.
#include "source.h"

#include <stddef.h>

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
    *source = (struct source){0};
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

struct bilanx_error source_duplicate(const struct source *source, enum source_purpose purpose,
                                     struct source *out)
{
    *out = (struct source){.kind = source->kind, .request = source->request};
    out->request.purpose = purpose;
    out->request.tell = (struct tell){0};  // already reported
    return source->kind->duplicate ? source->kind->duplicate(source, out) : out->kind->open(out);
}
