// cells: contents of table cells: a value with its interval, a failure, or nothing.
#ifndef COMPARE_CELLS_H
#define COMPARE_CELLS_H

#include <math.h>

#include "base/hash.h"
#include "results/compare/layout.h"
#include "results/compare/metric.h"

struct cell {
    struct quantity quantity;  // NaN: nothing to show
    bool there;                // a record exists
    const char *failure;       // its code, if the case failed
    bool doubt;                // it has warnings
    struct hash work;          // equal if parameters and amounts of data are equal
    const struct bilanx_record *record;
};

struct sheet {  // a grid with filled cells
    const struct grid *grid;
    struct cell *cells;  // by row
};

struct sheets {
    struct sheet *items;
    size_t count;
    struct metric metric;
    bool ratios;            // cells are ratios to the base
    struct sheets *beside;  // the same tables with other metrics, to show as further columns
    size_t beside_count;
    size_t kinds;                 // of machines that the times come from; 0: irrelevant
    const struct list *variants;  // if counts are of several variants of glibc's functions: these
};
void sheets_done(struct sheets *sheets);
SCOPE_VALUE(sheets, sheets_done)

// The content of cells: the metric, or its ratios to `bases` (see base.h).
struct filling {
    const struct collation *collation;
    const struct metric *metric;
    const struct entry *const *bases;  // NULL: no ratios
};
struct cell cell_of(const struct filling *filling, const struct entry *entry);

// Fills the cells of all tables. If no record has the metric, the error lists those available.
struct bilanx_error sheets_fill(const struct filling *filling, const struct layout *layout,
                                struct sheets *out);

// Sorts the rows of each table within equal threads and env: by "name", by "value" (of the first
// column that has one), or by the value in the column with that heading. Smallest first.
struct bilanx_error layout_sort(struct layout *layout, const struct filling *filling,
                                const char *key);

static inline bool cell_filled(const struct cell *cell)
{
    return !isnan(cell->quantity.value);
}

// Half the width of the interval; NaN if unknown.
static inline double cell_half_width(const struct cell *cell)
{
    return (cell->quantity.high - cell->quantity.low) / 2;
}

static inline const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
    return &sheet->cells[row * sheet->grid->column_count + column];
}

// Marks, by row, the best value of each column among rows with the same number of threads, and
// values not distinguishable from it. A single value gets no mark, nor do rows that do different
// amounts of work. Returns whether there are any.
bool sheet_mark_best(const struct sheet *sheet, int better, bool *marked);

// Computes the geometric mean of each column over the rows that have a value in every column; NaN:
// none. Returns the number of those rows.
size_t sheet_means(const struct sheet *sheet, double *means);

#endif
