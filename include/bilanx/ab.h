// ab: compares two sides and reports which is faster, and how certain that is. This is `bilanx ab`.
//
//     struct bilanx_ab_side sides[] = {{"A", "cc:gcc -O2"}, {"B", "cc:gcc -O3"}};
//     const char *stmts[] = {"y = strlen(text)", NULL};
//     struct bilanx_ab_options options = {.stmts = stmts,
//                                         .setup = "char text[] = \"abc\"; size_t y;"};
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_ab(sides, 2, &options, &records, &count));
//     for (size_t i = 0; i < count; i++)
//         if (records[i].verdict)
//             printf("%s: %s, %+.1f %%\n", records[i].task.stmt, records[i].verdict->verdict,
//                    100 * records[i].verdict->change);
//
// The sides take turns, batch by batch, in many short processes, until the verdict is certain or
// the budget is used up. A side is a compiler with its flags, a revision, an environment, a
// program, a command, or a file of records; see docs/formats/sides.md. Verdicts are explained in
// docs/formats/record.md.
//
// To compare two statements, give each side its own:
//
//     struct bilanx_ab_side sides[] = {{"old", "cc:gcc", "y = strlen(text)"},
//                                      {"new", "cc:gcc", "y = my_strlen(text)"}};
#ifndef BILANX_AB_H
#define BILANX_AB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"
#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_ab_side {
    const char *name;  // e.g. "A"; must be unique
    const char *spec;  // "cc:gcc -O3", "git:HEAD~1", ...; NULL: the current environment
    const char *stmt;  // the statement to run; set it on every side or on none
};

// Zero selects the default for every member. Arrays of strings end with NULL.
struct bilanx_ab_options {
    // What to compare: set one of these, unless the sides provide it.
    const char *const *stmts;   // statements
    const char *const *suites;  // paths of suite files
    const char *program;        // a benchmark program; built separately for each revision

    // For statements, and for whatever a suite leaves unset.
    const char *language;  // "c" (default), "c++" or "python"
    const char *setup, *global_setup;
    const char *cc, *cflags, *ldflags;
    const char *const *sources, *const *include;  // files to compile in, include directories
    const char *python;                           // path of the interpreter

    // Generated inputs for statements: each statement is compared on each sample.
    const char *inputs;       // a specification: a file, or a shipped one such as "unary"
    uint64_t take;            // number of samples; default 5
    const char *inputs_seed;  // replaces that of the specification
    const char *dtype;        // of all tensors; default: as specified
    const char *order_by;     // a parameter, or "elements"; default: as drawn
    const char *as;           // Python: "torch", "numpy" or "dlpack"; default: what it imports

    const char *filter;       // only cases whose name matches this regular expression
    const char *const *tags;  // suites: only cases with one of these tags
    const char *build;        // shell command that builds a revision

    double alpha;        // probability of a wrong verdict; default .01
    double margin;       // ignore changes smaller than this; default .0025
    double equal;        // sides closer than this are "same"; default .005
    double budget;       // seconds per case; default 5
    double timeout;      // seconds a process may stay silent; default 60
    uint64_t seed;       // for orders and layouts; default: random
    bool isolate;        // never load both sides into the same process
    bool count;          // also count instructions (needs valgrind)
    bool no_time;        // with `count`: count only, and judge by instruction counts
    const char *hwcaps;  // with `count`: as in <bilanx/count.h>

    // Called with `context` while the comparison runs. If a task gets a second verdict for a side,
    // the second one replaces the first.
    void (*note)(void *context, const char *text);  // a line of text for the user
    void (*finished)(void *context, const struct bilanx_record *record);
    void *context;
};

// Compares every side with the first. The records are verdicts, failures and, with `count`, counts;
// `side` names the side a record describes. `records` and `count` are always set: after an error,
// to what was compared before it, or to NULL and 0. The caller calls bilanx_record_done() on each
// record and frees the array. `options` may be NULL.
BILANX_API struct bilanx_error bilanx_ab(const struct bilanx_ab_side *sides, size_t side_count,
                                         const struct bilanx_ab_options *options,
                                         struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
