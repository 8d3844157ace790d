// requirements: whether what a case needs is there. Looking takes a process: it is done once for
// each.
#ifndef SCHEDULE_REQUIREMENTS_H
#define SCHEDULE_REQUIREMENTS_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct requirements {            // of zeroes: nothing was looked for
    struct list names, reasons;  // an empty reason: it is there
};
void requirements_done(struct requirements *known);
SCOPE_VALUE(requirements, requirements_done)

// Why the case is not to be run: it is skipped, or something that it needs is missing; false: it
// is.
bool requirements_refuse(struct requirements *known, const struct bilanx_suite_case *item,
                         const struct statement_options *options, struct text *reason);

#endif
