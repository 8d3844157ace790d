// statement_source: statements as a source of cases.
#include "statement_source.h"

#include <stdlib.h>

#include "base/filter.h"
#include "base/mem.h"
#include "core/run/case_names.h"
#include "inputs/samples/samples.h"

struct statements *statement_source_get(const struct source *source)
{
    return source->state;
}

static struct bilanx_error open_statements(struct source *source)
{
    source->state = mem_new(struct statements);
    return BILANX_SUCCESS;
}

static const char *word_at(const struct words *words, size_t i)
{
    return i < words->count ? words->items[i] : NULL;
}

// Every statement on every sample, those on one sample next to each other: neighbours are measured
// in turns. An empty statement, the loop alone, has no inputs.
static size_t expand(const struct source_request *request, const struct samples *samples,
                     struct statement_text *out)
{
    const char *as = request->code->inputs.as;
    size_t count = 0;
    for (size_t i = 0; i <= samples->count; i++)
        for (size_t j = 0; j < request->word_count; j++) {
            const struct samples_item *item = i < samples->count ? &samples->items[i] : NULL;
            bool alone = samples->count == 0 || !*request->words[j];
            if (alone != !item)
                continue;
            const char *name = word_at(&request->code->names, j);
            out[count] =
                (struct statement_text){.stmt = request->words[j],
                                        .name = name ? name : request->name,
                                        .setup = word_at(&request->code->setups, j),
                                        .sub_label = word_at(&request->code->sub_labels, j),
                                        .description = word_at(&request->code->descriptions, j)};
            out[count].inputs.parameters = word_at(&request->code->parameters, j);
            if (item)
                out[count].inputs = (struct statement_inputs){.text = item->text,
                                                              .names = samples->names,
                                                              .as = as,
                                                              .description = item->description,
                                                              .parameters = item->parameters,
                                                              .elements = item->elements,
                                                              .bytes = item->bytes};
            count++;
        }
    return count;
}

static struct bilanx_error draw(const struct statement_options *options, struct samples *out)
{
    if (!options->inputs.spec)
        return BILANX_SUCCESS;
    BILANX_TRY(samples_draw(&options->inputs, out));
    return samples_check_names(out, options->language);
}

static void name_apart(const struct run_cases *all)
{
    AUTO(memory) struct run_case **cases = mem_array(struct run_case *, all->count);
    for (size_t i = 0; i < all->count; i++)
        cases[i] = &all->items[i];
    case_names_tell_apart(cases, all->count);
}

// Returns how many there are left. Names are those before equal ones are told apart.
static size_t keep_matching(const struct filter *filter, const struct statement_options *options,
                            struct statement_text *texts, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO(memory) char *name = statement_name(&texts[i], count, options);
        if (filter_keeps(filter, name))
            texts[kept++] = texts[i];
    }
    return kept;
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
    AUTO(filter) struct filter filter = {0};
    BILANX_TRY(filter_open(request->filter, &filter));
    AUTO(samples) struct samples samples = {0};
    BILANX_TRY(draw(&options, &samples));
    AUTO(memory) struct statement_text *texts =
        mem_array(struct statement_text, (samples.count + 1) * request->word_count);
    size_t count = expand(request, &samples, texts);
    count = keep_matching(&filter, &options, texts, count);
    if (count == 0 && request->filter)
        return bilanx_error_make(BILANX_E_FAILED, "no case matches the filter '%.200s'",
                                 request->filter);
    BILANX_TRY(statements_prepare(texts, count, &options, statements));
    name_apart(&statements->cases);
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
