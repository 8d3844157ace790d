// run_suites: the part of `bilanx run` that is about suites.
#ifndef RUN_SUITES_H
#define RUN_SUITES_H

#include <stdbool.h>

#include "core/show/console.h"
#include "suite_arguments.h"

// Whether a word of the command line names a suite: "-", a name that ends in .yaml or .yml, or a
// file that looks like one.
bool is_suite(const char *path);

// Measures the cases of suites, or shows what they are. Returns the exit code.
int run_suites(const char *const *paths, size_t count, const struct suite_arguments *arguments,
               const struct console_settings *settings);

#endif
