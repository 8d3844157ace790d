// hints: suggests what to type when a statement does not compile.
#ifndef BILANX_HINTS_H
#define BILANX_HINTS_H

#include "base/list.h"
#include "bilanx/record.h"

// Prints a hint on stderr, if there is one and `given` does not contain it yet.
void hint_at(const struct bilanx_task *task, const struct bilanx_failure *failure,
             struct list *given);

#endif
