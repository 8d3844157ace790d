// table_fit: makes a text table fit a terminal.
#ifndef BASE_TABLE_FIT_H
#define BASE_TABLE_FIT_H

#include "base/table.h"

// Drops columns by their rank until the rest fits `width` columns with readable names that differ,
// then shortens the longest left-aligned columns. 0: no limit. Fills `widths`, one per column; that
// of a hidden column is 0.
void table_fit(const struct table *table, size_t width, size_t *widths);

// Fits the columns from `from` on, at least one, beside the first column. Returns the column to
// continue with; past the last one, there are no more.
size_t table_fit_part(const struct table *table, size_t width, size_t from, size_t *widths);

enum { TABLE_GAP = 2 };  // between columns

#endif
