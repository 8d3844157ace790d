// table: prints rows of text in aligned columns.
#include "table.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "number.h"
#include "table_fit.h"

const char *const table_formats[] = {[BILANX_TABLE] = "table",
                                     [BILANX_MARKDOWN] = "markdown",
                                     [BILANX_CSV] = "csv",
                                     [BILANX_JSON] = "json",
                                     NULL};

static const char *const tone_codes[] = {
    [TABLE_PLAIN] = "",
    [TABLE_BOLD] = "\033[1m",
    [TABLE_DIM] = "\033[2m",
    [TABLE_GOOD] = "\033[32m",
    [TABLE_WARN] = "\033[33m",
    [TABLE_BAD] = "\033[31m",
    [TABLE_RISE] = "\033[2;33m",
    "\033[33m",
    "\033[1;33m",
    "\033[31m",
    "\033[1;31m",
    "\033[1;7;31m",
    [TABLE_FALL] = "\033[2;32m",
    "\033[32m",
    "\033[1;32m",
    "\033[36m",
    "\033[1;36m",
    "\033[1;7;36m",
};

void table_done(struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
    *table = (struct table){0};
}

void table_column(struct table *table, const char *title, enum table_align align)
{
    assert(table->cell_count == 0);
    mem_grow(table->columns, table->column_count, &table->column_room);
    struct text harmless = {0};
    text_add_harmless(&harmless, title);
    table->columns[table->column_count++] =
        (struct table_column){.title = text_take(&harmless), .align = align};
}

void table_rank(struct table *table, unsigned rank)
{
    table->columns[table->column_count - 1].rank = rank;
}

static void add_cell(struct table *table, enum table_tone tone, char *text)
{
    table->columns[table->cell_count % table->column_count].used |= text[0] != '\0';
    mem_grow(table->cells, table->cell_count, &table->cell_room);
    table->cells[table->cell_count++] = (struct table_cell){.text = text, .tone = tone};
}

void table_row(struct table *table)
{
    while (table->cell_count % table->column_count)
        add_cell(table, TABLE_PLAIN, mem_text(""));
}

void table_cell(struct table *table, enum table_tone tone, const char *format, ...)
{
    char *raw = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&raw, format, arguments);
    va_end(arguments);
    struct text text = {0};
    text_add_harmless(&text, length < 0 ? "" : raw);
    free(length < 0 ? NULL : raw);
    add_cell(table, tone, text_take(&text));
}

void tone_add(struct text *out, bool color, enum table_tone tone, const char *text)
{
    bool toned = color && tone != TABLE_PLAIN;
    text_add(out, toned ? tone_codes[tone] : "");
    text_add(out, text);
    text_add(out, toned ? "\033[0m" : "");
}

// As many words of a list as fit, and an ellipsis if that is not all of them.
static void add_list(struct text *out, const char *list, size_t width)
{
    static const char more[] = ", \u2026";
    enum { MORE_WIDTH = 3 };
    size_t fitting = 0;
    for (const char *at = list; (at = strstr(at, ", ")); at++) {
        AUTO(memory) char *start = mem_format("%.*s", (int)(at - list), list);
        if (text_width(start) + MORE_WIDTH <= width)
            fitting = (size_t)(at - list);
    }
    if (!fitting || text_width(list) <= width)
        text_add_shortened(out, list, width);
    else
        text_format(out, "%.*s%s", (int)fitting, list, more);
}

static void add_aligned(struct text *line, bool color, enum table_align align, size_t width,
                        enum table_tone tone, const char *text)
{
    AUTO(text) struct text fitting = {0};
    if (align == TABLE_LIST)
        add_list(&fitting, text, width);
    else
        text_add_shortened(&fitting, text, width);
    size_t padding = width - text_width(text_get(&fitting));
    if (align == TABLE_RIGHT)
        text_add_repeated(line, " ", padding);
    tone_add(line, color, tone, text_get(&fitting));
    if (align != TABLE_RIGHT)
        text_add_repeated(line, " ", padding);
}

static void end_line(struct text *out)
{
    while (out->size && out->data[out->size - 1] == ' ')
        out->data[--out->size] = '\0';
    text_add_char(out, '\n');
}

// Adds one of the lines of a cell. Returns whether the cell has that many.
static bool add_cell_line(struct text *out, enum table_align align, const char *cell, size_t width,
                          size_t line)
{
    AUTO(text) struct text lines = {0};
    if (align == TABLE_WRAP)
        text_add_paragraph(&lines, 0, 0, width, cell);
    else
        text_add(&lines, cell);
    const char *at = text_get(&lines);
    for (; line; line--) {
        at = strchr(at, '\n');
        if (!at)
            return false;
        at++;
    }
    text_add_n(out, at, strcspn(at, "\n"));
    return true;
}

