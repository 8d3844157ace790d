// ops_run: measures the operators of a log, and shows and writes the results.
#ifndef PROGRAMS_OPS_RUN_H
#define PROGRAMS_OPS_RUN_H

#include "ops_report.h"

// Returns the exit status.
int ops_run(const struct ops_arguments *arguments, const struct operator_log *log, struct ops *ops);

#endif
