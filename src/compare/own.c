// own: our look. Quiet: what is the same everywhere is not said, what repeats is said once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "compare/page.h"

// Whether any best or doubtful cell was shown, for the key below the table.
struct marks {
    bool best, doubt;
};

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
        const struct cell *cell = page_cell(page, i, column);
        if (!cell_filled(cell))
            continue;
        ++*filled;
        if (best == SIZE_MAX ||
            better * cell->quantity.value > better * page_cell(page, best, column)->quantity.value)
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
            marked[i] = cell_filled(page_cell(page, i, column)) &&
                        as_good(better, &page_cell(page, i, column)->quantity,
                                &page_cell(page, best, column)->quantity);
    }
}

// Eighths of a block: a bar of up to so many columns. A counter may be negative: it has no bar.
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
    const struct cell *cell = page_cell(page, row, column);
    bool filled = cell_filled(cell);
    AUTO(text) struct text text = {0};
    page_value(page, cell, &text);
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
        const char *heading = grid->columns[first + i];
        bool above_marks = *heading && !page->markdown;
        AUTO(memory) char *title = mem_format("%s%s", heading, above_marks ? "  " : "");
        table_column(&table, title, TABLE_RIGHT);
        if (page->bar)
            table_column(&table, "", TABLE_LEFT);
        find_best(page, first + i, best + i * grid->row_count);
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        table_row(&table);
        add_headings(page, row, &table);
        for (size_t i = 0; i < count; i++)
            add_value(page, row, first + i, best[i * grid->row_count + row], marks, &table);
    }
    if (page->means)
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

static void draw(struct page *page, struct marks *marks, struct text *out)
{
    page_fit(page);
    draw_title(page, out);
    size_t columns = page->grid->column_count;
    for (size_t first = 0, count; first < columns; first += count) {
        if (first)
            text_add(out, "\n");
        count = page_block(page, first);
        draw_block(page, first, count, marks, out);
    }
    page_done(page);
}

static void draw_key(const struct marks *marks, bool markdown, FILE *out)
{
    if (marks->best)
        fprintf(out, "\n%s best of its column, or not to be told from it%s\n",
                markdown ? "\\*" : "*", markdown && marks->doubt ? "  " : "");
    if (marks->doubt)
        fprintf(out, "%s! there are warnings about it\n", marks->best ? "" : "\n");
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
    size_t start = out->size;
    text_add_harmless(out, code ? code : "failed");
    for (size_t i = start; i < out->size; i++)
        out->data[i] = out->data[i] == '-' ? ' ' : out->data[i];
}
