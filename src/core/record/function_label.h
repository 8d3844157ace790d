// function_label: how functions of counts are shown that the user has not written or called.
#ifndef RECORD_FUNCTION_LABEL_H
#define RECORD_FUNCTION_LABEL_H

#include <stdbool.h>

// "(the loop)" and "(the statement itself)", which are in one function of ours, and what was
// inlined there if its name is not known; "(bilanx)" for what calls it. NULL: it is none of ours.
// Both names may be NULL.
const char *function_label(const char *function, const char *file);

// Whether the name says already which file it is of: "fnv1a (inlined, strlib.c)".
bool function_is_inlined(const char *function);

#endif
