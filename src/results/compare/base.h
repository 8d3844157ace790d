// base: for every entry the one that it is compared with.
#ifndef COMPARE_BASE_H
#define COMPARE_BASE_H

#include "results/compare/layout.h"

// `name` is the heading of a column, an env, the name of a row, a side or a source; "env:gcc" says
// which of those. `bases` has a place for each entry of the collation: NULL where there is none to
// compare with.
struct bilanx_error bases_find(const struct collation *collation, const struct layout *layout,
                               const char *name, const struct entry **bases);

#endif
