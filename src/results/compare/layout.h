// layout: entries in their tables: which rows and columns there are, and what stands where.
#ifndef COMPARE_LAYOUT_H
#define COMPARE_LAYOUT_H

#include "results/compare/collate.h"

struct grid_row {
    uint64_t threads;  // 0: the rows are not by threads
    const char *env;   // "": none
    char *name;
};

struct grid {
    const char *label;
    struct grid_row *rows;
    size_t row_count;
    char **columns;         // their headings
    size_t *column_places;  // of each among the columns of all tables
    size_t *column_groups;  // equal for columns that differ in env alone; NULL: none do
    size_t column_count;
    const struct entry **cells;  // by row; NULL: nothing was measured there
};

struct layout {
    struct grid *grids;
    size_t count;
    struct list columns;  // the headings of all tables, in the order that each of them keeps
    struct list sources;  // as headings name them
};
void grid_done(struct grid *grid);
void layout_done(struct layout *layout);
SCOPE_VALUE(layout, layout_done)

struct bilanx_error layout_make(const struct collation *collation, struct layout *out);

// Rows become columns, and columns rows.
void layout_transpose(struct layout *layout);

// Each env gets columns of its own, beside those of the others.
void layout_pivot(struct layout *layout);

static inline const struct entry *grid_cell(const struct grid *grid, size_t row, size_t column)
{
    return grid->cells[row * grid->column_count + column];
}

#endif
