// cases: selects cases of a suite and checks that they can be told apart.
#include <stdlib.h>
#include <string.h>

#include "base/filter.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "check.h"
#include "expand.h"
#include "languages.h"
#include "references.h"

static struct hash hash_of_name(const struct bilanx_suite_case *item)
{
    struct hash hash = hash_start();
    hash_add_text(&hash, item->name);
    return hash;
}

// Identifies a table cell.
static struct hash hash_of_cell(const struct bilanx_suite_case *item)
{
    struct hash hash = hash_start();
    const char *texts[] = {item->task.label, item->task.sub_label, item->task.description,
                           item->task.env};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash_add_text(&hash, texts[i]);
    hash_add(&hash, &item->task.num_threads, sizeof item->task.num_threads);
    return hash;
}

static struct bilanx_error at_case(const struct bilanx_suite_case *item,
                                   const struct bilanx_suite_case *first, const char *text)
{
    AUTO(text) struct text place = {0};
    text_format(&place, "%s:%u", item->file, item->line);
    if (item->column)
        text_format(&place, ":%u", item->column);
    return bilanx_error_make(BILANX_E_INPUT, "%s: '%.120s' %s '%.120s' of %s:%u", text_get(&place),
                             item->name, text, first->name, first->file, first->line);
}

static struct bilanx_error check_distinct(const struct bilanx_suite *suite)
{
    AUTO(index) struct index names = {0};
    AUTO(index) struct index cells = {0};
    for (size_t i = 0; i < suite->count; i++) {
        const struct bilanx_suite_case *item = suite->cases[i];
        bool added = false;
        size_t first = index_find_or_add(&names, hash_of_name(item), i, &added);
        if (!added)
            return at_case(item, suite->cases[first], "is defined twice, the first is");
        first = index_find_or_add(&cells, hash_of_cell(item), i, &added);
        if (!added)
            return at_case(item, suite->cases[first],
                           "has the same label, sub_label, description, env and threads as");
    }
    return BILANX_SUCCESS;
}

static bool holds(char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

static struct bilanx_error check_options(const struct bilanx_suite_options *options)
{
    int order;
    for (const char *const *name = options->without_languages; name && *name; name++)
        if (!suite_language_find(*name)) {
            const char *nearest = suite_language_nearest(*name);
            return bilanx_error_make(BILANX_E_USAGE, "unknown language '%.40s' (%s%s%s)", *name,
                                     nearest ? "did you mean '" : "use c, c++ or python",
                                     nearest ? nearest : "", nearest ? "'?" : "");
        }
    if (options->version && !version_compare(options->version, "0", &order))
        return bilanx_error_make(BILANX_E_USAGE, "'%.60s' is not a version such as 1.13",
                                 options->version);
    return BILANX_SUCCESS;
}

static bool selected(const struct bilanx_suite_case *item,
                     const struct bilanx_suite_options *options, const struct filter *filter)
{
    bool tagged = !options->tags || !*options->tags;
    for (const char *const *tag = options->tags; !tagged && *tag; tag++)
        tagged = holds(item->tags, *tag);
    bool program = strcmp(item->task.language, "program") == 0;
    return tagged && (program || filter_keeps(filter, item->name));
}

static bool available(const struct bilanx_suite_case *item,
                      const struct bilanx_suite_options *options)
{
    int order;
    for (const char *const *name = options->without_languages; name && *name; name++)
        if (strcmp(*name, item->task.language) == 0)
            return false;
    const char *version = options->version;
    if (version && item->since && version_compare(version, item->since, &order) && order < 0)
        return false;
    return !(version && item->until && version_compare(version, item->until, &order) && order >= 0);
}

// Marks a case and, if asked, those that it refers to.
static void mark(const size_t *others, size_t at, bool with_others, bool *wanted)
{
    do {
        wanted[at] = true;
        at = others[at];
    } while (with_others && at != SIZE_MAX);
}

struct bilanx_error bilanx_suite_materialize(const struct bilanx_suite *suite,
                                             const struct bilanx_suite_options *options,
                                             struct bilanx_suite_case ***cases, size_t *count)
{
    WANT(suite);
    WANT(cases);
    WANT(count);
    static const struct bilanx_suite_options everything;
    const struct bilanx_suite_options *chosen = options ? options : &everything;
    BILANX_TRY(check_options(chosen));
    BILANX_TRY(check_distinct(suite));
    AUTO(memory) size_t *others = NULL;
    BILANX_TRY(suite_resolve(suite, &others));
    AUTO(filter) struct filter filter = {0};
    BILANX_TRY(filter_open(chosen->filter, &filter));
    struct bilanx_suite_case **found = mem_array(struct bilanx_suite_case *, suite->count + 1);
    AUTO(memory) bool *wanted = mem_array(bool, suite->count + 1);
    *count = 0;
    for (size_t i = 0; i < suite->count; i++)
        if (selected(suite->cases[i], chosen, &filter))
            mark(others, i, chosen->with_others, wanted);
    for (size_t i = 0; i < suite->count; i++)
        if (wanted[i] && available(suite->cases[i], chosen))
            found[(*count)++] = suite->cases[i];
    *cases = found;
    return BILANX_SUCCESS;
}
