// versions: which version of its subject a suite is about to measure, for what is only for some.
#ifndef SCHEDULE_VERSIONS_H
#define SCHEDULE_VERSIONS_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct versions {                   // of zeroes: nobody was asked
    struct list subjects, numbers;  // "": it is not known
};
void versions_done(struct versions *versions);
SCOPE_VALUE(versions, versions_done)

// Whether the case is for the version that is there: its `since` and `until` allow it. An error
// where that version is needed and not known.
struct bilanx_error versions_allow(struct versions *versions, const struct bilanx_suite_case *item,
                                   const struct statement_options *options, bool *allowed);

#endif
