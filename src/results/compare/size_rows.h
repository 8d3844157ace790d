// size_rows: a row per size, a column per function.
//
// In a record, `label` is the table, `sub_label` the row and `description` the column. Cases that
// were made for several sizes (`each: {n: [64, 4096]}`) have these as descriptions, so a function
// would be a single row. Where that is so, tables for people show sizes as rows, and functions that
// were measured for the same sizes side by side.
#ifndef COMPARE_SIZE_ROWS_H
#define COMPARE_SIZE_ROWS_H

#include "results/compare/collate.h"

struct size_rows {
    struct size_place {
        const char *row;    // NULL: as recorded
        const char *table;  // owned by the groups
        const char *column;
    } *places;  // parallel to the entries
    size_t count;
    struct size_group *groups;
    size_t group_count;
};
void size_rows_done(struct size_rows *rows);
SCOPE_VALUE(size_rows, size_rows_done)

// Each function takes `variants` columns: one per environment and source. If that makes several
// functions too wide for one table, each has its own.
void size_rows_find(const struct collation *collation, size_t variants, struct size_rows *out);

#endif
