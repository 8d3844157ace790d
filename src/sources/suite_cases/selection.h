// selection: the cases that are wanted of suites, those of benchmark programs among them.
//
// A suite knows only the name of a program. Its cases are asked for here, and each becomes a case
// of the suite, below the labels of the entry that names the program.
#ifndef SCHEDULE_SELECTION_H
#define SCHEDULE_SELECTION_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct selection {
    struct bilanx_suite_case **cases;  // in the order of their definition
    const struct run_case **listed;    // in step: of a program; NULL: a statement
    char **faults;                     // in step: why a program told no cases, or NULL
    size_t count, room;
    struct program **programs;
    size_t program_count, program_room;
};
void selection_done(struct selection *selection);
SCOPE_VALUE(selection, selection_done)

struct selection_options {
    struct bilanx_suite_options suite;  // the filter is for the cases of programs as well
    bool backtest;                      // only what the versions of the subjects allow
    const struct statement_options *defaults;
};

// Chooses from a suite. A program that is skipped, or lacks what it requires, is not started and
// stays one case.
struct bilanx_error selection_make(const struct bilanx_suite *suite,
                                   const struct selection_options *options, struct selection *out);

#endif
