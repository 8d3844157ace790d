// measure_tables: prints results as `bilanx compare` does, and the totals of a suite.
#ifndef PROGRAMS_MEASURE_TABLES_H
#define PROGRAMS_MEASURE_TABLES_H

#include "core/show/display.h"
#include "sources/source/source.h"

// Prints the results on stdout. `resumed`, parallel to all cases, has the earlier records; kind
// NULL: none. `columns` are metrics to show beside times; NULL: none.
void measure_print_tables(const struct display *display, const struct source *source,
                          const struct bilanx_record *resumed, bool counted,
                          const char *const *columns);

// Prints how the time of each statement grows with the elements of its inputs.
void measure_print_growth(const struct display *display);

struct measure_totals {
    const struct source *source;
    double seconds, counting_seconds;
    bool counted;  // instead of timed
};
// Prints on stderr how many cases were measured, failed or skipped.
void measure_print_totals(const struct display *display, const struct measure_totals *totals);

#endif
