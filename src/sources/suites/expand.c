// expand: expands an entry into its cases: values of `each`, lines of a block, ways to compile,
// threads, languages, modes.
#include "expand.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "code.h"
#include "concrete.h"
#include "expansion.h"
#include "variants.h"

struct bilanx_error origin_error(const struct origin *origin, const char *text, size_t offset,
                                 struct bilanx_error error)
{
    struct place place = origin->place;
    if (text && origin->locate)
        origin->locate(origin->context, text, offset, &place);
    if (place.column == 0)
        return bilanx_error_make(error.status, "%s:%u: %s", place.file, place.line, error.text);
    return bilanx_error_make(error.status, "%s:%u:%u: %s", place.file, place.line, place.column,
                             error.text);
}

static struct bilanx_error add_derived(struct expansion *expansion, const struct choice *choice)
{
    AUTO(derived) struct derived derived = {0};
    struct derivation from = {.stmt = expansion->stmt,
                              .module = &expansion->entry->module,
                              .setup = expansion->setup,
                              .global_setup = expansion->global_setup,
                              .suite_setup = &expansion->origin->traits->global_setup,
                              .signature = expansion->signature,
                              .signature_text = expansion->entry->signature};
    struct bilanx_error error =
        suite_derive(&from, choice->language, choice->mode, choice->autograd, &derived);
    if (error.status != BILANX_OK)
        return origin_error(expansion->origin, expansion->written->signature, 0, error);
    return expansion_add_case(expansion, choice, &derived);
}

// Adds all modes of one language.
static struct bilanx_error add_modes(struct expansion *expansion, struct choice choice)
{
    const struct bilanx_suite_entry *entry = expansion->entry;
    const bool asked[] = {[BILANX_SUITE_EAGER] = true,
                          [BILANX_SUITE_TORCHSCRIPT] = entry->torchscript,
                          [BILANX_SUITE_CALL] = entry->call};
    for (size_t mode = 0; mode < sizeof asked / sizeof *asked; mode++)
        for (int backward = 0; asked[mode] && backward <= entry->autograd; backward++) {
            choice.mode = (enum bilanx_suite_mode)mode;
            choice.autograd = backward ? BILANX_SUITE_FORWARD_BACKWARD : BILANX_SUITE_FORWARD;
            if (suite_derivable(choice.language, choice.mode, choice.autograd))
                BILANX_TRY(add_derived(expansion, &choice));
        }
    return BILANX_SUCCESS;
}

// Interpreted code has one case, however many ways to compile there are.
static struct bilanx_error add_languages(struct expansion *expansion,
                                         const struct bilanx_suite_compile *compile, bool first)
{
    static const uint64_t one[] = {1, 0};
    const uint64_t *threads = expansion->entry->threads ? expansion->entry->threads : one;
    for (; *threads; threads++)
        for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
            const struct suite_language *language = &suite_languages[i];
            bool given =
                code_in(expansion->stmt, language) || code_in(&expansion->entry->module, language);
            if (given && (language->compiled || first))
                BILANX_TRY(add_modes(expansion,
                                     (struct choice){.language = language,
                                                     .compile = language->compiled ? compile : NULL,
                                                     .threads = *threads}));
        }
    return BILANX_SUCCESS;
}

static struct bilanx_error add_statement(struct expansion *expansion)
{
    const struct bilanx_suite_compile *compile = expansion->entry->compile;
    if (!compile || suite_compile_ends(compile))
        return add_languages(expansion, NULL, true);
    for (size_t i = 0; !suite_compile_ends(&compile[i]); i++)
        BILANX_TRY(add_languages(expansion, &compile[i], i == 0));
    return BILANX_SUCCESS;
}

