// versions: which version of its subject a suite measures, for cases limited to some versions.
#ifndef SCHEDULE_VERSIONS_H
#define SCHEDULE_VERSIONS_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct versions {                   // zero: nothing queried yet
    struct list subjects, numbers;  // parallel; "": unknown
};
void versions_done(struct versions *versions);
SCOPE_VALUE(versions, versions_done)

// Whether `since` and `until` of the case allow the installed version. Returns an error if the
// version is needed but unknown.
struct bilanx_error versions_allow(struct versions *versions, const struct bilanx_suite_case *item,
                                   const struct statement_options *options, bool *allowed);

#endif
