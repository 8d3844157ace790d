// own: our look. Quiet: what is the same everywhere is not said, what repeats is said once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "compare/looks.h"

struct page {
    const struct sheets *sheets;
    const struct sheet *sheet;
    const struct grid *grid;
    const struct bilanx_compare_options *options;
    bool markdown;
    bool threads, envs;  // worth a column
    size_t *widths;      // of each column's cells
    double *largest;     // of each column
    size_t bar;          // columns of a bar; 0: none
};

// Whether any best or doubtful cell was shown, for the key below the table.
struct marks {
    bool best, doubt;
};

static const struct cell *cell_at(const struct page *page, size_t row, size_t column)
{
    return &page->sheet->cells[row * page->grid->column_count + column];
}

static void look_at_rows(struct page *page)
{
    const struct grid *grid = page->grid;
    for (size_t i = 1; i < grid->row_count; i++) {
        page->threads |= grid->rows[i].threads != grid->rows[0].threads;
        page->envs |= strcmp(grid->rows[i].env, grid->rows[0].env) != 0;
    }
    page->threads |= grid->row_count && grid->rows[0].threads > 1;
}

// Whether `a` is better than `b`, or with what is known cannot be told from it.
static bool as_good(int better, const struct quantity *a, const struct quantity *b)
{
    double ours = better < 0 ? a->low : a->high, theirs = better < 0 ? b->high : b->low;
    if (isnan(ours) || isnan(theirs)) {
        ours = a->value;
        theirs = b->value;
    }
    return better < 0 ? ours <= theirs : ours >= theirs;
}

static size_t best_of(const struct page *page, size_t column, size_t first, size_t end,
                      size_t *filled)
{
    int better = page->sheets->metric.better;
    size_t best = SIZE_MAX;
    *filled = 0;
    for (size_t i = first; i < end; i++) {
        const struct cell *cell = cell_at(page, i, column);
        if (!cell_filled(cell))
            continue;
        ++*filled;
        if (best == SIZE_MAX ||
            better * cell->quantity.value > better * cell_at(page, best, column)->quantity.value)
            best = i;
    }
    return best;
}

// The best of a column among rows of the same number of threads. A single row is no best.
static void find_best(const struct page *page, size_t column, bool *marked)
{
    const struct grid *grid = page->grid;
    int better = page->sheets->ratios ? 0 : page->sheets->metric.better;
    for (size_t first = 0, end; better && first < grid->row_count; first = end) {
        for (end = first + 1;
             end < grid->row_count && grid->rows[end].threads == grid->rows[first].threads; end++)
            ;
        size_t filled, best = best_of(page, column, first, end, &filled);
        for (size_t i = first; i < end && filled > 1; i++)
            marked[i] = cell_filled(cell_at(page, i, column)) &&
                        as_good(better, &cell_at(page, i, column)->quantity,
                                &cell_at(page, best, column)->quantity);
    }
}

static void value_text(const struct page *page, const struct cell *cell, struct text *out)
{
    char number[UNITS_SIZE];
    double half_width = cell_half_width(cell);
    if (cell->failure)
        look_add_failure(cell->failure, out);
    else if (!cell_filled(cell))
        text_add(out, cell->there ? "-" : "");
    else if (page->sheets->ratios)
        text_add(out, cell->quantity.value == 1 && isnan(half_width)
                          ? "1"
                          : units_measured(cell->quantity.value, half_width, number));
    else
        text_add(out, page->sheets->metric.print(cell->quantity.value, half_width, number));
}

// Eighths of a block: a bar of up to so many columns.
static void bar_text(double share, size_t width, struct text *out)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    size_t size = (size_t)(share * (double)width * 8 + 0.5);
    text_add_repeated(out, "\u2588", size / 8);
    text_add(out, size ? eighths[size % 8] : eighths[1]);
}

static void measure_columns(struct page *page)
{
    const struct grid *grid = page->grid;
    AUTO(text) struct text text = {0};
    for (size_t column = 0; column < grid->column_count; column++) {
        text_clear(&text);
        text_add_harmless(&text, grid->columns[column]);
        size_t width = text_width(text_get(&text));
        for (size_t row = 0; row < grid->row_count; row++) {
            const struct cell *cell = cell_at(page, row, column);
            text_clear(&text);
            value_text(page, cell, &text);
            size_t needed = text_width(text_get(&text)) + 2;  // and its mark
            width = needed > width ? needed : width;
            if (cell->quantity.value > page->largest[column])
                page->largest[column] = cell->quantity.value;
        }
        page->widths[column] = width;
    }
}

