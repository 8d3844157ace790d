// ab_report: shared by the parts of `bilanx ab`: its arguments, and how to show its results.
#ifndef PROGRAMS_AB_REPORT_H
#define PROGRAMS_AB_REPORT_H

#include "ab/comparison/bisect.h"
#include "ab/comparison/comparison.h"
#include "cluster_arguments.h"
#include "core/show/complain.h"
#include "core/show/show_run.h"
#include "hwcaps_arguments.h"
#include "statement_arguments.h"

struct ab_arguments {
    struct show_settings settings;
    struct statement_arguments code;
    const char *a, *b;
    struct words sides, stmts, tags, without_languages;
    const char *build;
    struct margins margins;
    struct share share;
    struct cluster_arguments cluster;
    int argc;  // the whole line, for nodes of a cluster
    char **argv;
    double budget;
    struct hwcaps_arguments hwcaps;
    const char *fail_on, *flame, *bundle;
    bool isolate, count, no_time, explain, bisect, backtest, no_cpp, patched_a, patched_b;
    bool bundle_all;
    double fail_share;                  // from fail_on: changes up to this are accepted
    bool fail_undecided, fail_seeming;  // from fail_on
    const char *command_line;           // as a shell would read it
};

// Adds one line per side with its name and title.
void ab_add_legend(const struct ab_pair *pair, size_t width, struct text *out);

// Prints one row per record, the totals and the geometric mean.
void ab_show(const struct ab_arguments *arguments, const struct ab_pair *pair,
             const struct ab_results *results);

// The same, as a table or as Markdown.
void ab_add_verdicts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                     const struct ab_results *results, struct table_look look, struct text *out);

// Whether the verdict says how the sides compare.
bool ab_is_reached(const struct bilanx_verdict *verdict);

// False if the sides make no difference to the case.
bool ab_is_measured(const struct bilanx_verdict *verdict);

// The same as CSV.
void ab_show_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                 const struct ab_results *results);

// Prints failures on stderr: a program may read stdout.
void ab_show_failures(const struct ab_arguments *arguments, const struct ab_results *results);

// Below a table: why there is no verdict, and each warning once, with the cases it concerns.
void ab_add_notes(const struct ab_results *results, bool color, struct text *out);
void ab_add_failures(const struct ab_results *results, bool color, struct text *out);

// The same for one record, for formats that consist of the table only.
void ab_add_reason(const struct bilanx_record *record, struct text *out);

// With a legend only if the verdicts of the same pair are not right above.
void ab_show_counts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                    const struct ab_counts *counts, bool with_legend);
void ab_add_counts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                   const struct ab_counts *counts, bool with_legend, struct table_look look,
                   struct text *out);
void ab_show_counts_csv(const struct ab_arguments *arguments, const struct ab_pair *pair,
                        const struct ab_counts *counts);

// Prints the result for a commit on stderr.
void ab_show_step(const char *title, const char *what, const struct bilanx_record *record);

// Prints the first slower commit; returns an error if there is none.
struct bilanx_error ab_show_bisection(const struct ab_bisection *bisection);

#endif
