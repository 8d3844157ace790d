// show_comparison: compares cases, in sentences below their table.
//
//     cbrt(x) is 3.2 times slower than sqrt(x) (3.1 .. 3.3)
#ifndef SHOW_SHOW_COMPARISON_H
#define SHOW_SHOW_COMPARISON_H

#include "core/show/show.h"
#include "core/stats/stats.h"

// Adds one sentence: `name` takes `ratio` times as long as `other`. The 95 % interval is NaN if
// unknown; `unknown` then says why, or is NULL.
void comparison_add(const char *name, const char *other, double ratio, struct interval ci95,
                    const char *unknown, struct text *out);

// Compares each case with the first or, if `reference` is not NULL, with the case of that name.
// Cases of several programs are compared with the one of the same name in the first program, or in
// the program called `reference`.
void comparison_show(const struct shown *shown, const char *reference, struct text *out);

// Returns an error if a reference names no case and no program.
struct bilanx_error comparison_check(const struct run_cases *cases, const char *reference);

#endif
