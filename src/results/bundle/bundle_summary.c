// bundle_summary: summary.md, the answers to a reviewer's questions in the size of a comment.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "bilanx/version.h"
#include "bundle_parts.h"
#include "core/stats/units.h"
#include "profile/flame/flame_label.h"

enum { MOST_CASES = 40, MOST_DETAILS = 10, MOST_FUNCTIONS = 8 };

static void add_text(const char *text, struct text *out)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, text);
    table_add_markdown(out, text_get(&harmless));
}

// In as many backquotes as it takes.
static void add_code(const char *code, struct text *out)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, code);
    size_t longest = 0, run = 0;
    for (const char *at = text_get(&harmless); *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    text_add_repeated(out, "`", longest + 1);
    text_format(out, "%s%s%s", longest ? " " : "", text_get(&harmless), longest ? " " : "");
    text_add_repeated(out, "`", longest + 1);
}

static bool is_news(const struct bilanx_record *record)
{
    const char *verdict = record->verdict ? record->verdict->verdict : NULL;
    return (record->error && !record_skipped(record)) || text_equal(verdict, "slower") ||
           text_equal(verdict, "faster") || text_equal(verdict, "seems-slower") ||
           text_equal(verdict, "seems-faster");
}

static void add_cell(struct table *table, struct text *text)
{
    table_cell(table, TABLE_PLAIN, "%s", text_get(text));
    text_clear(text);
}

static void add_time_cell(struct table *table, double seconds)
{
    char time[UNITS_SIZE];
    table_cell(table, TABLE_PLAIN, "%s", seconds > 0 ? units_time(seconds, NAN, time) : "");
}

static void add_row(struct table *table, const struct bundle *bundle,
                    const struct bundle_case *item, size_t side)
{
    const struct bilanx_record *record = &item->parts[side].slots[BUNDLE_VERDICT];
    const struct bilanx_verdict none = {.interval = {NAN, NAN}};
    const struct bilanx_verdict *verdict = record->verdict ? record->verdict : &none;
    AUTO(text) struct text cell = {0};
    table_row(table);
    text_add_shortened(&cell, item->name, 100);
    add_cell(table, &cell);
    table_cell(table, TABLE_PLAIN, "%s", bundle->side_count > 2 ? bundle->sides[side].name : "");
    add_time_cell(table, verdict->times[0]);
    add_time_cell(table, verdict->times[1]);
    if (record->verdict)
        verdict_add_change(verdict, &cell);
    add_cell(table, &cell);
    verdict_add_interval(verdict, &cell);
    add_cell(table, &cell);
    table_cell(table, TABLE_PLAIN, "%s", record->error ? record->error->code : verdict->verdict);
}

static void add_table(const struct bundle *bundle, struct text *out)
{
    AUTO(table) struct table table = {0};
    size_t shown = 0, left_out = 0;
    table_column(&table, "case", TABLE_LEFT);
    table_column(&table, "side", TABLE_LEFT);
    table_column(&table, "base", TABLE_RIGHT);
    table_column(&table, "branch", TABLE_RIGHT);
    table_column(&table, "change", TABLE_RIGHT);
    table_column(&table, "interval, %", TABLE_RIGHT);
    table_column(&table, "verdict", TABLE_LEFT);
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++) {
            if (!is_news(&bundle->cases[i].parts[side].slots[BUNDLE_VERDICT]))
                continue;
            if (shown < MOST_CASES)
                add_row(&table, bundle, &bundle->cases[i], side);
            *(shown < MOST_CASES ? &shown : &left_out) += 1;
        }
    if (!shown)
        return;
    text_add(out, "\n");
    table_print(&table, (struct table_look){.format = BILANX_MARKDOWN}, out);
    if (left_out)
        text_format(out, "\n%zu more are in `verdicts.md`.\n", left_out);
}

// ---- Details

static void add_functions(const struct bundle *bundle, const struct counted_functions *functions,
                          size_t side, struct text *out)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "function", TABLE_LEFT);
    table_column(&table, bundle->sides[0].name, TABLE_RIGHT);
    table_column(&table, bundle->sides[side].name, TABLE_RIGHT);
    table_column(&table, "change", TABLE_RIGHT);
    for (size_t i = 0; i < functions->count && i < MOST_FUNCTIONS; i++) {
        const struct counted_function *item = &functions->items[i];
        const double counts[] = {item->before, item->after, item->after - item->before};
        AUTO(text) struct text cell = {0};
        if (counts[2] == 0)
            break;
        table_row(&table);
        text_add_shortened(&cell, item->name, 100);
        add_cell(&table, &cell);
        for (size_t c = 0; c < 3; c++) {
            count_add(&cell, counts[c], c == 2);
            add_cell(&table, &cell);
        }
    }
    table_print(&table, (struct table_look){.format = BILANX_MARKDOWN}, out);
}

static bool add_details(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                        struct text *out)
{
    AUTO(counted_functions) struct counted_functions functions = {0};
    if (!part_is_slower(&item->parts[side]) || !bundle_functions(item, side, &functions))
        return false;
    AUTO(text) struct text name = {0};
    text_add_shortened(&name, item->name, 100);
    text_add(out, "\n<details><summary>Instructions per call of ");
    xml_add(out, text_get(&name));
    text_add(out, "</summary>\n\n");
    add_functions(bundle, &functions, side, out);
    text_add(out, "\n</details>\n");
    return true;
}

static void add_origin(const struct bundle *bundle, struct text *out)
{
    for (size_t i = 0; i < bundle->side_count; i++) {
        text_format(out, "- %s ", i ? "branch" : "base");
        add_text(bundle->sides[i].name, out);
        text_add(out, ": ");
        add_text(bundle->sides[i].title, out);
        text_add(out, "\n");
    }
}

void bundle_add_summary(const struct bundle *bundle, struct text *out)
{
    struct bundle_totals totals = bundle_total(bundle);
    size_t details = 0;
    text_add(out, "### Benchmarks: ");
    bundle_add_totals(&totals, out);
    text_add(out, "\n\n");
    add_origin(bundle, out);
    add_table(bundle, out);
    for (size_t i = 0; i < bundle->case_count && details < MOST_DETAILS; i++)
        for (size_t side = 1; side < bundle->side_count; side++)
            details += add_details(bundle, &bundle->cases[i], side, out);
    AUTO(text) struct text variants = {0};
    bundle_add_variants(bundle, &variants);
    if (details && variants.size) {
        text_add(out, "\n");
        add_text(text_get(&variants), out);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < bundle->missing.count; i++) {
        text_add(out, "\nMissing: ");
        add_text(bundle->missing.items[i], out);
        text_add(out, "\n");
    }
    text_format(out, "\nMeasured by bilanx %s: ", bilanx_version());
    add_code(bundle->command, out);
    text_add(out, "\n");
}
