// own: our format. It omits labels that are the same everywhere and prints repeated values once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/table.h"
#include "results/compare/page.h"

// Draws a bar of up to `width` columns in eighths of a block. Negative counters have no bar.
static void bar_text(double share, size_t width, struct text *out)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    if (!(share >= 0 && share <= 1))
        return;
    size_t size = (size_t)(share * (double)width * 8 + 0.5);
    text_add_repeated(out, "\u2588", size / 8);
    text_add(out, size ? eighths[size % 8] : eighths[1]);
}

static void add_headings(const struct page *page, size_t at, struct table *table)
{
    const struct grid_row *row = &page->grid->rows[at], *before = at ? row - 1 : NULL;
    bool new_block = !before || page->markdown || before->threads != row->threads;
    bool new_env = new_block || strcmp(before->env, row->env) != 0;
    if (page->threads && new_block)
        table_cell(table, TABLE_PLAIN, "%llu", (unsigned long long)row->threads);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s", page->envs && new_env ? row->env : "");
    table_cell(table, TABLE_PLAIN, "%s", page->names[at]);
}

static enum table_tone tone_of(const struct page *page, const struct cell *cell, bool best)
{
    const struct quantity *quantity = &cell->quantity;
    if (cell->failure)
        return strcmp(cell->failure, "skipped") == 0 ? TABLE_DIM : TABLE_BAD;
    if (page->sheets->ratios && page->sheets->metric.better) {
        bool less = quantity->high < 1, more = quantity->low > 1;
        bool good = page->sheets->metric.better < 0 ? less : more;
        return less || more ? good ? TABLE_GOOD : TABLE_BAD : TABLE_PLAIN;
    }
    return best ? TABLE_GOOD : cell->doubt && cell_filled(cell) ? TABLE_WARN : TABLE_PLAIN;
}

static void add_value(const struct page *page, size_t row, size_t column, struct table *table)
{
    const struct cell *cell = sheet_cell(page->sheet, row, column);
    bool filled = cell_filled(cell), best = page->best[row * page->grid->column_count + column];
    AUTO(text) struct text text = {0};
    page_value(page, cell, &text);
    if (text.size)
        page_marks(page, best, filled && cell->doubt, &text);
    table_cell(table, tone_of(page, cell, best), "%s", text_get(&text));
    for (size_t i = 0; i < page->sheets->beside_count; i++) {
        AUTO(text) struct text beside = {0};
        page_beside(page, i, row, column, &beside);
        table_cell(table, TABLE_PLAIN, "%s", text_get(&beside));
    }
    if (!page->bar)
        return;
    AUTO(text) struct text bar = {0};
    if (filled && page->largest[column] > 0)
        bar_text(cell->quantity.value / page->largest[column], page->bar, &bar);
    table_cell(table, TABLE_DIM, "%s", text_get(&bar));
}

static void add_means(const struct page *page, size_t first, size_t count, struct table *table)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s", "");
    AUTO(text) struct text heading = {0};
    page_mean_heading(page, &heading);
    table_cell(table, TABLE_DIM, "%s", text_get(&heading));
    for (size_t i = first; i < first + count; i++) {
        struct cell mean = {.quantity = {page->means[i], NAN, NAN}};
        AUTO(text) struct text text = {0};
        page_value(page, &mean, &text);
        if (text.size)
            page_marks(page, false, false, &text);
        table_cell(table, TABLE_DIM, "%s", text_get(&text));
        for (size_t k = 0; k < page->sheets->beside_count + (page->bar > 0); k++)
            table_cell(table, TABLE_DIM, "%s", "");
    }
}