// For a module the names must come from the setup, because we generate its call.
static struct bilanx_error check_signature(const struct expansion *expansion,
                                           const struct signature *signature)
{
    bool module = code_given(&expansion->entry->module);
    const struct bilanx_suite_code *code = module ? &expansion->entry->module : expansion->stmt;
    struct signature parameters = *signature;
    if (module)
        parameters.result = (struct parameter){0};
    if (expansion->entry->autograd && !signature->result.name)
        return bilanx_error_make(BILANX_E_INPUT, "'autograd' needs a result: 'f(x) -> y'");
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        if (!code_in(code, &suite_languages[i]))
            continue;
        AUTO(text) struct text text = {0};
        code_add(&text, code_in(module ? expansion->setup : code, &suite_languages[i]));
        if (module && expansion->samples)
            code_add(&text, expansion->samples->names);
        struct bilanx_error error =
            signature_fits(&parameters, text_get(&text), suite_languages[i].comment);
        if (error.status != BILANX_OK)
            return bilanx_error_make(error.status, "%s in %s", error.text, suite_languages[i].word);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error add_with_signature(struct expansion *expansion)
{
    const char *text = expansion->entry->signature, *written = expansion->written->signature;
    if (!text)
        return add_statement(expansion);
    AUTO(signature) struct signature signature = {0};
    size_t fault = 0;
    struct bilanx_error error = signature_parse(text, &signature, &fault);
    if (error.status == BILANX_OK)
        error = check_signature(expansion, &signature);
    if (error.status != BILANX_OK)
        return origin_error(expansion->origin, written, strchr(written, '$') ? 0 : fault, error);
    expansion->signature = &signature;
    error = add_statement(expansion);
    expansion->signature = NULL;
    return error;
}

static struct bilanx_error add_variant(struct expansion *expansion, const struct variant *variant)
{
    const char *name = variant->label;
    struct expansion one = *expansion;
    AUTO(memory) char *group = name && !variant->alone ? mem_format("%s/%s", expansion->path, name)
                                                       : mem_text(expansion->path);
    const char *row = name && variant->alone ? name : variant->text;
    AUTO(memory) char *path = mem_format("%s/%s", group, row);
    one.label = group;
    one.sub_label = row;
    one.path = path;
    one.stmt = &variant->stmt;
    return add_statement(&one);
}

// Joins the entry's setup and the block's in every language; `texts` owns the result.
static struct bilanx_suite_code joined(const struct bilanx_suite_code *first,
                                       const struct bilanx_suite_code *second, struct list *texts)
{
    struct bilanx_suite_code both = {0};
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        struct text text = {0};
        code_add(&text, code_in(first, &suite_languages[i]));
        code_add(&text, code_in(second, &suite_languages[i]));
        if (text.size) {
            list_take(texts, text_take(&text));
            code_set(&both, &suite_languages[i], texts->items[texts->count - 1]);
        }
    }
    return both;
}

static struct bilanx_error add_variants(struct expansion *expansion)
{
    const struct bilanx_suite_entry *entry = expansion->entry;
    AUTO(variants) struct variants variants = {0};
    const char *block = NULL;
    size_t fault = 0;
    struct bilanx_error error = variants_parse(&entry->variants, &variants, &block, &fault);
    if (error.status != BILANX_OK) {
        // Locations refer to the text as written.
        for (size_t i = 0; i < LANGUAGE_COUNT; i++)
            if (block && block == code_in(&entry->variants, &suite_languages[i]))
                block = code_in(&expansion->written->variants, &suite_languages[i]);
        return origin_error(expansion->origin, block, fault, error);
    }
    struct bilanx_suite_code setup = joined(&entry->setup, &variants.setup, &variants.texts);
    struct bilanx_suite_code global =
        joined(&entry->global_setup, &variants.global_setup, &variants.texts);
    expansion->setup = &setup;
    expansion->global_setup = &global;
    for (size_t i = 0; error.status == BILANX_OK && i < variants.count; i++)
        error = add_variant(expansion, &variants.items[i]);
    return error;
}

static struct bilanx_error add_timer(struct expansion *expansion)
{
    const struct bilanx_suite_entry *entry = expansion->entry;
    const struct bilanx_suite_timer *timer = &entry->timer;
    const char *name = timer->language ? timer->language : expansion->origin->traits->language;
    const struct suite_language *language = suite_language_find(name);
    if (!language)
        return origin_error(
            expansion->origin, expansion->written->timer.language, 0,
            bilanx_error_make(BILANX_E_INPUT, "unknown language '%.40s' (did you mean '%s'?)", name,
                              suite_language_nearest(name) ? suite_language_nearest(name) : "c"));
    AUTO(list) struct list texts = {0};
    struct bilanx_suite_code stmt = {0}, setup = {0}, global = {0};
    code_set(&stmt, language, timer->stmt);
    code_set(&setup, language, timer->setup);
    code_set(&global, language, timer->global_setup);
    setup = joined(&entry->setup, &setup, &texts);
    global = joined(&entry->global_setup, &global, &texts);
    const uint64_t threads[] = {timer->threads, 0};
    struct bilanx_suite_entry own = *entry;
    if (timer->threads)
        own.threads = threads;
    struct expansion one = *expansion;
    one.entry = &own;
    one.stmt = &stmt;
    one.setup = &setup;
    one.global_setup = &global;
    return add_statement(&one);
}

static struct bilanx_error add_program(struct expansion *expansion)
{
    AUTO(derived) struct derived derived = {.stmt = mem_text(expansion->entry->program)};
    return expansion_add_case(expansion, &(struct choice){.threads = 1}, &derived);
}

static struct bilanx_error add_kind(struct expansion *expansion)
{
    const struct bilanx_suite_entry *entry = expansion->entry;
    if (entry->program)
        return add_program(expansion);
    if (entry->timer.stmt)
        return add_timer(expansion);
    if (code_given(&entry->variants))
        return add_variants(expansion);
    return add_with_signature(expansion);
}

