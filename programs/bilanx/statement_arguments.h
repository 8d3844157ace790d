// statement_arguments: options that describe a statement, shared by `time` and `count`.
#ifndef PROGRAMS_STATEMENT_ARGUMENTS_H
#define PROGRAMS_STATEMENT_ARGUMENTS_H

#include "base/options.h"
#include "base/text.h"
#include "sources/statements/statements.h"

struct statement_arguments {
    struct statement_options options;
    struct words setups, globals;
    int language, as;
    char *setup, *global;  // lines of several, joined
    struct text from_stdin;
};

// Option groups for struct statement_arguments.
extern const struct option_rule statement_rules[], statement_input_rules[];
extern const struct option statement_code_options[];    // what to compile, and how
extern const struct option statement_layout_options[];  // --layouts
extern const struct option statement_name_options[];    // names used in records
extern const struct option statement_input_options[];   // --inputs and its further options

// Call after parsing. Completes the options, and reads a statement "-" from stdin, for statements
// too long for a command line.
struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts);
void statement_arguments_done(struct statement_arguments *arguments);

#endif
