// measure_tables: prints results as `bilanx compare` does, and the totals of a suite.
#include "measure_tables.h"

#include <string.h>
#include <unistd.h>

#include "base/index.h"
#include "bilanx/compare.h"
#include "core/show/complain.h"
#include "core/show/growth.h"
#include "inputs/samples/samples_request.h"
#include "sources/suite_cases/suite_source.h"

static bool is_there(const struct bilanx_record *record)
{
    return record->kind != NULL;
}

static bool has_bytes(const struct bilanx_record *record)
{
    return record->kind && !record->error && record->rates && record->rates->bytes > 0;
}

static bool add(struct bilanx_compare *compare, const struct bilanx_record *record,
                bool (*has)(const struct bilanx_record *record))
{
    if (!has(record))
        return false;
    struct bilanx_record copy;
    record_copy(record, &copy);
    bilanx_compare_add(compare, &copy, NULL);
    return true;
}

// The records that have a metric, in suite order. NULL: none.
static struct bilanx_compare *gather(const struct display *display, const struct source *source,
                                     const struct bilanx_record *resumed,
                                     bool (*has)(const struct bilanx_record *record))
{
    struct bilanx_compare *compare = bilanx_compare_new();
    size_t next = 0, added = 0;
    for (size_t i = 0; i < source->cases.count; i++) {
        size_t place = source_place(source, i) + 1;
        added += add(compare, &resumed[i], has);
        for (; next < display->shown.count && display->shown.records[next].place == place; next++)
            added += add(compare, &display->shown.records[next], has);
    }
    if (added)
        return compare;
    bilanx_compare_free(compare);
    return NULL;
}

static bool has_counts(const struct bilanx_record *record)
{
    return record->kind && !record->error && record->counts;
}

static bool has_inputs(const struct run_case *item)
{
    return item->argument_count == 1 && text_equal(item->arguments[0].name, SAMPLES_ELEMENTS);
}

// Few samples are columns; many are rows, with a column per statement.
static bool samples_are_rows(const struct run_cases *all)
{
    enum { FEW = 6 };
    AUTO(index) struct index seen = {0};
    size_t samples = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!has_inputs(&all->items[i]))
            return false;
        struct hash key = hash_start();
        bool added;
        hash_add_text(&key, all->items[i].task.description);
        index_find_or_add(&seen, key, i, &added);
        samples += added;
    }
    return samples > FEW;
}

void measure_print_tables(const struct display *display, const struct source *source,
                          const struct bilanx_record *resumed, bool counted,
                          const char *const *columns)
{
    const struct show_settings *settings = display->settings;
    const struct run_cases *all = &source->cases;
    if (settings->format == BILANX_JSON || (settings->json && strcmp(settings->json, "-") == 0))
        return;
    bool for_programs = settings->format == BILANX_CSV;
    const struct {
        const char *metric;
        bool (*has)(const struct bilanx_record *record);
        bool wanted;
    } tables[] = {{"time", is_there, !counted},
                  {"instructions", is_there, counted},
                  {"instructions", has_counts, !counted && !for_programs},
                  {"bytes-per-second", has_bytes, !for_programs}};
    bool printed = false, turned = samples_are_rows(all);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct bilanx_compare *compare =
            tables[i].wanted ? gather(display, source, resumed, tables[i].has) : NULL;
        if (!compare)
            continue;
        if (printed)
            puts("");
        struct bilanx_compare_options options = {
            .format = settings->format,
            .metric = tables[i].metric,
            .columns = i == 0 && !for_programs ? columns : NULL,
            .envs = !turned,
            .transpose = turned,
            .best_of_row = turned,
            .csv_safe = settings->csv_safe,
            .color = terminal_color(settings->color, STDOUT_FILENO),
            .width = terminal_width(STDOUT_FILENO),
            .digits_explained = printed};
        bilanx_compare_print(compare, &options, stdout);
        bilanx_compare_free(compare);
        printed = true;
    }
}

void measure_print_growth(const struct display *display)
{
    AUTO(text) struct text lines = {0};
    growth_show(&display->shown, SAMPLES_ELEMENTS, &lines);
    if (lines.size == 0)
        complain_line(NULL, "--fit: no case with inputs was measured");
    bool for_people =
        display->settings->format == BILANX_TABLE || display->settings->format == BILANX_MARKDOWN;
    if (for_people && lines.size)
        puts("");
    fputs(text_get(&lines), for_people ? stdout : stderr);
}

void measure_print_totals(const struct display *display, const struct measure_totals *totals)
{
    if (display->settings->quiet)
        return;
    size_t done = 0, failed = 0, skipped = 0;
    for (size_t i = 0; i < display->shown.count; i++) {
        const struct bilanx_record *record = &display->shown.records[i];
        skipped += record_skipped(record);
        failed += record->error && !record_skipped(record);
        done += !record->error;
    }
    size_t count = totals->source->cases.count, before = count - display->cases->count;
    fprintf(stderr, "%zu case%s: %zu measured", count, count == 1 ? "" : "s", done);
    if (before)
        fprintf(stderr, ", %zu before", before);
    if (failed)
        fprintf(stderr, ", %zu failed", failed);
    if (skipped)
        fprintf(stderr, ", %zu skipped", skipped);
    fprintf(stderr, ", in %.0f s", totals->seconds);
    if (totals->counted)
        fprintf(stderr, " (%.0f s compiling, %.0f s counting, in parallel where possible)",
                suite_source_compile_seconds(totals->source), totals->counting_seconds);
    fputs("\n", stderr);
}