// Prints one line of a row; `row` SIZE_MAX is the heading. Returns false, and prints nothing, if no
// cell has that many lines.
static bool print_text_line(const struct table *table, const size_t *widths, size_t row,
                            size_t line, bool color, struct text *out)
{
    bool first = true, any = false;
    size_t start = out->size;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (!widths[i])
            continue;
        text_add_repeated(out, " ", first ? 0 : TABLE_GAP);
        first = false;
        struct table_cell heading = {column->title, TABLE_DIM};
        const struct table_cell *cell =
            row == SIZE_MAX ? &heading : &table->cells[row * table->column_count + i];
        AUTO(text) struct text part = {0};
        any |= add_cell_line(&part, column->align, cell->text, widths[i], line);
        add_aligned(out, color, column->align, widths[i], cell->tone, text_get(&part));
    }
    if (any)
        end_line(out);
    else
        text_cut(out, start);
    return any;
}

static void print_text_row(const struct table *table, const size_t *widths, size_t row, bool color,
                           struct text *out)
{
    for (size_t line = 0; print_text_line(table, widths, row, line, color, out);)
        line++;
}

static bool has_titles(const struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].used && table->columns[i].title[0])
            return true;
    return false;
}

static void print_text_rows(const struct table *table, const size_t *widths, bool color,
                            struct text *out)
{
    if (has_titles(table))
        print_text_row(table, widths, SIZE_MAX, color, out);
    for (size_t row = 0; row < table->cell_count / table->column_count; row++)
        print_text_row(table, widths, row, color, out);
}

static void print_text(const struct table *table, const struct table_look *look, struct text *out)
{
    AUTO(memory) size_t *widths = mem_array(size_t, table->column_count);
    if (!table->keeps_all) {
        table_fit(table, look->width, widths);
        print_text_rows(table, widths, look->color, out);
        return;
    }
    for (size_t from = 1, next;; from = next) {
        next = table_fit_part(table, look->width, from, widths);
        print_text_rows(table, widths, look->color, out);
        if (next >= table->column_count)
            return;
        text_add(out, "\n");
    }
}

void table_number(struct table *table, double number)
{
    char text[NUMBER_SIZE];
    bool known = number - number == 0;
    table_cell(table, TABLE_PLAIN, "%s", known ? number_shortest(number, text) : "");
}

void table_keep_all(struct table *table)
{
    table->keeps_all = true;
}

void table_show_all(struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].used = true;
}

// A number may start with a sign and is not a formula.
static bool looks_like_formula(const char *text)
{
    double number;
    return *text && strchr("=+-@\t\r", *text) && !number_read(text, &number);
}

void table_add_csv(struct text *out, const char *text, bool safe)
{
    AUTO(memory) char *quoted = safe && looks_like_formula(text) ? mem_format("'%s", text) : NULL;
    text = quoted ? quoted : text;
    if (!strpbrk(text, ",\"\r\n")) {
        text_add(out, text);
        return;
    }
    text_add_char(out, '"');
    for (; *text; text++)
        text_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    text_add_char(out, '"');
}

// Hosts of Markdown turn some plain text into links and call people's names, even after a
// backslash: @somebody, https://..., www., #12. A zero-width space after the character prevents it.
static bool starts_link(const char *text, const char *at)
{
    unsigned char next = (unsigned char)at[1];
    return (*at == '@' && (isalnum(next) || next == '_')) || (*at == '#' && isdigit(next)) ||
           strncmp(at, "://", 3) == 0 || (at >= text + 2 && strncasecmp(at - 2, "www.", 4) == 0);
}

void table_add_markdown(struct text *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (strchr("|\\`*_~$#<>[]&", *at))
            text_add_char(out, '\\');
        text_add_char(out, *at);
        if (starts_link(text, at))
            text_add(out, "&#8203;");
    }
}

static void print_markdown_row(const struct table *table, const struct table_cell *cells,
                               struct text *out)
{
    text_add(out, "|");
    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->columns[i].used)
            continue;
        text_add(out, " ");
        table_add_markdown(out, cells ? cells[i].text : table->columns[i].title);
        text_add(out, " |");
    }
    text_add(out, "\n");
}

static void print_markdown(const struct table *table, struct text *out)
{
    print_markdown_row(table, NULL, out);
    text_add(out, "|");
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].used)
            text_add(out, table->columns[i].align == TABLE_RIGHT ? "---:|" : "---|");
    text_add(out, "\n");
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        print_markdown_row(table, table->cells + i, out);
}

static void print_csv_row(const struct table *table, const struct table_cell *cells, bool safe,
                          struct text *out)
{
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->columns[i].used)
            continue;
        text_add(out, first ? "" : ",");
        first = false;
        table_add_csv(out, cells ? cells[i].text : table->columns[i].title, safe);
    }
    text_add(out, "\r\n");
}

static void print_csv(const struct table *table, bool safe, struct text *out)
{
    print_csv_row(table, NULL, safe, out);
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        print_csv_row(table, table->cells + i, safe, out);
}

void table_print(struct table *table, struct table_look look, struct text *out)
{
    table_row(table);
    if (look.format == BILANX_MARKDOWN)
        print_markdown(table, out);
    else if (look.format == BILANX_CSV)
        print_csv(table, look.csv_safe, out);
    else
        print_text(table, &look, out);
}
