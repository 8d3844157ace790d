// table: prints rows of text in aligned columns, for a terminal, Markdown or CSV.
//
//     struct table table = {0};
//     table_column(&table, "time", TABLE_RIGHT);
//     table_row(&table);
//     table_cell(&table, TABLE_PLAIN, "%.1f us", time);
//     table_print(&table, (struct table_look){.format = BILANX_MARKDOWN}, &out);
//
// Titles and cells are data: anything that could control a terminal or break the format is escaped.
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "bilanx/output_format.h"

enum table_align {
    TABLE_LEFT,  // cut in the middle if there is no room
    TABLE_LIST,  // left-aligned words with ", " between them; the last are left out
    TABLE_WRAP,  // left-aligned sentences, continued on further lines
    TABLE_RIGHT,
};
enum { TABLE_STEPS = 6 };
enum table_tone {
    TABLE_PLAIN,
    TABLE_BOLD,
    TABLE_DIM,
    TABLE_GOOD,
    TABLE_WARN,
    TABLE_BAD,
    TABLE_RISE,  // first of TABLE_STEPS tones, from noteworthy to alarming
    TABLE_FALL = TABLE_RISE + TABLE_STEPS,  // the same for the other direction
};
struct table_look {
    enum bilanx_output_format format;  // JSON: same as BILANX_TABLE
    bool color;                        // text tables: use terminal escape sequences
    bool csv_safe;  // put a ' before text that a spreadsheet would read as a formula
    size_t width;   // text tables: of the terminal; 0: no limit
};

// The words of --format, for an OPTION_CHOICE.
// Adds a cell of CSV. `safe` is as csv_safe above.
void table_add_csv(struct text *out, const char *text, bool safe);

extern const char *const table_formats[];

struct table {
    struct table_column {
        char *title;
        enum table_align align;
        bool used;      // a column with no filled cell is hidden
        unsigned rank;  // 0: always shown; if space is short, the highest rank is dropped first
    } *columns;
    size_t column_count, column_room;
    struct table_cell {
        char *text;
        enum table_tone tone;
    } *cells;  // row by row, column_count cells each
    size_t cell_count, cell_room;
    bool keeps_all;  // see table_keep_all()
};

void table_done(struct table *table);
SCOPE_VALUE(table, table_done)

void table_column(struct table *table, const char *title, enum table_align align);
void table_rank(struct table *table, unsigned rank);  // of the column just added; default 0
void table_row(struct table *table);  // fills the rest of the previous row with empty cells
void table_cell(struct table *table, enum table_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void table_number(struct table *table, double number);  // every digit; empty if not finite

// If space is short, neither drops nor cuts columns, but prints them in several tables, each of
// which begins with the first column.
void table_keep_all(struct table *table);

// Returns the columns that a text table takes on a wide terminal.
size_t table_width(const struct table *table);

// Shows all columns, even empty ones, for output read by programs.
void table_show_all(struct table *table);
void table_print(struct table *table, struct table_look look, struct text *out);

// Adds text with all Markdown syntax escaped.
void table_add_markdown(struct text *out, const char *text);

// Adds text in a tone; without colour, just the text.
void tone_add(struct text *out, bool color, enum table_tone tone, const char *text);

#endif