// Draws the columns from `first` on as a separate table.
static void draw_block(const struct page *page, size_t first, size_t count, struct text *out)
{
    const struct grid *grid = page->grid;
    AUTO(table) struct table table = {0};
    table_column(&table, "threads", TABLE_RIGHT);
    table_column(&table, page->markdown ? "env" : "", TABLE_LEFT);
    table_column(&table, "", TABLE_LEFT);
    for (size_t i = 0; i < count; i++) {
        AUTO(text) struct text title = {0};
        text_add(&title, grid->columns[first + i]);
        if (title.size == 0 && page->sheets->beside_count)
            text_add(&title, page->sheets->metric.name);
        if (title.size)
            page_marks(page, false, false, &title);
        table_column(&table, text_get(&title), TABLE_RIGHT);
        for (size_t k = 0; k < page->sheets->beside_count; k++)
            table_column(&table, page->sheets->beside[k].metric.name,
                         page->sheets->beside[k].metric.say ? TABLE_LEFT : TABLE_RIGHT);
        if (page->bar)
            table_column(&table, "", TABLE_LEFT);
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        table_row(&table);
        add_headings(page, row, &table);
        for (size_t i = 0; i < count; i++)
            add_value(page, row, first + i, &table);
    }
    if (page->means)
        add_means(page, first, count, &table);
    table_print(&table, (struct table_look){page->options->format, page->options->color}, out);
}

static void draw_title(const struct page *page, struct text *out)
{
    AUTO(text) struct text title = {0};
    text_add_harmless(&title, page->grid->label);
    const char *metric = page->sheets->metric.name;
    if (strcmp(metric, "time") != 0 || page->sheets->ratios) {
        text_add(&title, title.size ? ": " : "");
        text_add_harmless(&title, metric);
    }
    if (page->sheets->ratios) {
        text_add(&title, " / ");
        text_add_harmless(&title, page->options->ratio);
    }
    if (title.size == 0)
        return;
    if (page->markdown)
        text_add(out, "### ");
    if (page->markdown)
        table_add_markdown(out, text_get(&title));
    else
        tone_add(out, page->options->color, TABLE_BOLD, text_get(&title));
    text_add(out, page->markdown ? "\n\n" : "\n");
}

static void draw(struct page *page, struct text *out)
{
    page_fit(page);
    draw_title(page, out);
    size_t columns = page->grid->column_count;
    for (size_t first = 0, count; first < columns; first += count) {
        if (first)
            text_add(out, "\n");
        count = page_block(page, first);
        draw_block(page, first, count, out);
    }
    page_done(page);
}

static void list_codes(const struct metric *metric, const struct sheet *sheet, struct list *codes)
{
    for (size_t at = 0; at < sheet->grid->row_count * sheet->grid->column_count; at++) {
        const struct cell *cell = &sheet->cells[at];
        for (size_t i = 0; cell->doubt && i < cell->record->warning_count; i++) {
            const char *code = cell->record->warnings[i].code;
            bool known = !metric_doubts(metric, code);
            for (size_t k = 0; k < codes->count && !known; k++)
                known = strcmp(codes->items[k], code) == 0;
            if (!known)
                list_add(codes, code);
        }
    }
}

// Which warnings, as no notes may follow: "! has warnings: wide-interval, busy-machine".
static void add_doubts(const struct sheets *sheets, struct list *lines)
{
    AUTO(list) struct list codes = {0};
    struct text line = {0};
    for (size_t i = 0; i < sheets->count; i++)
        list_codes(&sheets->metric, &sheets->items[i], &codes);
    text_add(&line, "! has warnings: ");
    for (size_t i = 0; i < codes.count; i++) {
        text_add(&line, i ? ", " : "");
        text_add_harmless(&line, codes.items[i]);
    }
    list_take(lines, text_take(&line));
}

// The groups of columns that have a best cell each, by the beginning of their headings: "sort,
// copy". Nothing if all columns of a table are one group.
static void name_groups(const struct sheets *sheets, struct text *out)
{
    enum { MOST = 3 };
    AUTO(list) struct list names = {0};
    for (size_t i = 0; i < sheets->count; i++) {
        const struct grid *grid = sheets->items[i].grid;
        size_t last = grid->column_count - 1;
        if (!grid->column_stems || grid->column_groups[0] == grid->column_groups[last])
            continue;
        for (size_t column = 1; column <= last; column++) {
            AUTO(memory) char *name = mem_text_n(grid->columns[column], grid->column_stems[column]);
            bool known = !*name || grid->column_groups[column] != grid->column_groups[column - 1];
            for (size_t k = 0; k < names.count && !known; k++)
                known = strcmp(names.items[k], name) == 0;
            if (!known)
                list_add(&names, name);
        }
    }
    for (size_t i = 0; i < names.count && i < MOST; i++) {
        text_add(out, i ? ", " : "");
        text_add_harmless(out, names.items[i]);
    }
    text_add(out, names.count > MOST ? ", ..." : "");
}

