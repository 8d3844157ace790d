// add_case: builds a case from its entry.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "code.h"
#include "expansion.h"
#include "expectation.h"
#include "labels.h"

char **suite_join_lists(const char *const *list, const char *const *more, const char *last)
{
    size_t count = 0;
    for (const char *const *item = list; item && *item; item++)
        count++;
    for (const char *const *item = more; item && *item; item++)
        count++;
    if (count == 0 && !last)
        return NULL;
    char **copy = mem_array(char *, count + 2);
    size_t at = 0;
    for (const char *const *item = list; item && *item; item++)
        copy[at++] = mem_text(*item);
    for (const char *const *item = more; item && *item; item++)
        copy[at++] = mem_text(*item);
    copy[at] = mem_text(last);
    return copy;
}

// The compiler itself is a requirement: a suite may name clang for machines that have it.
static char **requirements(const struct expansion *expansion, const struct choice *choice,
                           const char *cc)
{
    AUTO(memory) char *compiler = cc ? mem_format("program:%s", cc) : NULL;
    const char *const *of_suite = expansion->origin->traits->required;
    char **own = suite_join_lists(of_suite, expansion->entry->required, NULL);
    char **all = suite_join_lists((const char *const *)own,
                                  choice->compile ? choice->compile->required : NULL, compiler);
    suite_free_list(own);
    return all;
}

static char *env_of(const struct expansion *expansion, const struct choice *choice, const char *cc)
{
    const struct bilanx_suite_compile *compile = choice->compile;
    if (!compile)
        return mem_text(expansion->entry->env);
    if (compile->env)
        return mem_text(compile->env);
    struct text env = {0};
    const char *parts[] = {cc, compile->flags, compile->ldflags};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            text_format(&env, "%s%s", env.size ? " " : "", parts[i]);
    return code_take(&env);
}