static size_t heading_width(const struct page *page)
{
    size_t name = 0, env = 0;
    AUTO(text) struct text text = {0};
    for (size_t i = 0; i < page->grid->row_count; i++) {
        text_clear(&text);
        text_add_harmless(&text, page->grid->rows[i].name);
        size_t width = text_width(text_get(&text));
        name = width > name ? width : name;
        width = page->envs ? text_width(page->grid->rows[i].env) + 2 : 0;
        env = width > env ? width : env;
    }
    return name + env + (page->threads ? strlen("threads") + 2 : 0);
}

// How many columns from `first` on fit beside the headings; at least one.
static size_t columns_that_fit(const struct page *page, size_t heading, size_t first)
{
    size_t count = page->grid->column_count;
    if (page->options->width == 0 || page->markdown)
        return count - first;
    size_t used = heading, fit = 0;
    while (first + fit < count &&
           (fit == 0 || used + 2 + page->widths[first + fit] <= page->options->width))
        used += 2 + page->widths[first + fit++];
    return fit;
}

// Bars take what is left when everything else fits, if that is enough to see something.
static void choose_bars(struct page *page, size_t heading)
{
    enum { LEAST = 5, MOST = 16 };
    size_t used = heading;
    for (size_t i = 0; i < page->grid->column_count; i++)
        used += 2 + page->widths[i];
    if (page->markdown || page->sheets->ratios || page->grid->row_count < 2 ||
        page->options->width <= used)
        return;
    size_t each = (page->options->width - used) / page->grid->column_count;
    each = each > 2 ? each - 2 : 0;
    page->bar = each < LEAST ? 0 : each > MOST ? MOST : each;
}

static void add_headings(const struct page *page, const struct grid_row *row,
                         const struct grid_row *before, struct table *table)
{
    bool new_block = !before || page->markdown || before->threads != row->threads;
    bool new_env = new_block || strcmp(before->env, row->env) != 0;
    if (page->threads && new_block)
        table_cell(table, TABLE_PLAIN, "%llu", (unsigned long long)row->threads);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s", page->envs && new_env ? row->env : "");
    table_cell(table, TABLE_PLAIN, "%s", row->name);
}

static enum table_tone tone_of(const struct page *page, const struct cell *cell, bool best)
{
    const struct quantity *quantity = &cell->quantity;
    if (cell->failure)
        return TABLE_BAD;
    if (page->sheets->ratios && page->sheets->metric.better) {
        bool less = quantity->high<1, more = quantity->low> 1;
        bool good = page->sheets->metric.better < 0 ? less : more;
        return less || more ? good ? TABLE_GOOD : TABLE_BAD : TABLE_PLAIN;
    }
    return best ? TABLE_GOOD : cell->doubt && cell_filled(cell) ? TABLE_WARN : TABLE_PLAIN;
}

static void add_value(const struct page *page, size_t row, size_t column, bool best,
                      struct marks *marks, struct table *table)
{
    const struct cell *cell = cell_at(page, row, column);
    bool filled = cell_filled(cell);
    AUTO(text) struct text text = {0};
    value_text(page, cell, &text);
    if (text.size)
        text_format(&text, "%s%s", best ? "*" : " ", filled && cell->doubt ? "!" : " ");
    while (page->markdown && text.size && text.data[text.size - 1] == ' ')
        text.data[--text.size] = '\0';
    enum table_tone tone = tone_of(page, cell, best);
    table_cell(table, tone, "%s", text_get(&text));
    marks->best |= best;
    marks->doubt |= filled && cell->doubt;
    if (!page->bar)
        return;
    AUTO(text) struct text bar = {0};
    if (filled && page->largest[column] > 0)
        bar_text(cell->quantity.value / page->largest[column], page->bar, &bar);
    table_cell(table, TABLE_DIM, "%s", text_get(&bar));
}

