// drive_tasks: tracks how tasks ended, and which machines are fit.
#ifndef DRIVING_DRIVE_TASKS_H
#define DRIVING_DRIVE_TASKS_H

#include "cluster/driving/drive.h"

// Processes the launcher's report (NULL: none) and the files that tasks left behind.
void drive_follow_tasks(struct drive *drive, const struct launch_tasks *tasks);

// Stops using unfit machines.
void drive_check_nodes(struct drive *drive);

#endif
