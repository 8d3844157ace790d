// moment: drops epochs that were disturbed by the machine.
//
// An epoch is dropped and repeated if it ran at a different pace than the run, or if its batches
// vary much more than those of the calmest epoch.
#ifndef RUN_MOMENT_H
#define RUN_MOMENT_H

#include "core/run/measure_case.h"

// Adds the epoch, or drops it and counts it as redrawn. Sets `done` when there are enough.
void moment_add(struct progress *progress, const struct epoch_report *report,
                const struct rigorous_options *rigorous);

#endif
