// ab_api: a comparison for users of the library.
#include "bilanx/ab.h"

#include "ab/comparison/comparison.h"
#include "base/mem.h"
#include "base/want.h"

struct collected {
    const struct bilanx_ab_options *options;
    struct bilanx_record *records;
    size_t count, room;
    struct bilanx_error error;  // the first error of a pair
};

static void take(struct collected *collected, struct bilanx_record *record)
{
    if (!record->kind)
        return;
    mem_grow(collected->records, collected->count, &collected->room);
    collected->records[collected->count++] = *record;
    *record = (struct bilanx_record){0};
}

static void keep_error(struct collected *collected, const struct bilanx_error *error)
{
    if (collected->error.status == BILANX_OK)
        collected->error = *error;
}

static void note(void *context, const char *text)
{
    const struct bilanx_ab_options *options = ((struct collected *)context)->options;
    if (options->note)
        options->note(options->context, text);
}

static void finished(void *context, const struct bilanx_record *record)
{
    const struct bilanx_ab_options *options = ((struct collected *)context)->options;
    if (options->finished)
        options->finished(options->context, record);
}

static void compared(void *context, const struct ab_pair *pair, struct ab_results *results)
{
    (void)pair;
    keep_error(context, &results->error);
    for (size_t i = 0; i < results->count; i++)
        take(context, &results->records[i]);
}

static void counted(void *context, const struct ab_pair *pair, struct ab_counts *counts)
{
    (void)pair;
    keep_error(context, &counts->error);
    for (size_t i = 0; i < counts->count; i++) {
        take(context, &counts->before[i]);
        take(context, &counts->after[i]);
        if (counts->verdicts)
            take(context, &counts->verdicts[i]);
    }
}

static struct words words_of(const char *const *texts)
{
    struct words words = {.items = (const char **)texts};
    while (texts && texts[words.count])
        words.count++;
    return words;
}

static struct margins margins_of(const struct bilanx_ab_options *options)
{
    struct margins margins = default_margins;
    margins.alpha = options->alpha > 0 ? options->alpha : margins.alpha;
    margins.claim = options->margin > 0 ? options->margin : margins.claim;
    margins.same = options->equal > 0 ? options->equal : margins.same;
    return margins;
}

static struct ab_options options_of(const struct bilanx_ab_options *options)
{
    const char *language = options->language ? options->language : "c";
    return (struct ab_options){.build = options->build,
                               .stmts = words_of(options->stmts),
                               .suites = words_of(options->suites),
                               .program = options->program,
                               .code = {.language = language,
                                        .setup = options->setup,
                                        .global_setup = options->global_setup,
                                        .cc = options->cc,
                                        .cflags = options->cflags,
                                        .ldflags = options->ldflags,
                                        .sources = words_of(options->sources),
                                        .includes = words_of(options->include),
                                        .python = options->python,
                                        .layouts = STATEMENT_LAYOUTS,
                                        .inputs = {.spec = options->inputs,
                                                   .take = options->take,
                                                   .seed = options->inputs_seed,
                                                   .dtype = options->dtype,
                                                   .order_by = options->order_by,
                                                   .as = options->as}},
                               .filter = options->filter,
                               .tags = words_of(options->tags),
                               .margins = margins_of(options),
                               .budget = options->budget,
                               .timeout = options->timeout,
                               .seed = options->seed,
                               .isolate = options->isolate,
                               .count = options->count,
                               .no_time = options->no_time};
}

#define AT(member) offsetof(struct bilanx_ab_options, member)
static const struct option numbers[] = {
    {"take", 0, OPTION_COUNT, AT(take), .range = &range_repeats},
    {"alpha", 0, OPTION_NUMBER, AT(alpha), .range = &range_chance},
    {"margin", 0, OPTION_NUMBER, AT(margin)},
    {"equal", 0, OPTION_NUMBER, AT(equal)},
    {"budget", 0, OPTION_SECONDS, AT(budget), .range = &range_duration},
    {"timeout", 0, OPTION_SECONDS, AT(timeout), .range = &range_duration},
    {0},
};

static struct bilanx_error check(const struct bilanx_ab_side *sides, size_t side_count,
                                 const struct bilanx_ab_options *options)
{
    if (side_count > 0)
        WANT(sides);
    BILANX_TRY(options_check(numbers, options));
    if (options->no_time && !options->count)
        return bilanx_error_make(BILANX_E_USAGE, "no_time needs count");
    if (options->hwcaps && !options->count)
        return bilanx_error_make(BILANX_E_USAGE, "hwcaps needs count");
    for (size_t i = 0; i < side_count; i++) {
        if (!sides[i].name)
            return bilanx_error_make(BILANX_E_USAGE, "side %zu has no name", i + 1);
        if (!sides[i].stmt != !sides[0].stmt)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "only some sides have a statement: side %s does not go with "
                                     "side %s",
                                     sides[i].name, sides[0].name);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error compare(const struct bilanx_ab_side *sides, size_t side_count,
                                   const struct bilanx_ab_options *options,
                                   struct collected *collected)
{
    BILANX_TRY(check(sides, side_count, options));
    AUTO(memory) struct ab_spec *specs = mem_array(struct ab_spec, side_count + 1);
    for (size_t i = 0; i < side_count; i++)
        specs[i] =
            (struct ab_spec){sides[i].name, sides[i].spec ? sides[i].spec : "", sides[i].stmt};
    struct ab_options asked = options_of(options);
    BILANX_TRY(hwcaps_read(options->hwcaps, &asked.hwcaps));
    asked.sides = specs;
    asked.side_count = side_count;
    BILANX_TRY(ab_compare(&asked, &(struct ab_observer){.context = collected,
                                                        .progress = note,
                                                        .note = note,
                                                        .finished = finished,
                                                        .compared = compared,
                                                        .counted = counted}));
    return collected->error;
}

struct bilanx_error bilanx_ab(const struct bilanx_ab_side *sides, size_t side_count,
                              const struct bilanx_ab_options *options,
                              struct bilanx_record **records, size_t *count)
{
    static const struct bilanx_ab_options defaults;
    WANT(records);
    WANT(count);
    struct collected collected = {.options = options ? options : &defaults};
    struct bilanx_error error = compare(sides, side_count, collected.options, &collected);
    *records = collected.records;
    *count = collected.count;
    return error;
}
