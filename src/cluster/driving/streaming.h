// streaming: tasks whose records come back over the launcher, for clusters without a shared folder.
//
// Each task is a process of this machine, such as srun, whose output is the file of records. As
// many run at a time as there are machines. Their ends are written to the run's folder, so that
// everything else works as with a shared folder.
#ifndef DRIVING_STREAMING_H
#define DRIVING_STREAMING_H

#include "cluster/driving/drive.h"

struct streaming;
void streaming_free(struct streaming *streaming);  // ends its processes

// Adds the tasks of a batch to the waiting ones.
void streaming_add(struct drive *drive, size_t batch);

// Starts and reaps processes, and reports their states.
struct bilanx_error streaming_look(struct drive *drive, struct launch_tasks *out);

// Ends all processes.
void streaming_cancel(struct drive *drive);

#endif
