// environments: distinguishes the results of one task in one file, and orders them.
//
// An environment is named by the user with --env. Without a name, the results of different commits
// are different environments too, named after the commit.
#ifndef COMPARE_ENVIRONMENTS_H
#define COMPARE_ENVIRONMENTS_H

#include "results/compare/collate.h"

// Names environments after commits where a file has several, and sets the `rank` of all entries:
// commits come in the order of history, others in the order of their first records. `by_name`:
// alphabetically, as in PyTorch's tables.
void environments_arrange(struct collation *collation, bool by_name);

#endif
