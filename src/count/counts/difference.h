// difference: changes between two function counts, as a table and as JSON.
#ifndef COUNTS_DIFFERENCE_H
#define COUNTS_DIFFERENCE_H

#include "base/json_writer.h"
#include "base/table.h"
#include "functions.h"

struct difference_totals {
    double before, after;  // all instructions; inclusive counts may not add up to these
};

// Adds the columns; a table for programs has the names of cases in the first.
void difference_columns(struct table *table, bool for_programs);

// Adds rows by size of change, then one row for changes below the minimum, then the totals. `title`
// is NULL in a table of one case.
void difference_rows(const struct bilanx_difference *difference,
                     const struct difference_totals *totals,
                     const struct bilanx_functions_options *options, const char *title,
                     struct table *table);

// Writes the members before, after, change, functions.
void difference_json(const struct bilanx_difference *difference,
                     const struct difference_totals *totals, double minimum,
                     struct json_writer *json);

#endif
