// statement_source: statements as a source of cases.
#include "statement_source.h"

#include <stdlib.h>

#include "base/mem.h"

struct statements *statement_source_get(const struct source *source)
{
    return source->state;
}

static struct bilanx_error open_statements(struct source *source)
{
    source->state = mem_new(struct statements);
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(struct source *source, bool *more)
{
    struct statements *statements = source->state;
    const struct source_request *request = &source->request;
    struct statement_options options = *request->code;
    options.counting = request->purpose == SOURCE_FOR_VALGRIND;
    options.sampling = request->purpose == SOURCE_TO_SAMPLE;
    options.surroundings = request->surroundings;
    *more = false;
    const struct statement_text named = {.stmt = request->words[0], .name = request->name};
    if (request->name)
        BILANX_TRY(statements_prepare(&named, 1, &options, statements));
    else
        BILANX_TRY(
            statements_prepare_plain(request->words, request->word_count, &options, statements));
    if (request->purpose == SOURCE_FOR_VALGRIND || request->purpose == SOURCE_FOR_PERF)
        BILANX_TRY(statements_add_barrier(&options, statements));
    source->cases = statements->cases;
    return BILANX_SUCCESS;
}

static void check(struct source *source, size_t place, struct bilanx_record *record)
{
    struct statements *statements = source->state;
    statements_check(statements, &statements->cases.items[place], record);
}

static void done(struct source *source)
{
    if (source->state)
        statements_done(source->state);
    free(source->state);
}

const struct source_kind statement_source = {
    .name = "statement",
    .open = open_statements,
    .prepare = prepare,
    .check = check,
    .done = done,
};
