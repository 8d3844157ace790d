// comparison: what `bilanx ab` does: sides in, verdicts out.
//
//     const struct ab_spec sides[] = {{"A", "cc:gcc -O2"}, {"B", "cc:gcc -O3"}};
//     struct ab_options options = {.sides = sides, .side_count = 2, .program = "./bench",
//                                  .margins = default_margins};
//     BILANX_TRY(ab_compare(&options, &(struct ab_observer){&mine, .finished = keep}));
//
// Opens the sides, makes their cases ready, and compares every side with the first. Never prints:
// the observer gets records as they are complete, and each pair of sides when it is done.
#ifndef AB_COMPARISON_COMPARISON_H
#define AB_COMPARISON_COMPARISON_H

#include "ab/sides/side.h"
#include "ab/verdict/interleaved.h"
#include "sources/statements/statements.h"

struct ab_spec {
    const char *name;  // "A"
    const char *spec;  // as in docs/formats/sides.md
    const char *stmt;  // what this side executes; NULL: what the options say
};

struct ab_options {
    const struct ab_spec *sides;  // two or more; the first is what the others are compared with
    size_t side_count;
    const char *build;  // makes a revision ready; NULL: it is only checked out

    // What is compared: statements, otherwise suites, otherwise a benchmark program. Sides that are
    // programs or commands bring their own.
    struct words stmts, suites;
    const char *program;
    struct statement_options code;  // of statements, and the defaults of suites

    const char *filter;  // only cases whose name matches; NULL: all
    struct words tags, without_languages;
    bool backtest;  // leave out what a side's version does not have

    struct margins margins;  // default_margins
    double budget;           // seconds per case; 0: INTERLEAVED_BUDGET_S
    double timeout;          // seconds that a process may be silent; 0: the default
    uint64_t seed;           // 0: a fresh one
    bool isolate;            // each side in its own process
    bool count, no_time;     // count instructions too, or only
};

struct ab_pair {
    const struct side *first, *other;
};

// What a pair came to when timed. Names and records are in the order of the cases.
struct ab_results {
    struct bilanx_record *records;  // of kind NULL: interrupted before it was known
    char **names;
    size_t count;
    bool interleaved;  // then there is a summary
    struct interleaved_summary summary;
    struct bilanx_error error;  // why there is nothing; never ^C, which ends the whole comparison
};
void ab_results_done(struct ab_results *results);
SCOPE_VALUE(ab_results, ab_results_done)

// What it came to when counted. All arrays are in step; a record of kind NULL is not there.
struct ab_counts {
    struct bilanx_record *before, *after;
    struct bilanx_record *verdicts;  // on instructions, where no time was asked for; else NULL
    char **names;
    size_t count;
    struct bilanx_error error;
};
void ab_counts_done(struct ab_counts *counts);
SCOPE_VALUE(ab_counts, ab_counts_done)

struct ab_observer {  // functions may be NULL
    void *context;
    void (*progress)(void *context, const char *text);  // what is going on; one line
    void (*note)(void *context, const char *text);      // what the user should know; one line
    // All sides are open; nothing is prepared yet. An error ends the comparison.
    struct bilanx_error (*opened)(void *context, const struct side *const *sides, size_t count);
    // Cases are ready. An error ends the comparison.
    struct bilanx_error (*begun)(void *context, const struct ab_pair *pair, size_t case_count);
    void (*working)(void *context, const struct run_case *item);  // an epoch of it begins
    // A record is complete. If a task gets a second verdict on a side, that one counts: the first
    // was withdrawn.
    void (*finished)(void *context, const struct bilanx_record *record);
    // A pair is done. Records may be moved out, if zeroes take their place.
    void (*compared)(void *context, const struct ab_pair *pair, struct ab_results *results);
    void (*counted)(void *context, const struct ab_pair *pair, struct ab_counts *counts);
    // ab_bisect(): what became of a commit; `record` is NULL if it was not found slower.
    void (*judged)(void *context, const char *title, const char *what,
                   const struct bilanx_record *record);
};

// Errors concern the whole comparison; those of one pair are in its results.
struct bilanx_error ab_compare(const struct ab_options *options,
                               const struct ab_observer *observer);

#endif
