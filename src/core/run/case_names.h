// case_names: the names of cases in tables, short and unique.
#ifndef RUN_CASE_NAMES_H
#define RUN_CASE_NAMES_H

#include "core/run/run.h"

// The first line of a statement or a command, 60 columns at most; the caller frees it.
char *case_name_of(const char *code);

// Adds what differs to names that occur more than once: "sort [n = 10]" and "sort [n = 20]".
void case_names_tell_apart(struct run_case *const *cases, size_t count);

#endif
