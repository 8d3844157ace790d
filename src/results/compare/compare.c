// compare: shows measurements side by side.
#include "bilanx/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/want.h"
#include "results/compare/base.h"
#include "results/compare/cells.h"
#include "results/compare/environments.h"
#include "results/compare/looks.h"

struct bilanx_compare {
    struct collation collation;
    struct verdicts verdicts;
};

struct bilanx_compare *bilanx_compare_new(void)
{
    return mem_new(struct bilanx_compare);
}

void bilanx_compare_free(struct bilanx_compare *compare)
{
    if (compare) {
        collation_done(&compare->collation);
        verdicts_done(&compare->verdicts);
    }
    free(compare);
}

void bilanx_compare_add(struct bilanx_compare *compare, struct bilanx_record *record,
                        const char *source)
{
    if (!compare || !record)
        return;
    if (text_equal(record->kind, "verdict") && record->verdict && record->verdict->verdict)
        verdicts_add(&compare->verdicts, record);
    else
        collate(&compare->collation, record, source);
}

static struct bilanx_error check_options(const struct bilanx_compare_options *options)
{
    bool torch = options->style == BILANX_COMPARE_TORCH;
    if (!torch && (options->trim || options->colorize || options->highlight_warnings))
        return bilanx_error_make(BILANX_E_USAGE,
                                 "trim, colorize and highlight-warnings need --style torch");
    if (torch && (options->metric || options->ratio || options->summary || options->format))
        return bilanx_error_make(BILANX_E_USAGE, "--style torch only shows tables of times: drop "
                                                 "it, or drop metric, ratio, summary and format");
    if (options->columns && (torch || options->ratio || options->format == BILANX_CSV ||
                             options->format == BILANX_JSON))
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--column is for our tables of values: it cannot be combined with "
                                 "--ratio, --style torch, or the formats csv and json");
    if (options->envs && (torch || options->transpose || options->sort))
        return bilanx_error_make(
            BILANX_E_USAGE, "--envs cannot be combined with --sort, --transpose or --style torch");
    if (options->best_of_row && !options->transpose)
        return bilanx_error_make(BILANX_E_USAGE, "best_of_row is for transposed tables");
    if (options->summary && options->format == BILANX_CSV)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "CSV has one line per cell and cannot show a summary: drop "
                                 "--summary, or choose another format");
    return BILANX_SUCCESS;
}

static void look_verdicts(const struct verdicts *verdicts,
                          const struct bilanx_compare_options *options, FILE *out)
{
    AUTO(text) struct text text = {0};
    verdicts_print(verdicts, (struct table_look){options->format, options->color}, &text);
    fputs(text_get(&text), out);
}

static void look(const struct sheets *sheets, const struct verdicts *verdicts,
                 const struct bilanx_compare_options *options, FILE *out)
{
    switch (options->format) {
    case BILANX_CSV:
        look_csv(sheets, verdicts, options->csv_safe, out);
        break;
    case BILANX_JSON:
        look_json(sheets, verdicts, options, out);
        break;
    case BILANX_TABLE:
    case BILANX_MARKDOWN:
        if (sheets->count)
            look_own(sheets, options, out);
        if (sheets->count && verdicts->count)
            fputs("\n", out);
        look_verdicts(verdicts, options, out);
        break;
    }
}

static bool any_has(const struct collation *collation, const struct metric *metric)
{
    for (size_t i = 0; i < collation->count; i++)
        if (!isnan(metric->of(metric, &collation->entries[i].record).value))
            return true;
    return false;
}

// Fills one more column beside the values. A metric that no record has is left out, but an unknown
// name is an error.
static struct bilanx_error add_beside(const struct filling *main, const struct layout *layout,
                                      const char *name, struct sheets *out)
{
    struct metric metric = metric_find(name);
    if (metric_is_known(name) && !any_has(main->collation, &metric))
        return BILANX_SUCCESS;
    const struct filling filling = {main->collation, &metric, NULL};
    out->beside = mem_resized(out->beside, (out->beside_count + 1) * sizeof *out->beside);
    struct sheets *beside = &out->beside[out->beside_count++];
    *beside = (struct sheets){0};
    return sheets_fill(&filling, layout, beside);
}

static struct bilanx_error fill_beside(const struct filling *main, const struct layout *layout,
                                       const struct bilanx_compare_options *options,
                                       struct sheets *out)
{
    static const char *const usual[] = {"overhead", "expected", NULL};
    if (main->bases || options->format == BILANX_CSV || options->format == BILANX_JSON)
        return BILANX_SUCCESS;
    for (const char *const *name = options->columns; name && *name; name++)
        BILANX_TRY(add_beside(main, layout, *name, out));
    bool times = strcmp(main->metric->name, "time") == 0;
    for (const char *const *name = usual; times && *name; name++)
        BILANX_TRY(add_beside(main, layout, *name, out));
    out->kinds = times ? main->collation->kinds.count : 0;
    if (out->kinds > 1)
        BILANX_TRY(add_beside(main, layout, "machine", out));
    return BILANX_SUCCESS;
}

static bool shows(const struct sheets *sheets, const char *metric)
{
    for (size_t i = 0; i < sheets->beside_count; i++)
        if (strcmp(sheets->beside[i].metric.name, metric) == 0)
            return true;
    return strcmp(sheets->metric.name, metric) == 0;
}

struct bilanx_error bilanx_compare_print(struct bilanx_compare *compare,
                                         const struct bilanx_compare_options *options, FILE *out)
{
    static const struct bilanx_compare_options defaults;
    WANT(compare);
    WANT(out);
    options = options ? options : &defaults;
    struct collation *collation = &compare->collation;
    BILANX_TRY(check_options(options));
    if (collation->count == 0 && compare->verdicts.count == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "nothing to show: no measurement, counts, verdict or failure");
    if (collation->count == 0 && options->style == BILANX_COMPARE_OWN) {
        look(&(struct sheets){.metric = {.name = "change", .unit = "share"}}, &compare->verdicts,
             options, out);
        return BILANX_SUCCESS;
    }
    collation_summarize(collation);
    environments_arrange(collation, options->style == BILANX_COMPARE_TORCH);
    struct metric metric = metric_find(options->metric ? options->metric : "time");
    AUTO(layout) struct layout layout = {0};
    bool for_people = options->format == BILANX_TABLE || options->format == BILANX_MARKDOWN;
    BILANX_TRY(layout_make(collation, options->envs && for_people, &layout));
    // Finds bases before transposing: the coordinates are the same then.
    AUTO(memory) const struct entry **bases =
        options->ratio ? mem_array(const struct entry *, collation->count) : NULL;
    if (bases)
        BILANX_TRY(bases_find(collation, &layout, options->ratio, bases));
    if (options->transpose)
        layout_transpose(&layout, options->best_of_row);
    if (options->envs)
        layout_pivot(&layout);
    const struct filling filling = {collation, &metric, bases};
    BILANX_TRY(layout_sort(&layout, &filling, options->sort ? options->sort : "defined"));
    if (options->style == BILANX_COMPARE_TORCH) {
        look_torch(&layout, options, out);
        return BILANX_SUCCESS;
    }
    AUTO(sheets) struct sheets sheets = {0};
    BILANX_TRY(sheets_fill(&filling, &layout, &sheets));
    BILANX_TRY(fill_beside(&filling, &layout, options, &sheets));
    if (collation->variants.count > 1 && shows(&sheets, "instructions"))
        sheets.variants = &collation->variants;
    look(&sheets, &compare->verdicts, options, out);
    return BILANX_SUCCESS;
}
