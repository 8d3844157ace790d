// expectation: reads the ranges that `expect` gives.
#ifndef SUITE_EXPECTATION_H
#define SUITE_EXPECTATION_H

#include "base/scope.h"
#include "bilanx/suite.h"

// The caller frees `out`, which stays NULL if nothing is expected.
struct bilanx_error expected_make(const struct bilanx_suite_expect *expect,
                                  struct bilanx_expected **out);
void expected_free(struct bilanx_expected *expected);
SCOPE_POINTER(bilanx_expected, expected_free)

// The text of the range, for locations; NULL: none.
const char *expectation_text(const struct bilanx_suite_expect *expect);

#endif
