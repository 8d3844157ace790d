// page: fits one of our tables to the terminal.
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void look_at_rows(struct page *page)
{
    const struct grid *grid = page->grid;
    for (size_t i = 1; i < grid->row_count; i++) {
        page->threads |= grid->rows[i].threads != grid->rows[0].threads;
        page->envs |= strcmp(grid->rows[i].env, grid->rows[0].env) != 0;
    }
    page->threads |= grid->row_count && grid->rows[0].threads > 1;
}

static size_t widened(size_t width, const char *text)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, text);
    size_t needed = text_width(text_get(&harmless));
    return needed > width ? needed : width;
}

void page_value(const struct page *page, const struct cell *cell, struct text *out)
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
    else if (page->sheets->metric.say)
        page->sheets->metric.say(cell->record, out);
    else
        text_add(out, page->sheets->metric.print(cell->quantity.value, half_width, number));
}

void page_beside(const struct page *page, size_t which, size_t row, size_t column, struct text *out)
{
    const struct sheets *sheets = &page->sheets->beside[which];
    const struct sheet *sheet = &sheets->items[page->sheet - page->sheets->items];
    const struct cell *cell = sheet_cell(sheet, row, column);
    if (cell_filled(cell))
        page_value(&(struct page){.sheets = sheets}, cell, out);
}

// The width of the columns beside a value, with their gaps.
static size_t beside_width(const struct page *page, size_t column)
{
    AUTO(text) struct text text = {0};
    size_t all = 0;
    for (size_t which = 0; which < page->sheets->beside_count; which++) {
        size_t width = 0;
        for (size_t row = 0; row < page->grid->row_count; row++) {
            text_clear(&text);
            page_beside(page, which, row, column, &text);
            width = widened(width, text_get(&text));
        }
        all += width ? 2 + widened(width, page->sheets->beside[which].metric.name) : 0;
    }
    return all;
}

static bool is_uncertain(const struct page *page, const struct cell *cell)
{
    AUTO(text) struct text text = {0};
    if (!cell_filled(cell) || isnan(cell_half_width(cell)) || page->sheets->metric.say)
        return false;
    page_value(page, cell, &text);
    return strchr(text_get(&text), '(');
}

static void look_at_cells(struct page *page)
{
    size_t count = page->grid->row_count * page->grid->column_count;
    int better = page->sheets->ratios ? 0 : page->sheets->metric.better;
    page->best = mem_array(bool, count);
    page->starred = sheet_mark_best(page->sheet, better, page->best);
    for (size_t i = 0; i < count && !page->doubted; i++)
        page->doubted = page->sheet->cells[i].doubt && cell_filled(&page->sheet->cells[i]);
    for (size_t i = 0; i < count && !page->uncertain; i++)
        page->uncertain = is_uncertain(page, &page->sheet->cells[i]);
}

static size_t marks_width(const struct page *page)
{
    return page->doubted ? 2 : page->starred ? 1 : 0;
}

void page_marks(const struct page *page, bool best, bool doubt, struct text *out)
{
    size_t columns = marks_width(page);
    if (page->markdown)
        columns = doubt ? 2 : best ? 1 : 0;
    char marks[] = {best ? '*' : ' ', doubt ? '!' : ' '};
    text_add_n(out, marks, columns);
}

static void measure_columns(struct page *page)
{
    const struct grid *grid = page->grid;
    AUTO(text) struct text text = {0};
    for (size_t column = 0; column < grid->column_count; column++) {
        const char *title = grid->columns[column];
        bool unnamed = !*title && page->sheets->beside_count;
        size_t width = widened(0, unnamed ? page->sheets->metric.name : title);
        for (size_t row = 0; row < grid->row_count; row++) {
            const struct cell *cell = sheet_cell(page->sheet, row, column);
            text_clear(&text);
            page_value(page, cell, &text);
            width = widened(width, text_get(&text));
            if (cell->quantity.value > page->largest[column])
                page->largest[column] = cell->quantity.value;
        }
        if (page->means) {
            text_clear(&text);
            page_value(page, &(struct cell){.quantity = {page->means[column], NAN, NAN}}, &text);
            width = widened(width, text_get(&text));
        }
        page->widths[column] = width + marks_width(page) + beside_width(page, column);
    }
}

