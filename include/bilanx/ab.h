// ab: compares two sides, and says how surely one is faster. What `bilanx ab` does.
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
// Both sides take turns, batch by batch, in many short processes, until the verdict is certain or
// the budget is spent. A side is a compiler with its flags, a revision, an environment, a program,
// a command, or a file of records: docs/formats/sides.md. docs/formats/record.md explains verdicts.
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
    const char *name;  // "A"; different on every side
    const char *spec;  // "cc:gcc -O3", "git:HEAD~1", ...; NULL: this environment, as it is
    const char *stmt;  // what this side executes; on every side or on none
};

// Every member may be left at zero, which means its default. Arrays of texts end in a NULL.
struct bilanx_ab_options {
    // What is compared: one of these, unless the sides bring their own.
    const char *const *stmts;   // statements
    const char *const *suites;  // files
    const char *program;        // a benchmark program; each revision has its own

    // Statements, and what suites leave open.
    const char *language;  // "c", the default, "c++" or "python"
    const char *setup, *global_setup;
    const char *cc, *cflags, *ldflags;
    const char *const *sources, *const *include;  // files to compile in, folders of headers
    const char *python;                           // the interpreter

    const char *filter;       // only cases whose name matches this regular expression
    const char *const *tags;  // of a suite: only cases with one of these
    const char *build;        // the command that builds a revision

    double alpha;    // how often a verdict may be wrong; default .01
    double margin;   // a smaller change is none; default .0025
    double equal;    // sides this close are the same; default .005
    double budget;   // seconds per case; default 5
    double timeout;  // seconds that a process may be silent; default 60
    uint64_t seed;   // of orders and layouts; default: a fresh one
    bool isolate;    // never load both sides into one process
    bool count;      // count instructions too (needs valgrind)
    bool no_time;    // with `count`: only count, and judge by instructions

    // Called as the comparison goes on, with `context`. If a task gets a second verdict on a side,
    // that one counts: the first was withdrawn.
    void (*note)(void *context, const char *text);  // a line for a person
    void (*finished)(void *context, const struct bilanx_record *record);
    void *context;
};

// Compares every side with the first. The records are verdicts, failures and, with `count`, counts;
// `side` names the side that a record is about. The caller ends each record and frees the array.
BILANX_API struct bilanx_error bilanx_ab(const struct bilanx_ab_side *sides, size_t side_count,
                                         const struct bilanx_ab_options *options,
                                         struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
