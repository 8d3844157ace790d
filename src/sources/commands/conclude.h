// conclude: from the runs of a command to its record.
#ifndef COMMANDS_CONCLUDE_H
#define COMMANDS_CONCLUDE_H

#include "core/record/warnings.h"
#include "sources/commands/commands.h"

// Fills the record of an item with at least one run, or with a failure in its record already.
void conclude_item(const struct commands *commands, struct commands_item *item,
                   const struct commands_options *options, const struct warning_facts *facts);

// The half width of the 95 % interval of the median, relative to it; infinite when unknown.
double conclude_precision(const struct commands_run *runs, size_t count);

// Runs that are far from the others, and whether the first is one of them, slower.
struct outliers {
    size_t count;  // the first not among them when it is slow
    double slowest;
    bool slow_first;
    double median;  // of all but the first
};
struct outliers conclude_outliers(const double *times, size_t count);

#endif
