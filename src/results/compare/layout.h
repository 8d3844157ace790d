// layout: arranges entries in tables: which rows and columns there are, and which entry is where.
#ifndef COMPARE_LAYOUT_H
#define COMPARE_LAYOUT_H

#include "results/compare/collate.h"
#include "results/compare/size_rows.h"

struct grid_row {
    uint64_t threads;  // 0: rows are not split by threads
    const char *env;   // "": none
    char *name;
};

struct grid {
    const char *label;
    struct grid_row *rows;
    size_t row_count;
    char **columns;         // headings
    size_t *column_places;  // index of each among the columns of all tables
    size_t *column_groups;  // equal for columns whose cells compete in a row; NULL: rows compete
    size_t *column_stems;   // bytes of the heading that its group has in common; NULL: unknown
    size_t column_count;
    const struct entry **cells;  // by row; NULL: not measured
};

struct layout {
    struct grid *grids;
    size_t count;
    struct list columns;  // headings of all tables, in the common order
    struct list sources;  // as used in headings
    struct size_rows sizes;
};
void grid_done(struct grid *grid);
void layout_done(struct layout *layout);
SCOPE_VALUE(layout, layout_done)

// `size_rows`: rows are sizes where they can be.
struct bilanx_error layout_make(const struct collation *collation, bool size_rows,
                                struct layout *out);

// Swaps rows and columns. `grouped`: columns with the same number of threads are one group, so that
// the same entries as before compete for being the best.
void layout_transpose(struct layout *layout, bool grouped);

// Gives each env separate columns, next to those of the others.
void layout_pivot(struct layout *layout);

static inline const struct entry *grid_cell(const struct grid *grid, size_t row, size_t column)
{
    return grid->cells[row * grid->column_count + column];
}

#endif
