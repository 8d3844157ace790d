// variants: which variants of glibc's functions a record counted.
#ifndef RECORD_VARIANTS_H
#define RECORD_VARIANTS_H

#include <stdbool.h>

#include "base/text.h"
#include "bilanx/record.h"

// Returns them in words: "x86-64-v2", or "native on CPU (FEATURES)". A record without this
// information counted the native ones of its machine. The caller frees the result.
char *record_variants(const struct bilanx_record *record);

// Whether two such texts mean the same. Older records do not list the features of their processor;
// its name must do.
bool variants_equal(const char *a, const char *b);

// If two records counted different variants, adds what is wrong with comparing them and returns
// true.
bool variants_add_difference(const struct bilanx_record *a, const struct bilanx_record *b,
                             struct text *out);

#endif
