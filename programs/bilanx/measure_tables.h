// measure_tables: prints the results of a suite as `bilanx compare` does, and the totals.
#ifndef PROGRAMS_MEASURE_TABLES_H
#define PROGRAMS_MEASURE_TABLES_H

#include "core/show/display.h"
#include "sources/source/source.h"

// Prints the results on stdout. `resumed`, parallel to all cases, has the earlier records; kind
// NULL: none.
void measure_print_tables(const struct display *display, const struct run_cases *all,
                          const struct bilanx_record *resumed, bool counted);

struct measure_totals {
    const struct source *source;
    double seconds, counting_seconds;
    bool counted;  // instead of timed
};
// Prints on stderr how many cases were measured, failed or skipped.
void measure_print_totals(const struct display *display, const struct measure_totals *totals);

#endif
