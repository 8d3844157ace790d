// conclude: turns the runs of a command into its record.
#ifndef COMMANDS_CONCLUDE_H
#define COMMANDS_CONCLUDE_H

#include "core/record/warnings.h"
#include "sources/commands/commands.h"

// Completes the record of an item that has at least one run or already contains a failure.
void conclude_item(const struct commands *commands, struct commands_item *item,
                   const struct commands_options *options, const struct warning_facts *facts);

// Half the width of the 95 % interval of the median, relative to the median; infinite if unknown.
double conclude_precision(const struct commands_run *runs, size_t count);

// Runs far from the rest, and whether the first run is a slow one.
struct outliers {
    size_t count;  // excludes a slow first run
    double slowest;
    bool slow_first;
    double median;  // of all runs but the first
};
struct outliers conclude_outliers(const double *times, size_t count);

#endif
