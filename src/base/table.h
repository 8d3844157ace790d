// table: rows of text in aligned columns, for a terminal, Markdown or CSV.
//
//     struct table table = {0};
//     table_column(&table, "time", TABLE_RIGHT);
//     table_row(&table);
//     table_cell(&table, TABLE_PLAIN, "%.1f us", time);
//     table_print(&table, (struct table_look){.format = BILANX_MARKDOWN}, &out);
//
// Titles and cells are data: what could steer a terminal or break the format is shown harmlessly.
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "bilanx/output_format.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum { TABLE_STEPS = 6 };
enum table_tone {
    TABLE_PLAIN,
    TABLE_BOLD,
    TABLE_DIM,
    TABLE_GOOD,
    TABLE_WARN,
    TABLE_BAD,
    TABLE_RISE,  // the first of TABLE_STEPS, from what is worth a look to what is alarming
    TABLE_FALL = TABLE_RISE + TABLE_STEPS,  // and the other way
};
struct table_look {
    enum bilanx_output_format format;  // JSON: as BILANX_TABLE
    bool color;                        // of a text table: escape sequences for a terminal
    bool csv_safe;  // for a spreadsheet: text that it would take for a formula starts with a '
};

// The words of --format, for an OPTION_CHOICE.
extern const char *const table_formats[];

struct table {
    struct table_column {
        char *title;
        enum table_align align;
        bool used;  // a column without a single filled cell is not shown
    } *columns;
    size_t column_count, column_room;
    struct table_cell {
        char *text;
        enum table_tone tone;
    } *cells;  // by row; a row has column_count of them
    size_t cell_count, cell_room;
};

void table_done(struct table *table);
SCOPE_VALUE(table, table_done)

void table_column(struct table *table, const char *title, enum table_align align);
void table_row(struct table *table);  // what a row leaves open is filled with empty cells
void table_cell(struct table *table, enum table_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void table_number(struct table *table, double number);  // every digit; not finite: an empty cell

// For programs: all columns are shown, filled or not.
void table_show_all(struct table *table);
void table_print(struct table *table, struct table_look look, struct text *out);

// Adds text with everything escaped that Markdown would take for its own.
void table_add_markdown(struct text *out, const char *text);

// Adds text in a tone; without colour just the text.
void tone_add(struct text *out, bool color, enum table_tone tone, const char *text);

#endif