static void add_means(const struct page *page, size_t first, size_t count, struct table *table)
{
    size_t rows = 0;
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s", "");
    sheet_mean(page->sheet, 0, &rows);
    if (rows == page->grid->row_count)
        table_cell(table, TABLE_DIM, "geometric mean");
    else
        table_cell(table, TABLE_DIM, "geometric mean (%zu of %zu rows)", rows,
                   page->grid->row_count);
    for (size_t i = first; i < first + count; i++) {
        struct cell mean = {.quantity = {sheet_mean(page->sheet, i, &rows), NAN, NAN}};
        AUTO(text) struct text text = {0};
        value_text(page, &mean, &text);
        if (!page->markdown && text.size)
            text_add(&text, "  ");
        table_cell(table, TABLE_DIM, "%s", text_get(&text));
        if (page->bar)
            table_cell(table, TABLE_DIM, "%s", "");
    }
}

// The columns from `first` on, as a table of their own.
static void draw_block(const struct page *page, size_t first, size_t count, struct marks *marks,
                       struct text *out)
{
    const struct grid *grid = page->grid;
    AUTO(table) struct table table = {0};
    AUTO(memory) bool *best = mem_array(bool, count * grid->row_count);
    table_column(&table, "threads", TABLE_RIGHT);
    table_column(&table, page->markdown ? "env" : "", TABLE_LEFT);
    table_column(&table, "", TABLE_LEFT);
    for (size_t i = 0; i < count; i++) {
        table_column(&table, grid->columns[first + i], TABLE_RIGHT);
        if (page->bar)
            table_column(&table, "", TABLE_LEFT);
        find_best(page, first + i, best + i * grid->row_count);
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        table_row(&table);
        add_headings(page, &grid->rows[row], row ? &grid->rows[row - 1] : NULL, &table);
        for (size_t i = 0; i < count; i++)
            add_value(page, row, first + i, best[i * grid->row_count + row], marks, &table);
    }
    if (page->options->summary)
        add_means(page, first, count, &table);
    table_print(&table,
                page->markdown         ? TABLE_MARKDOWN
                : page->options->color ? TABLE_COLOR
                                       : TABLE_TEXT,
                out);
}

static void draw_title(const struct page *page, struct text *out)
{
    AUTO(text) struct text title = {0};
    text_add_harmless(&title, page->grid->label);
    const char *metric = page->sheets->metric.name;
    if (strcmp(metric, "time") != 0 || page->sheets->ratios)
        text_format(&title, "%s%s", title.size ? ": " : "", metric);
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

static void draw(struct page *page, struct marks *marks, struct text *out)
{
    size_t columns = page->grid->column_count;
    AUTO(memory) size_t *widths = mem_array(size_t, columns);
    AUTO(memory) double *largest = mem_array(double, columns);
    page->widths = widths;
    page->largest = largest;
    look_at_rows(page);
    if (page->options->width && !page->markdown)
        measure_columns(page);
    size_t heading = heading_width(page);
    choose_bars(page, heading);
    draw_title(page, out);
    for (size_t first = 0, count; first < columns; first += count) {
        if (first)
            text_add(out, "\n");
        count = columns_that_fit(page, heading, first);
        draw_block(page, first, count, marks, out);
    }
}

static void draw_key(const struct marks *marks, bool markdown, FILE *out)
{
    if (!marks->best && !marks->doubt)
        return;
    fprintf(out, "\n%s%s%s%s\n", marks->best ? (markdown ? "\\* " : "* ") : "",
            marks->best ? "best of its column, or not to be told from it" : "",
            marks->best && marks->doubt ? "; " : "",
            marks->doubt ? "! there are warnings about it" : "");
}

void look_own(const struct sheets *sheets, const struct bilanx_compare_options *options, FILE *out)
{
    struct marks marks = {0};
    bool markdown = options->format == BILANX_COMPARE_MARKDOWN;
    for (size_t i = 0; i < sheets->count; i++) {
        struct page page = {.sheets = sheets,
                            .sheet = &sheets->items[i],
                            .grid = sheets->items[i].grid,
                            .options = options,
                            .markdown = markdown};
        AUTO(text) struct text table = {0};
        draw(&page, &marks, &table);
        fprintf(out, "%s%s", i ? "\n" : "", text_get(&table));
    }
    draw_key(&marks, markdown, out);
}

void look_add_failure(const char *code, struct text *out)
{
    for (const char *at = code ? code : "failed"; *at; at++)
        text_add_char(out, *at == '-' ? ' ' : *at);
}
