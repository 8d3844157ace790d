// suite_arguments: the options of `bilanx run` that are about suites.
#ifndef SUITE_ARGUMENTS_H
#define SUITE_ARGUMENTS_H

#include <stdbool.h>

#include "base/options.h"
#include "sources/statements/statements.h"

struct suite_arguments {
    struct words tags, without_languages;
    bool expand, count, no_time, backtest;
    uint64_t retries, jobs;
    int order;           // of cases: an enum suite_order
    const char *resume;  // a file with records of what need not be measured again
    struct statement_options statement;
};
enum suite_order { SUITE_RANDOM, SUITE_DEFINED };
extern const char *const suite_orders[];

// Rows for a table of options, read into `at`, the struct suite_arguments in a struct `type`.
#define SUITE_AT(type, at, member) offsetof(type, at.member)
#define SUITE_OPTIONS(type, at)                                                          \
    {"no-time", 0, OPTION_FLAG, SUITE_AT(type, at, no_time),                             \
     .help = "of a suite: with --count, count only"},                                    \
        {"tag",       0,                                                                 \
         OPTION_LIST, SUITE_AT(type, at, tags),                                          \
         "TAG",       .help = "of a suite: cases with this tag"},                        \
        {"no-lang",   0,                                                                 \
         OPTION_LIST, SUITE_AT(type, at, without_languages),                             \
         "LANG",      .help = "of a suite: no cases in c, c++ or python"},               \
        {"expand", 0, OPTION_FLAG, SUITE_AT(type, at, expand),                           \
         .help = "print a suite's cases as JSON and measure nothing"},                   \
        {"resume",    0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, resume),                                        \
         "FILE",      .help = "measure what has no record in FILE, and add it there"},   \
        {"retries",    0,                                                                \
         OPTION_COUNT, SUITE_AT(type, at, retries),                                      \
         "N",          .help = "try what crashes or takes too long again (0)"},          \
        {"jobs",       0,                                                                \
         OPTION_COUNT, SUITE_AT(type, at, jobs),                                         \
         "N",          .help = "count so many cases at once (one per core)"},            \
        {"order",                                                                        \
         0,                                                                              \
         OPTION_CHOICE,                                                                  \
         SUITE_AT(type, at, order),                                                      \
         .choices = suite_orders,                                                        \
         .help = "of the cases of a suite"},                                             \
        {"backtest", 0, OPTION_FLAG, SUITE_AT(type, at, backtest),                       \
         .help = "leave out what the subject's version is not for"},                     \
        {"cc",        0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, statement.cc),                                  \
         "CC",        .help = "a suite's compiler, where it names none"},                \
        {"cflags",    0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, statement.cflags),                              \
         "FLAGS",     .help = "its flags, where it names none"},                         \
        {"layouts",    0,                                                                \
         OPTION_COUNT, SUITE_AT(type, at, statement.layouts),                            \
         "K",          .help = "lay its C and C++ out in K ways, one per epoch (32)"},   \
        {"ldflags",   0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, statement.ldflags),                             \
         "FLAGS",     .help = "for its linker, where it names none"},                    \
        {"python",    0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, statement.python),                              \
         "EXE",       .help = "its interpreter ($BILANX_PYTHON, or python3)"},           \
        {"preload",   0,                                                                 \
         OPTION_TEXT, SUITE_AT(type, at, statement.preload),                             \
         "NAMES",     .help = "Python: import once, then fork; torch and numpy always"}, \
        {"fresh", 0, OPTION_FLAG, SUITE_AT(type, at, statement.fresh),                   \
         .help = "Python: a process for each epoch"}

// The name of an option that only suites have, if one was given; else NULL.
const char *suite_arguments_given(const struct suite_arguments *arguments);
void suite_arguments_done(struct suite_arguments *arguments);

#endif