static struct bilanx_error read_rate(const struct expansion *expansion, const char *text,
                                     const char *written, const char *key, double *out)
{
    if (!text || product_read(text, out))
        return BILANX_SUCCESS;
    return origin_error(
        expansion->origin, written, 0,
        bilanx_error_make(BILANX_E_INPUT,
                          "'%s' must be a number or a product such as '8 * 1024', not '%.60s'", key,
                          text));
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static struct bilanx_error count_bytes(struct bilanx_suite *suite, const struct derived *derived)
{
    suite->bytes += size_of(derived->stmt) + size_of(derived->setup) +
                    size_of(derived->global_setup) +
                    (derived->model ? size_of(derived->model->program) : 0);
    if (suite->count >= SUITE_MOST_CASES)
        return bilanx_error_make(BILANX_E_INPUT, "the suite has over %d cases", SUITE_MOST_CASES);
    if (suite->bytes > SUITE_MOST_BYTES)
        return bilanx_error_make(BILANX_E_INPUT, "the code of all cases is over %d megabytes",
                                 SUITE_MOST_BYTES >> 20);
    return BILANX_SUCCESS;
}

static void fill_task(const struct expansion *expansion, const struct choice *choice,
                      struct derived *derived, const char *env, struct bilanx_suite_case *item)
{
    struct labelling labelling = {
        .path = expansion->path,
        .entry = expansion->written,
        .description = expansion->entry->description,
        .env = env,
        .inputs = expansion->sample ? expansion->sample->description : NULL,
        .bindings = expansion->bindings,
        .language = choice->language,
        .usual_language = expansion->origin->traits->language,
        .mode = choice->mode,
        .autograd = choice->autograd,
        .threads = choice->threads,
    };
    item->name = labels_name(&labelling);
    item->task = (struct bilanx_task){
        .stmt = TAKE(derived->stmt),
        .setup = TAKE(derived->setup),
        .global_setup = TAKE(derived->global_setup),
        .language = mem_text(choice->language ? choice->language->name : "program"),
        .label = mem_text(expansion->label),
        .sub_label = mem_text(expansion->sub_label),
        .description = labels_description(&labelling),
        .env = mem_text(env),
        .num_threads = choice->threads,
        .parameters = labels_parameters(expansion->bindings,
                                        expansion->sample ? expansion->sample->parameters : NULL),
    };
}

static struct bilanx_suite_sample *inputs_of(const struct expansion *expansion)
{
    const struct samples_item *sample = expansion->sample;
    if (!sample)
        return NULL;
    struct bilanx_suite_sample *inputs = mem_new(struct bilanx_suite_sample);
    *inputs = (struct bilanx_suite_sample){.text = mem_text(sample->text),
                                           .names = mem_text(expansion->samples->names),
                                           .as = mem_text(expansion->entry->inputs.as),
                                           .elements = sample->elements,
                                           .bytes = sample->bytes};
    return inputs;
}

struct bilanx_error expansion_add_case(struct expansion *expansion, const struct choice *choice,
                                       struct derived *derived)
{
    const struct bilanx_suite_entry *entry = expansion->entry;
    const struct origin *origin = expansion->origin;
    struct bilanx_suite *suite = expansion->suite;
    const struct bilanx_suite_compile *compile = choice->compile;
    double bytes = 0, items = 0;
    BILANX_TRY(read_rate(expansion, entry->bytes, expansion->written->bytes, "bytes", &bytes));
    BILANX_TRY(read_rate(expansion, entry->items, expansion->written->items, "items", &items));
    struct bilanx_error error = count_bytes(suite, derived);
    if (error.status != BILANX_OK)
        return origin_error(origin, NULL, 0, error);
    AUTO(bilanx_expected) struct bilanx_expected *expected = NULL;
    error = expected_make(&entry->expect, &expected);
    if (error.status != BILANX_OK)
        return origin_error(origin, expectation_text(&expansion->written->expect), 0, error);
    if (expansion->samples)
        error = samples_check_names(expansion->samples, choice->language->name);
    if (error.status != BILANX_OK)
        return origin_error(origin, expansion->written->inputs.spec, 0, error);

    bool cplusplus = choice->language && strcmp(choice->language->name, "c++") == 0;
    const char *cc = !compile ? NULL : cplusplus && compile->cxx ? compile->cxx : compile->cc;
    AUTO(memory) char *env = env_of(expansion, choice, cc);
    struct bilanx_suite_case *item = mem_new(struct bilanx_suite_case);
    *item = (struct bilanx_suite_case){
        .suite = mem_text(origin->traits->name),
        .label = mem_text(expansion->path),
        .mode = choice->mode,
        .autograd = choice->autograd,
        .cc = mem_text(cc),
        .flags = mem_text(compile ? compile->flags : NULL),
        .ldflags = mem_text(compile ? compile->ldflags : NULL),
        .sources = suite_join_lists(entry->sources, NULL, NULL),
        .preload = suite_join_lists(entry->preload, NULL, NULL),
        .include = suite_join_lists(entry->include, NULL, NULL),
        .pkg = suite_join_lists(entry->pkg, NULL, NULL),
        .with = suite_join_lists(entry->with, NULL, NULL),
        .tags = suite_join_lists(entry->tags, NULL, NULL),
        .required = requirements(expansion, choice, cc),
        .subject = mem_text(origin->traits->subject),
        .since = mem_text(entry->since),
        .until = mem_text(entry->until),
        .skip = mem_text(entry->skip),
        .timeout = entry->timeout,
        .bytes = bytes,
        .items = items,
        .overhead_of = mem_text(entry->overhead_of),
        .expected = TAKE(expected),
        .columns = suite_join_lists(entry->columns, NULL, NULL),
        .model = TAKE(derived->model),
        .inputs = inputs_of(expansion),
        .directory = mem_text(origin->directory),
        .file = mem_text(origin->place.file),
        .line = origin->place.line,
        .column = origin->place.column,
    };
    fill_task(expansion, choice, derived, env, item);
    mem_grow(suite->cases, suite->count, &suite->room);
    suite->cases[suite->count++] = item;
    return BILANX_SUCCESS;
}
