// suite: adds entries and stores cases.
#include "bilanx/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/want.h"
#include "check.h"
#include "core/record/records.h"
#include "expand.h"
#include "expectation.h"
#include "languages.h"

void suite_free_list(char **list)
{
    for (char **item = list; item && *item; item++)
        free(*item);
    free(list);
}

static void model_free(struct bilanx_suite_model *model)
{
    if (!model)
        return;
    free(model->name);
    free(model->signature);
    free(model->program);
    free(model);
}

static void sample_free(struct bilanx_suite_sample *sample)
{
    if (!sample)
        return;
    free(sample->text);
    free(sample->names);
    free(sample->as);
    free(sample);
}

static void case_free(struct bilanx_suite_case *item)
{
    char *texts[] = {item->suite,   item->name,    item->label,      item->cc,   item->flags,
                     item->ldflags, item->since,   item->until,      item->skip, item->directory,
                     item->file,    item->subject, item->overhead_of};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    char **lists[] = {item->sources, item->include,  item->pkg,     item->with,
                      item->tags,    item->required, item->columns, item->preload};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        suite_free_list(lists[i]);
    record_task_done(&item->task);
    expected_free(item->expected);
    model_free(item->model);
    sample_free(item->inputs);
    free(item);
}

void suite_shorten(struct bilanx_suite *suite, size_t count)
{
    while (suite->count > count)
        case_free(suite->cases[--suite->count]);
}

struct bilanx_suite *bilanx_suite_new(const struct bilanx_suite_traits *traits)
{
    static const struct bilanx_suite_traits none;
    const struct bilanx_suite_traits *from = traits ? traits : &none;
    struct bilanx_suite *suite = mem_new(struct bilanx_suite);
    suite->name = mem_text(from->name);
    suite->language = mem_text(from->language ? from->language : "c");
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        code_set(&suite->global_setup, &suite_languages[i],
                 mem_text(code_in(&from->global_setup, &suite_languages[i])));
    suite->subject = mem_text(from->subject);
    suite->required = suite_join_lists(from->required, NULL, NULL);
    return suite;
}

void bilanx_suite_free(struct bilanx_suite *suite)
{
    if (!suite)
        return;
    suite_shorten(suite, 0);
    free(suite->cases);
    free(suite->name);
    free(suite->language);
    free(suite->subject);
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        free((char *)code_in(&suite->global_setup, &suite_languages[i]));
    suite_free_list(suite->required);
    free(suite);
}

struct bilanx_error bilanx_suite_add_at(struct bilanx_suite *suite,
                                        const struct bilanx_suite_entry *entry, const char *file,
                                        unsigned line)
{
    WANT(suite);
    WANT(entry);
    WANT(file);
    struct bilanx_suite_traits traits = {.name = suite->name,
                                         .language = suite->language,
                                         .global_setup = suite->global_setup,
                                         .required = (const char *const *)suite->required,
                                         .subject = suite->subject};
    struct origin origin = {.traits = &traits, .place = {.file = file, .line = line}};
    if (!suite_language_find(suite->language))
        return bilanx_error_make(BILANX_E_USAGE, "unknown language '%.40s'", suite->language);
    if (suite->subject)
        BILANX_TRY(suite_check_subject(suite->subject));
    return suite_expand(suite, entry, &origin);
}
