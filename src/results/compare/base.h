// base: finds the entry that each entry is compared with.
#ifndef COMPARE_BASE_H
#define COMPARE_BASE_H

#include "results/compare/layout.h"

// `name` is a column heading, an env, a row name, a side or a source; "env:gcc" says which of
// those. `bases` has one element per entry of the collation: NULL if there is nothing to compare
// with.
struct bilanx_error bases_find(const struct collation *collation, const struct layout *layout,
                               const char *name, const struct entry **bases);

#endif