// All cases of a sample are neighbours, because neighbours are measured in turns.
static struct bilanx_error add_samples(struct expansion *expansion)
{
    const struct bilanx_suite_inputs *inputs = &expansion->entry->inputs;
    AUTO(samples) struct samples samples = {0};
    struct bilanx_error error =
        samples_draw(&(struct samples_request){.spec = inputs->spec,
                                               .directory = expansion->origin->directory,
                                               .take = inputs->take,
                                               .seed = inputs->seed,
                                               .dtype = inputs->dtype,
                                               .order_by = inputs->order_by},
                     &samples);
    if (error.status != BILANX_OK)
        return origin_error(expansion->origin, expansion->written->inputs.spec, 0, error);
    expansion->samples = &samples;
    for (size_t i = 0; error.status == BILANX_OK && i < samples.count; i++) {
        expansion->sample = &samples.items[i];
        error = add_kind(expansion);
    }
    return error;
}

static struct bilanx_error expand_values(struct bilanx_suite *suite,
                                         const struct bilanx_suite_entry *entry,
                                         const struct origin *origin, struct bindings *bindings)
{
    AUTO(concrete) struct concrete concrete = {0};
    BILANX_TRY(concrete_make(entry, bindings, origin, &concrete));
    const char *sub_label = concrete.entry.sub_label;
    AUTO(memory) char *path = origin->path ? mem_text(origin->path)
                              : sub_label  ? mem_format("%s/%s", entry->label, sub_label)
                                           : mem_text(entry->label);
    struct expansion expansion = {.suite = suite,
                                  .origin = origin,
                                  .written = entry,
                                  .entry = &concrete.entry,
                                  .bindings = bindings,
                                  .stmt = &concrete.entry.stmt,
                                  .setup = &concrete.entry.setup,
                                  .global_setup = &concrete.entry.global_setup,
                                  .path = path,
                                  .label = entry->label,
                                  .sub_label = sub_label};
    return concrete.entry.inputs.spec ? add_samples(&expansion) : add_kind(&expansion);
}

// Counts like an odometer, the last name fastest. Returns false after the last set of values.
static bool next_values(const struct bilanx_suite_each *each, size_t *at, struct bindings *bindings)
{
    for (size_t i = bindings->count; i-- > 0;) {
        if (each[i].values[++at[i]]) {
            bindings->items[i].value = each[i].values[at[i]];
            return true;
        }
        at[i] = 0;
        bindings->items[i].value = each[i].values[0];
    }
    return false;
}

static struct bilanx_error check_each(const struct bilanx_suite_each *each,
                                      const struct origin *origin, size_t *count)
{
    for (*count = 0; each && each[*count].name; ++*count) {
        const char *name = each[*count].name;
        bool word = code_starts_word(*name);
        for (const char *c = name; *c; c++)
            word = word && code_in_word(*c);
        if (!word)
            return origin_error(
                origin, name, 0,
                bilanx_error_make(BILANX_E_INPUT,
                                  "'%.60s' cannot be a name: use letters, digits and _", name));
        if (!each[*count].values || !each[*count].values[0])
            return origin_error(
                origin, name, 0,
                bilanx_error_make(BILANX_E_INPUT, "'each' gives '%s' no value", name));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error expand_each(struct bilanx_suite *suite,
                                       const struct bilanx_suite_entry *entry,
                                       const struct origin *origin)
{
    struct bindings bindings = {0};
    BILANX_TRY(check_each(entry->each, origin, &bindings.count));
    AUTO(memory) struct binding *items = mem_array(struct binding, bindings.count + 1);
    AUTO(memory) size_t *at = mem_array(size_t, bindings.count + 1);
    bindings.items = items;
    for (size_t i = 0; i < bindings.count; i++)
        items[i] = (struct binding){.name = entry->each[i].name, .value = entry->each[i].values[0]};
    do
        BILANX_TRY(expand_values(suite, entry, origin, &bindings));
    while (next_values(entry->each, at, &bindings));
    for (size_t i = 0; i < bindings.count; i++)
        if (!items[i].used)
            return origin_error(origin, items[i].name, 0,
                                bilanx_error_make(BILANX_E_INPUT,
                                                  "'each' has '%s', but nothing uses '$%s'",
                                                  items[i].name, items[i].name));
    return BILANX_SUCCESS;
}

struct bilanx_error suite_expand(struct bilanx_suite *suite, const struct bilanx_suite_entry *entry,
                                 const struct origin *origin)
{
    BILANX_TRY(suite_check_entry(entry, origin));
    size_t count = suite->count, bytes = suite->bytes;
    struct bilanx_error error = expand_each(suite, entry, origin);
    if (error.status != BILANX_OK) {
        suite_shorten(suite, count);
        suite->bytes = bytes;
    }
    return error;
}
