// comparison: does the work of `bilanx ab`: takes sides, returns verdicts.
//
//     const struct ab_spec sides[] = {{"A", "cc:gcc -O2"}, {"B", "cc:gcc -O3"}};
//     struct ab_options options = {.sides = sides, .side_count = 2, .program = "./bench",
//                                  .margins = default_margins};
//     BILANX_TRY(ab_compare(&options, &(struct ab_observer){&mine, .finished = keep}));
//
// Opens the sides, prepares their cases and compares every side with the first. Never prints: the
// observer gets each record when it is complete and each pair of sides when it is done.
#ifndef AB_COMPARISON_COMPARISON_H
#define AB_COMPARISON_COMPARISON_H

#include "ab/sides/side.h"
#include "ab/verdict/interleaved.h"
#include "cluster/share/share.h"
#include "count/counting/hwcaps.h"
#include "sources/statements/statements.h"

struct ab_spec {
    const char *name;  // "A"
    const char *spec;  // as in docs/formats/sides.md
    const char *stmt;  // this side's statement; NULL: that of the options
};

struct ab_options {
    const struct ab_spec *sides;  // two or more; the others are compared with the first
    size_t side_count;
    const char *build;  // command that builds a revision; NULL: only check it out

    // What to compare: statements, or else suites, or else a benchmark program. Sides that are
    // programs or commands supply their own.
    struct words stmts, suites;
    const char *program;
    struct statement_options code;  // for statements; defaults for suites

    const char *filter;  // only cases whose name matches; NULL: all
    struct words tags, without_languages;
    bool backtest;       // omit cases that a side's version does not have
    struct share share;  // the part of the cases to compare here

    struct margins margins;  // default_margins
    double budget;           // seconds per case; 0: INTERLEAVED_BUDGET_S
    double timeout;          // seconds that a process may stay silent; 0: default
    uint64_t seed;           // 0: random
    bool isolate;            // each side in its own process
    bool any_core;           // compare whatever the state of the core
    bool free_core;          // no verdict unless the core is free
    double core_wait;        // seconds to wait for a free core beyond the budget; 0: as long again
    bool count, no_time;     // also count instructions; count only
    enum hwcaps hwcaps;      // counted: which variants of glibc's functions
    bool examine;            // also count and sample cases that the observer examines
};

struct ab_pair {
    const struct side *first, *other;
};

// Timing results of a pair. Names and records are in case order.
struct ab_results {
    struct bilanx_record *records;  // kind NULL: interrupted before it was complete
    char **names;
    size_t count;
    bool interleaved;  // if so, there is a summary
    struct interleaved_summary summary;
    struct bilanx_error error;  // why there are no results; never ^C
};
void ab_results_done(struct ab_results *results);
SCOPE_VALUE(ab_results, ab_results_done)

// Counting results. All arrays are parallel; a record of kind NULL is missing.
struct ab_counts {
    struct bilanx_record *before, *after;
    struct bilanx_record *verdicts;  // on instructions, if timing was not requested; else NULL
    char **names;
    size_t count;
    struct bilanx_error error;
};
void ab_counts_done(struct ab_counts *counts);
SCOPE_VALUE(ab_counts, ab_counts_done)

// If a case was counted in different variants of glibc's functions, as may be the case with stored
// counts, adds which and returns true.
bool ab_counts_differ(const struct ab_counts *counts, struct text *why);

// A side whose cases are prepared to be sampled. Those of all sides are parallel.
struct ab_sampled_side {
    const struct side *side;
    const struct run_cases *cases;
};

struct ab_observer {  // functions may be NULL
    void *context;
    void (*progress)(void *context, const char *text);  // current activity; one line
    void (*note)(void *context, const char *text);      // information for the user; one line
    // All sides are open; nothing is prepared yet. Returning an error ends the comparison.
    struct bilanx_error (*opened)(void *context, const struct side *const *sides, size_t count);
    // Cases are ready. Returning an error ends the comparison.
    struct bilanx_error (*begun)(void *context, const struct ab_pair *pair, size_t case_count);
    void (*working)(void *context, const struct run_case *item,
                    double ahead);  // one of its epochs begins
    // A record is complete. A second verdict for the same task and side replaces the first.
    void (*finished)(void *context, const struct bilanx_record *record);
    // A pair is done. The callee may move records out if it zeroes them.
    void (*compared)(void *context, const struct ab_pair *pair, struct ab_results *results);
    void (*counted)(void *context, const struct ab_pair *pair, struct ab_counts *counts);
    // The cases of all sides, to be sampled; called once, at the end. Returning an error ends the
    // comparison.
    struct bilanx_error (*sample)(void *context, const struct ab_sampled_side *sides, size_t count);
    // With `examine`: whether to count and sample a case, once timing is over; NULL asks whether
    // there is any. If `count` is set, all are counted anyway.
    bool (*examines)(void *context, const char *name);
    // With `examine`: why something ("counts by function") is not available. The comparison
    // continues.
    void (*missed)(void *context, const char *what, struct bilanx_error error);
    // ab_bisect(): the result for a commit; `record` is NULL unless it was slower.
    void (*judged)(void *context, const char *title, const char *what,
                   const struct bilanx_record *record);
};

// Returns errors that affect the whole comparison; those of one pair are in its results.
struct bilanx_error ab_compare(const struct ab_options *options,
                               const struct ab_observer *observer);

#endif