// The width of the columns before the names.
static size_t prefix_width(const struct page *page)
{
    size_t env = 0;
    for (size_t i = 0; i < page->grid->row_count && page->envs; i++)
        env = widened(env, page->grid->rows[i].env);
    return env + (page->envs ? 2 : 0) + (page->threads ? strlen("threads") + 2 : 0);
}

// Shortens names to `room` columns; returns whether rows remain distinguishable.
static bool shorten_names(const struct page *page, size_t room)
{
    AUTO(index) struct index seen = {0};
    for (size_t i = 0; i < page->grid->row_count; i++) {
        const struct grid_row *row = &page->grid->rows[i];
        struct text name = {0}, harmless = {0};
        if (strcmp(row->name, page->grid->label) != 0)  // the title already says it
            text_add_harmless(&harmless, row->name);
        text_add_shortened(&name, text_get(&harmless), room);
        text_done(&harmless);
        free(page->names[i]);
        page->names[i] = text_take(&name);
        struct hash key = hash_start();
        hash_add(&key, &row->threads, sizeof row->threads);
        hash_add_text(&key, row->env);
        hash_add_text(&key, page->names[i]);
        bool added;
        size_t other = index_find_or_add(&seen, key, i, &added);
        if (!added && strcmp(page->grid->rows[other].name, row->name) != 0)
            return false;
    }
    return true;
}

void page_mean_heading(const struct page *page, struct text *out)
{
    text_add(out, "geometric mean");
    if (page->mean_rows < page->grid->row_count)
        text_format(out, " (%zu of %zu rows)", page->mean_rows, page->grid->row_count);
}

// A statement can be wider than the terminal: names get what the widest column leaves. Returns the
// width of all row headings.
static size_t choose_names(struct page *page)
{
    enum { LEAST = 20 };
    size_t widest = 0, name = 0, used = prefix_width(page) + 2;
    for (size_t i = 0; i < page->grid->column_count; i++)
        widest = page->widths[i] > widest ? page->widths[i] : widest;
    used += widest;
    size_t room = page->options->width > used ? page->options->width - used : 0;
    if (!page->options->width || page->markdown ||
        !shorten_names(page, room > LEAST ? room : LEAST))
        shorten_names(page, SIZE_MAX);
    for (size_t i = 0; i < page->grid->row_count; i++)
        name = widened(name, page->names[i]);
    AUTO(text) struct text mean = {0};
    page_mean_heading(page, &mean);
    if (page->means)
        name = widened(name, text_get(&mean));
    return prefix_width(page) + name;
}

// Bars use the remaining space, if it is wide enough to be useful.
static void choose_bars(struct page *page)
{
    enum { LEAST = 5, MOST = 16 };
    size_t used = page->heading;
    for (size_t i = 0; i < page->grid->column_count; i++)
        used += 2 + page->widths[i];
    if (page->markdown || page->sheets->ratios || page->sheets->beside_count ||
        page->grid->row_count < 2 || page->options->width <= used)
        return;
    size_t each = (page->options->width - used) / page->grid->column_count;
    each = each > 2 ? each - 2 : 0;
    page->bar = each < LEAST ? 0 : each > MOST ? MOST : each;
}

size_t page_block(const struct page *page, size_t first)
{
    size_t count = page->grid->column_count;
    if (page->options->width == 0 || page->markdown)
        return count - first;
    size_t used = page->heading, fit = 0;
    while (first + fit < count &&
           (fit == 0 || used + 2 + page->widths[first + fit] <= page->options->width))
        used += 2 + page->widths[first + fit++];
    return fit;
}

void page_fit(struct page *page)
{
    size_t columns = page->grid->column_count;
    page->names = mem_array(char *, page->grid->row_count);
    page->widths = mem_array(size_t, columns);
    page->largest = mem_array(double, columns);
    if (page->options->summary) {
        page->means = mem_array(double, columns);
        page->mean_rows = sheet_means(page->sheet, page->means);
    }
    look_at_rows(page);
    look_at_cells(page);
    if (page->options->width && !page->markdown)
        measure_columns(page);
    page->heading = choose_names(page);
    choose_bars(page);
}

void page_done(struct page *page)
{
    for (size_t i = 0; i < page->grid->row_count; i++)
        free(page->names[i]);
    free(page->names);
    free(page->best);
    free(page->widths);
    free(page->largest);
    free(page->means);
}
