// function_label: how functions of counts are shown that the user has not written or called.
#ifndef RECORD_FUNCTION_LABEL_H
#define RECORD_FUNCTION_LABEL_H

#include <stdbool.h>

#include "base/text.h"

// "the statement itself", whose loop is a function of ours, and what was inlined there if its name
// is not known; "(bilanx)" for what calls it. NULL: it is none of ours. Both names may be NULL.
const char *function_label(const char *function, const char *file);

// Adds the name without its place: a label or, for the body of a benchmark, "benchmark crc".
void function_add_bare_name(struct text *out, const char *function, const char *file);

// Adds the name with its place: "crc32_bytes (checksum.c)" or, if the file is not known,
// "crc32_bytes (prog)". All names may be NULL.
void function_add_name(struct text *out, const char *function, const char *file,
                       const char *object);

// False for NULL and for callgrind's "???".
bool function_file_is_known(const char *file);

// The last part of the path; "" for the object of a statement, which is named by its digest.
const char *function_object_name(const char *object);

// Whether the name says already which file it is of: "fnv1a (inlined, strlib.c)".
bool function_is_inlined(const char *function);

#endif
