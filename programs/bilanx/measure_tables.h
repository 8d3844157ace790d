// measure_tables: what was measured of a suite, as `bilanx compare` shows it, and how much it was.
#ifndef PROGRAMS_MEASURE_TABLES_H
#define PROGRAMS_MEASURE_TABLES_H

#include "core/show/display.h"
#include "sources/source/source.h"

// Prints the results on stdout. `resumed`, in step with all cases, are those from before; their
// kind is NULL where there is none.
void measure_print_tables(const struct display *display, const struct run_cases *all,
                          const struct bilanx_record *resumed, bool counted);

struct measure_totals {
    const struct source *source;
    double seconds, counting_seconds;
    bool counted;  // instead of timed
};
// Prints how many cases were measured, failed and skipped on stderr.
void measure_print_totals(const struct display *display, const struct measure_totals *totals);

#endif
