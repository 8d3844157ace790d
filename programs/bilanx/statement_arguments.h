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

// Rows for a table of options, read into `at`, the struct statement_arguments in a struct `type`.
#define STATEMENT_AT(type, at, member) offsetof(type, at.member)
#define STATEMENT_CODE(type, at)                                                              \
    {"setup",     's',                                                                        \
     OPTION_LIST, STATEMENT_AT(type, at, setups),                                             \
     "CODE",      .help = "runs first, once in every process; its variables are in scope"},   \
        {"global",    'g',                                                                    \
         OPTION_LIST, STATEMENT_AT(type, at, globals),                                        \
         "CODE",      .help = "outside the function: includes, types, imports"},              \
        {"language",                                                                          \
         'l',                                                                                 \
         OPTION_CHOICE,                                                                       \
         STATEMENT_AT(type, at, language),                                                    \
         .choices = statements_languages,                                                     \
         .help = "of the statements"},                                                        \
        {"threads",    't',                                                                   \
         OPTION_COUNT, STATEMENT_AT(type, at, options.threads),                               \
         "N",          .help = "that the statement may use, for OpenMP and BLAS (1)"},        \
        {"cc",        0,                                                                      \
         OPTION_TEXT, STATEMENT_AT(type, at, options.cc),                                     \
         "CC",        .help = "the compiler (cc, or c++)"},                                   \
        {"cflags",           0, OPTION_TEXT, STATEMENT_AT(type, at, options.cflags), "FLAGS", \
         .help = "after -O2"},                                                                \
        {"ldflags",   0,                                                                      \
         OPTION_TEXT, STATEMENT_AT(type, at, options.ldflags),                                \
         "FLAGS",     .help = "for the linker: -lfoo"},                                       \
        {"with",                                                                              \
         0,                                                                                   \
         OPTION_LIST,                                                                         \
         STATEMENT_AT(type, at, options.recipes),                                             \
         "NAME",                                                                              \
         .help = "a library by name, headers and all: torch, blas, openblas,\n"               \
                 "openmp, threads"},                                                          \
        {"pkg",       0,                                                                      \
         OPTION_LIST, STATEMENT_AT(type, at, options.packages),                               \
         "NAME",      .help = "flags from pkg-config"},                                       \
        {"source",    0,                                                                      \
         OPTION_LIST, STATEMENT_AT(type, at, options.sources),                                \
         "FILE",      .help = "compiled along; a single one with its static functions"},      \
        {"include",   'I',                                                                    \
         OPTION_LIST, STATEMENT_AT(type, at, options.includes),                               \
         "DIR",       .help = "where headers are"},                                           \
        {"compile-commands",                                                                  \
         0,                                                                                   \
         OPTION_TEXT,                                                                         \
         STATEMENT_AT(type, at, options.compile_commands),                                    \
         "FILE",                                                                              \
         .help = "a project's flags for the first --source"},                                 \
        {"sync",      0,                                                                      \
         OPTION_TEXT, STATEMENT_AT(type, at, options.sync),                                   \
         "STMT",      .help = "after each batch, timed with it: waits for a queue"},          \
        {"python",    0,                                                                      \
         OPTION_TEXT, STATEMENT_AT(type, at, options.python),                                 \
         "EXE",       .help = "the interpreter ($BILANX_PYTHON, or python3)"},                \
        {"preload",   0,                                                                      \
         OPTION_TEXT, STATEMENT_AT(type, at, options.preload),                                \
         "NAMES",     .help = "Python: import once, then fork; torch and numpy always"},      \
        {"no-launder", 0, OPTION_FLAG, STATEMENT_AT(type, at, options.plain),                 \
         .help = "let the optimiser know the setup's variables, and drop the result"}
#define STATEMENT_DRAWS(type, at)                                                 \
    {"layouts",                                                                   \
     0,                                                                           \
     OPTION_COUNT,                                                                \
     STATEMENT_AT(type, at, options.layouts),                                     \
     "K",                                                                         \
     .help = "C and C++: lay the code out in K ways, one drawn per epoch (32);\n" \
             "0: only as the linker does it"}
#define STATEMENT_NAMES(type, at)                                                            \
    {"label",     0,                                                                         \
     OPTION_TEXT, STATEMENT_AT(type, at, options.label),                                     \
     "TEXT",      .help = "for the records, as are these:"},                                 \
        {"sub-label",  0, OPTION_TEXT, STATEMENT_AT(type, at, options.sub_label), "TEXT",    \
         .help = "..."},                                                                     \
        {"description", 0, OPTION_TEXT, STATEMENT_AT(type, at, options.description), "TEXT", \
         .help = "..."},                                                                     \
        {"env", 0, OPTION_TEXT, STATEMENT_AT(type, at, options.env), "TEXT", .help = "..."}

// After parsing: completes the options, and reads a statement that is "-" from stdin: the way for
// one that no command line could hold.
struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts);
void statement_arguments_done(struct statement_arguments *arguments);

#endif
