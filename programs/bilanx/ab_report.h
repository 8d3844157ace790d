// ab_report: what the parts of `bilanx ab` share: its arguments, and how its results are shown.
#ifndef PROGRAMS_AB_REPORT_H
#define PROGRAMS_AB_REPORT_H

#include "ab/comparison/bisect.h"
#include "ab/comparison/comparison.h"
#include "core/show/complain.h"
#include "core/show/console.h"
#include "statement_arguments.h"

struct ab_arguments {
    struct console_settings settings;
    struct statement_arguments code;
    const char *a, *b;
    struct words sides, stmts, tags, without_languages;
    const char *build;
    struct margins margins;
    double budget;
    const char *fail_on;
    bool isolate, count, no_time, explain, bisect, backtest, no_cpp, patched_a, patched_b;
    double fail_share;  // of fail_on
};

// Which side is which, line by line.
void ab_add_legend(const struct ab_pair *pair, struct text *out);

// A row per record, totals, the geometric mean.
void ab_show(const struct ab_arguments *arguments, const struct ab_pair *pair,
             const struct ab_results *results);

// Whether it says how the sides compare.
bool ab_is_reached(const struct bilanx_verdict *verdict);

// The same for programs.
void ab_show_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                 const struct ab_results *results);

// What failed, on stderr: stdout may be read by a program, or by nobody.
void ab_show_failures(const struct ab_arguments *arguments, const struct ab_results *results);

// Below a table: why there is no verdict, and each warning once, with their cases.
void ab_add_notes(const struct ab_results *results, bool color, struct text *out);
void ab_add_failures(const struct ab_results *results, bool color, struct text *out);

// The same of one record, for a format that has nothing but its table.
void ab_add_reason(const struct bilanx_record *record, struct text *out);

void ab_show_counts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                    const struct ab_counts *counts);
void ab_show_counts_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                        const struct ab_counts *counts);

// What became of a commit, on stderr.
void ab_show_step(const char *title, const char *what, const struct bilanx_record *record);

// The first slower commit; that there is none is an error.
struct bilanx_error ab_show_bisection(const struct ab_bisection *bisection);

#endif
