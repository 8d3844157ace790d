// submission: hands batches to the launcher.
#ifndef DRIVING_SUBMISSION_H
#define DRIVING_SUBMISSION_H

#include "cluster/driving/drive.h"

// Records whether the scheduler answers, and returns the error.
struct bilanx_error drive_answer(struct drive *drive, struct bilanx_error error);
void drive_add_batch(struct drive *drive, size_t batch, const char *job);

// The tasks of this run that the launcher remembers.
struct bilanx_error submission_look(struct drive *drive, struct launch_tasks *out);

// The names of the arrays of all batches, separated by commas. The caller frees it.
char *submission_names(const struct drive *drive);

// Machines that are no longer used, separated by commas. The caller frees it.
char *submission_excluded(const struct drive *drive);

#endif
