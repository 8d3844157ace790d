// requirements: whether what a case needs is installed. Each check starts a process, so it is done
// only once.
#ifndef SCHEDULE_REQUIREMENTS_H
#define SCHEDULE_REQUIREMENTS_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

struct requirements {            // zero: nothing checked yet
    struct list names, reasons;  // parallel; empty reason: available
};
void requirements_done(struct requirements *known);
SCOPE_VALUE(requirements, requirements_done)

// Returns true, with the reason, if the case is skipped or lacks a requirement.
bool requirements_refuse(struct requirements *known, const struct bilanx_suite_case *item,
                         const struct statement_options *options, struct text *reason);

#endif
