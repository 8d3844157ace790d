// operator_list: the contents of a log as a table for people, and as a log again.
#ifndef OPERATORS_OPERATOR_LIST_H
#define OPERATORS_OPERATOR_LIST_H

#include "base/table.h"
#include "operators.h"

// Fills an empty table: operator, samples, calls, bytes of the largest arguments as they were
// recorded, and whether it is a view or a constructor. `exact`: all digits, for programs.
void operator_log_tabulate(const struct operator_log *log, bool exact, struct table *table);

// Adds "141 operators, 6956 samples, 45118 calls".
void operator_log_summarize(const struct operator_log *log, struct text *out);

// Adds the log in its own format; reading that gives an equal log.
void operator_log_write(const struct operator_log *log, struct text *out);

#endif
