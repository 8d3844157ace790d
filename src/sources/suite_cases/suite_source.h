// suite_source: suites as a source of cases.
#ifndef SUITE_CASES_SUITE_SOURCE_H
#define SUITE_CASES_SUITE_SOURCE_H

#include "sources/source/source.h"
#include "sources/suite_cases/schedule.h"

// The suite cases of a source of this kind, parallel to its own cases.
const struct selection *suite_source_selection(const struct source *source);

// Adds the `columns` of its cases, each once.
void suite_source_columns(const struct source *source, struct list *out);

// Seconds spent compiling its cases so far.
double suite_source_compile_seconds(const struct source *source);

#endif
