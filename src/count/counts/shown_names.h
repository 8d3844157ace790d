// shown_names: the functions of two sides, named as people read them.
#ifndef COUNTS_SHOWN_NAMES_H
#define COUNTS_SHOWN_NAMES_H

#include "functions.h"

// Gives the functions of both sides the names that function_add_name() writes, as `function`;
// `file` and `object` are NULL. Equal names are added up. With `standardize`, names are those that
// two builds have in common: a function whose file is known on one side only, or which is in an
// object of another name there, has the same name on both. The caller frees both results.
void functions_show(const struct bilanx_functions *before, const struct bilanx_functions *after,
                    bool standardize, struct bilanx_functions *shown_before,
                    struct bilanx_functions *shown_after);

#endif
