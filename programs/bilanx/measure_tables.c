// measure_tables: prints the results of a suite as `bilanx compare` does, and the totals.
#include "measure_tables.h"

#include <string.h>
#include <unistd.h>

#include "bilanx/compare.h"
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
static struct bilanx_compare *gather(const struct display *display, const struct run_cases *all,
                                     const struct bilanx_record *resumed,
                                     bool (*has)(const struct bilanx_record *record))
{
    struct bilanx_compare *compare = bilanx_compare_new();
    size_t next = 0, added = 0;
    for (size_t i = 0; i < all->count; i++) {
        added += add(compare, &resumed[i], has);
        for (; next < display->shown.count && display->shown.records[next].place == i + 1; next++)
            added += add(compare, &display->shown.records[next], has);
    }
    if (added)
        return compare;
    bilanx_compare_free(compare);
    return NULL;
}

void measure_print_tables(const struct display *display, const struct run_cases *all,
                          const struct bilanx_record *resumed, bool counted)
{
    const struct show_settings *settings = display->settings;
    if (settings->format == BILANX_JSON || (settings->json && strcmp(settings->json, "-") == 0))
        return;
    const struct {
        const char *metric;
        bool (*has)(const struct bilanx_record *record);
        bool wanted;
    } tables[] = {{"time", is_there, !counted},
                  {"instructions", is_there, counted},
                  {"bytes-per-second", has_bytes, settings->format != BILANX_CSV}};
    bool printed = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct bilanx_compare *compare =
            tables[i].wanted ? gather(display, all, resumed, tables[i].has) : NULL;
        if (!compare)
            continue;
        if (printed)
            puts("");
        struct bilanx_compare_options options = {.format = settings->format,
                                                 .metric = tables[i].metric,
                                                 .envs = true,
                                                 .csv_safe = settings->csv_safe,
                                                 .color =
                                                     terminal_color(settings->color, STDOUT_FILENO),
                                                 .width = terminal_width(STDOUT_FILENO)};
        bilanx_compare_print(compare, &options, stdout);
        bilanx_compare_free(compare);
        printed = true;
    }
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
