// request: a request of a C program, as a source of cases and a list of records.
#include "request.h"

#include <stdlib.h>

#include "base/mem.h"

static struct words words_of(const char *const *texts)
{
    struct words words = {.items = (const char **)texts};
    while (texts && texts[words.count])
        words.count++;
    return words;
}

#define AT(member) offsetof(struct bilanx_run_options, member)
static const struct option numbers[] = {
    {"take", 0, OPTION_COUNT, AT(take), .range = &range_repeats},
    {"number", 0, OPTION_COUNT, AT(number)},
    {"repeats", 0, OPTION_COUNT, AT(repeats), .range = &range_repeats},
    {"min_run_time", 0, OPTION_SECONDS, AT(min_run_time)},
    {"max_run_time", 0, OPTION_SECONDS, AT(max_run_time), .range = &range_duration},
    {"warmup", 0, OPTION_SECONDS, AT(warmup)},
    {"timeout", 0, OPTION_SECONDS, AT(timeout), .range = &range_duration},
    {0},
};

// Records may arrive in any order, and several per case.
static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct request *request = context;
    const struct bilanx_run_options *options = request->options;
    record->place = (uint64_t)(measured - request->source.cases.items) + 1;
    mem_grow(request->records, request->count, &request->room);
    request->records[request->count++] = *record;
    if (options->finished)
        options->finished(options->context, record);
}

static void read_options(const struct bilanx_run_options *options, struct request *request)
{
    request->sources = words_of(options->sources);
    request->includes = words_of(options->include);
    request->tags = words_of(options->tags);
    request->code = (struct statement_options){
        .language = options->language ? options->language : "c",
        .setup = options->setup,
        .global_setup = options->global_setup,
        .cc = options->cc,
        .cflags = options->cflags,
        .ldflags = options->ldflags,
        .sources = request->sources,
        .includes = request->includes,
        .python = options->python,
        .layouts = options->method ? 0 : STATEMENT_LAYOUTS,
        .inputs = {.spec = options->inputs,
                   .take = options->take,
                   .seed = options->inputs_seed,
                   .dtype = options->dtype,
                   .order_by = options->order_by,
                   .as = options->as},
    };
}

struct bilanx_error request_open(struct request *request, const struct bilanx_run_options *options,
                                 enum source_purpose purpose)
{
    BILANX_TRY(options_check(numbers, options));
    const struct {
        const struct source_kind *kind;
        const char *const *words;
    } kinds[] = {{&statement_source, options->stmts},
                 {&suite_source, options->suites},
                 {&program_source, options->programs}};
    size_t given = 0, chosen = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].words && kinds[i].words[0]) {
            given++;
            chosen = i;
        }
    if (given != 1)
        return bilanx_error_make(BILANX_E_USAGE,
                                 given ? "cannot mix statements, suites and programs: set only one "
                                         "of stmts, suites and programs"
                                       : "nothing to measure: set stmts, suites or programs");
    request->options = options;
    request->observer = (struct run_observer){request, NULL, keep};
    read_options(options, request);
    struct words words = words_of(kinds[chosen].words);
    BILANX_TRY(source_open(kinds[chosen].kind,
                           &(struct source_request){.words = words.items,
                                                    .word_count = words.count,
                                                    .purpose = purpose,
                                                    .code = &request->code,
                                                    .filter = options->filter,
                                                    .tags = &request->tags,
                                                    .tell = {options->note, options->context}},
                           &request->source));
    BILANX_TRY(source_prepare(&request->source));
    if (request->source.cases.count == 0 && options->filter)
        return bilanx_error_make(BILANX_E_FAILED, "no case matches the filter '%.200s'",
                                 options->filter);
    return BILANX_SUCCESS;
}

void request_done(struct request *request)
{
    for (size_t i = 0; i < request->count; i++)
        bilanx_record_done(&request->records[i]);
    free(request->records);
    source_done(&request->source);
}

static int by_place(const void *a, const void *b)
{
    const struct bilanx_record *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

void request_give(struct request *request, struct bilanx_record **records, size_t *count)
{
    if (request->count)
        qsort(request->records, request->count, sizeof *request->records, by_place);
    *records = request->records;
    *count = request->count;
    request->records = NULL;
    request->count = 0;
}
