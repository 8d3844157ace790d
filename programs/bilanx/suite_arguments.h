// suite_arguments: options of `bilanx run` for suites.
#ifndef PROGRAMS_SUITE_ARGUMENTS_H
#define PROGRAMS_SUITE_ARGUMENTS_H

#include <stdbool.h>

#include "base/options.h"
#include "hwcaps_arguments.h"
#include "sources/statements/statements.h"

struct suite_arguments {
    struct words tags, without_languages;
    bool expand, count, no_time, backtest, fit;
    struct hwcaps_arguments hwcaps;
    uint64_t retries, jobs;
    enum suite_order { SUITE_RANDOM, SUITE_DEFINED } order;
    const char *resume;  // file of records whose cases need not be measured again
    struct statement_options statement;
};

// Option group for struct suite_arguments.
extern const struct option suite_options[];

extern const struct option_scope suite_scope;  // those that need a suite

void suite_arguments_done(struct suite_arguments *arguments);

#endif
