// ab: what the parts of `bilanx ab` share.
#ifndef PROGRAMS_AB_H
#define PROGRAMS_AB_H

#include "ab/duels/contest.h"
#include "ab/sides/abenv.h"
#include "ab/sides/fingerprint.h"
#include "bilanx/suite.h"
#include "core/show/complain.h"
#include "core/show/console.h"
#include "sources/suite_cases/schedule.h"
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

// A side, and its cases, in step with those of the others.
struct ab_side {
    struct side *side;
    struct statements statements;
    struct bilanx_suite *suite;
    struct selection selection;
    struct schedule schedule;
    struct run_subject program;
    const char *argv[2];
    struct run_cases listed;  // of a program, or a whole command
    struct list words;        // of the command
    struct run_cases cases;   // the array is its own, what it holds is the above's
    size_t *places;           // of each among those of the above
};
struct ab_sides {
    struct ab_side *items;
    size_t count;
    bool borrowed;  // the sides themselves are another's
};
void ab_sides_done(struct ab_sides *sides);
SCOPE_VALUE(ab_sides, ab_sides_done)

// Opens every side that the command line names.
struct bilanx_error ab_open_sides(const struct ab_arguments *arguments, struct ab_sides *out);

// The same sides, with cases of their own to come.
void ab_borrow_sides(const struct ab_sides *from, struct ab_sides *out);

// Makes the cases of every side ready: statements, suites, or benchmark programs.
struct bilanx_error ab_prepare(const struct ab_arguments *arguments, const struct words *subjects,
                               bool counting, struct ab_sides *sides);

// What is shown at the end: a row per record, totals, the geometric mean.
struct ab_results {
    struct bilanx_record *records;  // in the order of the cases; of kind NULL: not there
    char **names;
    size_t count;
};
void ab_results_done(struct ab_results *results);
SCOPE_VALUE(ab_results, ab_results_done)

// Which side is which, line by line.
void ab_add_legend(const struct ab_side *first, const struct ab_side *other, struct text *out);

// `summary` is NULL where nothing was interleaved.
void ab_show(const struct ab_arguments *arguments, const struct ab_side *first,
             const struct ab_side *other, const struct ab_results *results,
             const struct contest_summary *summary);

// Whether it says how the sides compare.
bool ab_is_reached(const struct bilanx_verdict *verdict);

// The same for programs.
void ab_show_csv(const struct ab_arguments *arguments, const struct ab_side *first,
                 const struct ab_side *other, const struct ab_results *results);

// What failed, on stderr: stdout may be read by a program, or by nobody.
void ab_show_failures(const struct ab_arguments *arguments, const struct ab_results *results);

// Below a table: why there is no verdict, and each warning once, with their cases.
void ab_add_notes(const struct ab_results *results, bool color, struct text *out);
void ab_add_failures(const struct ab_results *results, bool color, struct text *out);

// The same of one record, for a format that has nothing but its table.
void ab_add_reason(const struct bilanx_record *record, struct text *out);

// Compares records: of a file, or of what is measured now.
struct bilanx_error ab_compare_stored(const struct ab_arguments *arguments, struct ab_side *first,
                                      struct ab_side *other, struct ab_results *out);

// Warns where a change of a program may be one of its layout: its instructions do not change.
// Counts them, where it has to.
void ab_suspect_layout(const struct ab_arguments *arguments, struct ab_side *first,
                       struct ab_side *other, size_t index, struct bilanx_record *record);

// What a case of a revision compiles to; "": nobody knows.
struct ab_code {
    char text[DIGEST_TEXT];
};
struct ab_code ab_code_of(struct ab_side *side, const struct run_case *item);
bool ab_is_same_code(const struct ab_code *a, const struct ab_code *b);

// Finds the first commit between two revisions that is slower than its parent, prints it, and gives
// its record.
struct bilanx_error ab_bisect(const struct ab_arguments *arguments, const struct words *subjects,
                              struct bilanx_record *found);

// Cases of two sides, as the contest takes them.
struct contest_side ab_contest_side(struct ab_side *side);
struct contest_options ab_contest_options(const struct ab_arguments *arguments,
                                          const struct ab_side *first, const struct ab_side *other);

// Counts the instructions of both sides.
struct ab_counts {
    struct bilanx_record *before, *after;  // in step; of kind NULL: not there
    char **names;
    size_t count;
};
void ab_counts_done(struct ab_counts *counts);
SCOPE_VALUE(ab_counts, ab_counts_done)
// Of one side: a record for each case.
struct bilanx_error ab_count_side(const struct ab_arguments *arguments, struct ab_side *side,
                                  struct bilanx_record *records);
struct bilanx_error ab_count(const struct ab_arguments *arguments, struct ab_side *first,
                             struct ab_side *other, struct ab_counts *out);
// The same where a side, or both, is stored.
struct bilanx_error ab_count_stored(const struct ab_arguments *arguments, struct ab_side *first,
                                    struct ab_side *other, struct ab_counts *out);
// A verdict on the instructions of a case; false: it was not counted.
bool ab_judge_counts(const struct ab_arguments *arguments, const struct ab_side *first,
                     const struct ab_counts *counts, size_t index, struct bilanx_record *out);
void ab_show_counts(const struct ab_arguments *arguments, const struct ab_side *first,
                    const struct ab_side *other, const struct ab_counts *counts);
void ab_show_counts_csv(const struct ab_arguments *arguments, const struct ab_side *first,
                        const struct ab_side *other, const struct ab_counts *counts);

// Tiny statements that count the same wherever the compiler does: warns where they do not.
struct bilanx_error ab_check_sentries(const struct ab_arguments *arguments, struct ab_side *first,
                                      struct ab_side *other);

#endif
