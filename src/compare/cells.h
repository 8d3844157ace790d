// cells: what each place of a table shows: a value with its interval, a fate, or nothing.
#ifndef COMPARE_CELLS_H
#define COMPARE_CELLS_H

#include <math.h>

#include "compare/layout.h"
#include "compare/metric.h"

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

// Fills the cells of all tables by the metric; with `bases` (see base.h) as ratios to those. What
// no record has is an error that says what there is.
struct bilanx_error sheets_fill(const struct collation *collation, const struct layout *layout,
                                const struct metric *metric, const struct entry *const *bases,
                                struct sheets *out);

static inline bool cell_filled(const struct cell *cell)
{
    return !isnan(cell->quantity.value);
}

// Half of the interval; NaN where it is unknown.
static inline double cell_half_width(const struct cell *cell)
{
    return (cell->quantity.high - cell->quantity.low) / 2;
}

// The geometric mean of a column, over the rows that have a value in every column; NaN: none.
double sheet_mean(const struct sheet *sheet, size_t column, size_t *rows);

#endif
