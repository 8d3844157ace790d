// statement_arguments: the options that say what a statement is, shared by `time` and `count`.
#ifndef PROGRAMS_STATEMENT_ARGUMENTS_H
#define PROGRAMS_STATEMENT_ARGUMENTS_H

#include "base/options.h"
#include "base/text.h"
#include "sources/statements/statements.h"

struct statement_arguments {
    struct statement_options options;
    struct words setups, globals;
    int language;
    char *setup, *global;  // of several, the lines
    struct text from_stdin;
};

// Groups of options for a struct statement_arguments.
extern const struct option statement_code_options[];    // what to compile, and how
extern const struct option statement_layout_options[];  // --layouts
extern const struct option statement_name_options[];    // what records call it

// After parsing: completes the options, and reads a statement that is "-" from stdin: the way for
// one that no command line could hold.
struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts);
void statement_arguments_done(struct statement_arguments *arguments);

#endif
