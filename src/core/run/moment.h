// moment: which epochs tell of the code, and which of the machine at that moment.
//
// An epoch at another pace than the run's, or whose batches spread much more than those of the
// calmest one, is dropped and drawn again.
#ifndef RUN_MOMENT_H
#define RUN_MOMENT_H

#include "core/run/measure_case.h"

// Keeps the epoch, or counts it as one to be drawn again. Sets `done` when there are enough.
void moment_add(struct progress *progress, const struct epoch_report *report,
                const struct rigorous_options *rigorous);

#endif
