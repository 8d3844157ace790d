// ab: what the parts of `bilanx ab` share.
#ifndef PROGRAMS_AB_H
#define PROGRAMS_AB_H

#include "abenv/abenv.h"
#include "bilanx/suite.h"
#include "console/console.h"
#include "contest/contest.h"
#include "schedule/schedule.h"
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
    uint64_t layouts;
    bool isolate, count, no_time, explain, bisect, backtest, no_cpp, patched_a, patched_b;
    double fail_share;  // of fail_on
};

// A side, and its cases, in step with those of the others.
struct ab_side {
    struct side side;
    struct statements statements;
    struct bilanx_suite *suite;
    struct bilanx_suite_case **suite_cases;
    struct schedule schedule;
    struct run_subject program;
    const char *argv[2];
    struct run_cases listed;  // of a program, or a whole command
    struct list words;        // of the command
    struct run_cases cases;   // the array is its own, what it holds is the above's
    size_t *places;           // of each among those of the above
};
void ab_side_done(struct ab_side *side);

struct ab_sides {
    struct ab_side *items;
    size_t count;
};
void ab_sides_done(struct ab_sides *sides);
SCOPE_VALUE(ab_sides, ab_sides_done)

// Opens every side that the command line names.
struct bilanx_error ab_open_sides(const struct ab_arguments *arguments, struct ab_sides *out);

// Makes the cases of every side ready: statements, suites, or benchmark programs.
struct bilanx_error ab_prepare(const struct ab_arguments *arguments, const struct words *subjects,
                               bool counting, struct ab_sides *sides);

// One line on stderr.
void ab_tell(const char *text);

// What is shown at the end: a row per record, totals, the geometric mean.
struct ab_results {
    struct bilanx_record *records;  // in the order of the cases; of kind NULL: not there
    size_t count;
};
void ab_show(const struct ab_arguments *arguments, const struct ab_sides *sides, size_t side,
             const struct ab_results *results, const struct contest_summary *summary);

#endif
