// drive_tasks: what became of tasks and machines.
#ifndef DRIVING_DRIVE_TASKS_H
#define DRIVING_DRIVE_TASKS_H

#include "cluster/driving/drive.h"

// Takes in what the launcher says (NULL: nothing) and what tasks left behind.
void drive_follow_tasks(struct drive *drive, const struct launch_tasks *tasks);

// Stops using machines that measure badly.
void drive_check_nodes(struct drive *drive);

#endif
