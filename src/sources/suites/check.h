// check: what can be wrong with an entry whatever its values are.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "expand.h"

// Errors have their place.
struct bilanx_error suite_check_entry(const struct bilanx_suite_entry *entry,
                                      const struct origin *origin);

// "torch", "program:clang", "pkg:openblas"; errors have no place.
struct bilanx_error suite_check_requirement(const char *word);

// "python:numpy", "pkg:zlib", "program:gcc"; errors have no place.
struct bilanx_error suite_check_subject(const char *word);

// Whether `version` is one: numbers with dots between them. Sets less, equal, greater in *order.
bool version_compare(const char *a, const char *b, int *order);

// A number, or several with '*' between them.
bool product_read(const char *text, double *out);

#endif
