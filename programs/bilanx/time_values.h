// time_values: statements measured for several values of a parameter: bilanx time -L n 64,1024.
#ifndef PROGRAMS_TIME_VALUES_H
#define PROGRAMS_TIME_VALUES_H

#include "base/list.h"
#include "sources/statements/statements.h"

struct time_values {  // what the options and statements point to
    struct list kept;
};
void time_values_done(struct time_values *values);
SCOPE_VALUE(time_values, time_values_done)

// Replaces the statements by one for each combination of values; `lists` has pairs of a name and
// its values. {NAME} is replaced by the value wherever it occurs; if it occurs nowhere, the setup
// declares a variable NAME. Rows of tables are the values, columns the statements.
struct bilanx_error time_values_expand(const struct words *lists, struct statement_options *options,
                                       struct words *stmts, struct time_values *out);

#endif
