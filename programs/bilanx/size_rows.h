// size_rows: how tables of a suite are arranged: a row per size, a column per function.
//
// In a record, `label` is the table, `sub_label` the row and `description` the column. Cases that
// were made for several sizes (`each: {n: [64, 4096]}`) have these as descriptions, so a function
// would be a single row. Where that is so, tables for people show sizes as rows, and functions that
// were measured for the same sizes side by side.
#ifndef PROGRAMS_SIZE_ROWS_H
#define PROGRAMS_SIZE_ROWS_H

#include "sources/source/source.h"

struct size_rows {
    struct size_place {
        const char *row;    // NULL: as recorded
        const char *table;  // owned by the groups
        const char *column;
    } *places;  // parallel to the cases
    size_t count;
    struct size_group *groups;
    size_t group_count;
};
void size_rows_done(struct size_rows *rows);
SCOPE_VALUE(size_rows, size_rows_done)

void size_rows_find(const struct run_cases *cases, struct size_rows *out);

// Changes what places a copy of the record of a case in a table.
void size_rows_apply(const struct size_rows *rows, size_t at, struct bilanx_task *task);

#endif
