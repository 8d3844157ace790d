// run_suites: the part of `bilanx run` that is about suites.
#ifndef RUN_SUITES_H
#define RUN_SUITES_H

#include <stdbool.h>

#include "base/options.h"

struct suite_arguments {
    const char *filter;
    struct words tags, without_languages;
    bool list, expand;
};

// Whether a word of the command line names a suite: "-", a name that ends in .yaml or .yml, or a
// file that looks like one.
bool is_suite(const char *path);

// Shows the cases of suites. Returns the exit status.
int run_suites(const char *const *paths, size_t count, const struct suite_arguments *arguments);

#endif
