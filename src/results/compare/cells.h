// cells: what each place of a table shows: a value with its interval, a fate, or nothing.
#ifndef COMPARE_CELLS_H
#define COMPARE_CELLS_H

#include <math.h>

#include "results/compare/layout.h"
#include "results/compare/metric.h"

struct cell {
    struct quantity quantity;  // NaN: nothing to show
    bool there;                // there is a record
    const char *failure;       // its code, where the case failed
    bool doubt;                // there are warnings about it
};

struct sheet {  // a grid with its cells filled
    const struct grid *grid;
    struct cell *cells;  // by row
};

struct sheets {
    struct sheet *items;
    size_t count;
    struct metric metric;
    bool ratios;  // the cells are ratios to others
};
void sheets_done(struct sheets *sheets);
SCOPE_VALUE(sheets, sheets_done)

// What cells are filled with: the metric, or its ratios to `bases` (see base.h).
struct filling {
    const struct collation *collation;
    const struct metric *metric;
    const struct entry *const *bases;  // NULL: no ratios
};
struct cell cell_of(const struct filling *filling, const struct entry *entry);

// Fills the cells of all tables. What no record has is an error that says what there is.
struct bilanx_error sheets_fill(const struct filling *filling, const struct layout *layout,
                                struct sheets *out);

// Orders the rows of each table, within their threads and env: by "name", by "value" (of the first
// column that has one), or by the value in the column of that heading. Smallest first.
struct bilanx_error layout_sort(struct layout *layout, const struct filling *filling,
                                const char *key);

static inline bool cell_filled(const struct cell *cell)
{
    return !isnan(cell->quantity.value);
}

// Half of the interval; NaN where it is unknown.
static inline double cell_half_width(const struct cell *cell)
{
    return (cell->quantity.high - cell->quantity.low) / 2;
}

static inline const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
    return &sheet->cells[row * sheet->grid->column_count + column];
}

// Marks, by row, the best of each column among rows of the same number of threads, and what cannot
// be told from it. A single value is no best. Returns whether there is any mark.
bool sheet_mark_best(const struct sheet *sheet, int better, bool *marked);

// The geometric means of all columns, over the rows that have a value in every column; NaN: none.
// Returns how many rows those are.
size_t sheet_means(const struct sheet *sheet, double *means);

#endif
