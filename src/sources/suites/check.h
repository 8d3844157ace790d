// check: finds mistakes in an entry that do not depend on its values.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "expand.h"

// Errors include the location.
struct bilanx_error suite_check_entry(const struct bilanx_suite_entry *entry,
                                      const struct origin *origin);

// "torch", "program:clang", "pkg:openblas"; errors do not include the location.
struct bilanx_error suite_check_requirement(const char *word);

// "python:numpy", "pkg:zlib", "program:gcc"; errors do not include the location.
struct bilanx_error suite_check_subject(const char *word);

// Compares dotted version numbers; *order is negative, 0 or positive. Returns false if either is
// not one.
bool version_compare(const char *a, const char *b, int *order);

// Reads a number, or several joined by '*'.
bool product_read(const char *text, double *out);

#endif
