// selection: the selected cases of suites, including those of benchmark programs.
//
// A suite only names a program. Its cases are queried here; each becomes a case of the suite, under
// the labels of the entry that names the program.
#ifndef SCHEDULE_SELECTION_H
#define SCHEDULE_SELECTION_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct selection {
    struct bilanx_suite_case **cases;  // in order of definition
    const struct run_case **listed;    // parallel: case of a program; NULL: a statement
    char **faults;                     // parallel: why a program listed no cases, or NULL
    size_t count, room;
    struct program **programs;
    size_t program_count, program_room;
};
void selection_done(struct selection *selection);
SCOPE_VALUE(selection, selection_done)

struct selection_options {
    struct bilanx_suite_options suite;  // the filter also applies to cases of programs
    bool backtest;                      // only cases that the subjects' versions allow
    const struct statement_options *defaults;
};

// Selects cases from a suite. A program that is skipped or lacks a requirement is not started and
// counts as one case.
struct bilanx_error selection_make(const struct bilanx_suite *suite,
                                   const struct selection_options *options, struct selection *out);

// Drops the cases whose `keep` is false; `keep` is parallel to the cases.
void selection_keep(struct selection *selection, const bool *keep);

#endif