static void add_star(const struct sheets *sheets, const struct bilanx_compare_options *options,
                     struct list *lines)
{
    bool markdown = options->format == BILANX_MARKDOWN;
    AUTO(text) struct text names = {0}, groups = {0};
    name_groups(sheets, &names);
    if (markdown)
        table_add_markdown(&groups, text_get(&names));
    else
        text_add(&groups, text_get(&names));
    const char *star = markdown ? "\\*" : "*";
    const char *group = options->envs || options->best_of_row ? "row" : "column";
    list_take(lines, groups.size
                         ? mem_format("%s best of its row for each name (%s), or too close to "
                                      "call",
                                      star, text_get(&groups))
                         : mem_format("%s best of its %s, or too close to call", star, group));
}

static bool has_core(const struct sheets *sheets, const char *state)
{
    for (size_t i = 0; i < sheets->count; i++) {
        const struct grid *grid = sheets->items[i].grid;
        for (size_t at = 0; at < grid->row_count * grid->column_count; at++) {
            const struct cell *cell = &sheets->items[i].cells[at];
            if (cell_filled(cell) && cell->record && text_equal(cell->record->core, state))
                return true;
        }
    }
    return false;
}

// A time beside a busy neighbour is up to twice as long as one with the core to itself.
static void add_cores(const struct sheets *sheets, struct list *lines)
{
    if (has_core(sheets, "free") && has_core(sheets, "shared"))
        list_add(lines, "some of these had the core to themselves, others shared it: they are not "
                        "comparable ('core' in --format csv tells which)");
}

static void add_variants(const struct list *variants, struct list *lines)
{
    AUTO(text) struct text line = {0};
    text_add(&line, "counts are of different variants of glibc's functions: ");
    for (size_t i = 0; i < variants->count; i++)
        text_format(&line, "%s%s", i ? ", and " : "", variants->items[i]);
    struct text harmless = {0};
    text_add_harmless(&harmless, text_get(&line));
    list_take(lines, text_take(&harmless));
}

// What the marks of some table mean, and what to know about the values.
static void add_key(const struct sheets *sheets, const struct page *any,
                    const struct bilanx_compare_options *options, struct list *lines)
{
    add_cores(sheets, lines);
    if (any->starred)
        add_star(sheets, options, lines);
    if (any->doubted)
        add_doubts(sheets, lines);
    if (any->uncertain && !options->digits_explained)
        list_add(lines, "1.23(4): the last digits are uncertain by 4, at 95 %");
    if (sheets->kinds > 1)
        list_take(lines,
                  mem_format("times are from %zu kinds of machines: compare only those of one kind",
                             sheets->kinds));
    if (sheets->variants)
        add_variants(sheets->variants, lines);
}

void look_own(const struct sheets *sheets, const struct bilanx_compare_options *options, FILE *out)
{
    bool markdown = options->format == BILANX_MARKDOWN;
    struct page any = {0};
    AUTO(list) struct list lines = {0};
    for (size_t i = 0; i < sheets->count; i++) {
        struct page page = {.sheets = sheets,
                            .sheet = &sheets->items[i],
                            .grid = sheets->items[i].grid,
                            .options = options,
                            .markdown = markdown};
        AUTO(text) struct text table = {0};
        draw(&page, &table);
        any.starred |= page.starred;
        any.doubted |= page.doubted;
        any.uncertain |= page.uncertain;
        fprintf(out, "%s%s", i ? "\n" : "", text_get(&table));
    }
    add_key(sheets, &any, options, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        enum { INDENT = 2 };
        AUTO(text) struct text line = {0};
        text_add_paragraph(&line, 0, INDENT, markdown ? 0 : options->width, lines.items[i]);
        fprintf(out, "%s%s%s\n", i ? "" : "\n", text_get(&line),
                markdown && i + 1 < lines.count ? "  " : "");
    }
}

void look_add_failure(const char *code, struct text *out)
{
    size_t start = out->size;
    text_add_harmless(out, code ? code : "failed");
    for (size_t i = start; i < out->size; i++)
        out->data[i] = out->data[i] == '-' ? ' ' : out->data[i];
}
