// references: finds the cases that `overhead_of` refers to.
#ifndef SUITE_REFERENCES_H
#define SUITE_REFERENCES_H

#include "expand.h"

// Returns, for each case of the suite, the index of the case it refers to; SIZE_MAX: none. Replaces
// the texts by the names of those cases. The caller frees the array.
struct bilanx_error suite_resolve(const struct bilanx_suite *suite, size_t **out);

#endif
