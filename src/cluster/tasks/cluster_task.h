// cluster_task: the task on a machine of a cluster: checks the machine, then runs its shard.
#ifndef TASKS_CLUSTER_TASK_H
#define TASKS_CLUSTER_TASK_H

#include "bilanx/error.h"

// Runs the task that the launcher's environment names, of a batch. The outcome is written to the
// run's folder; an error means that even that was impossible.
struct bilanx_error cluster_task(const char *folder, const char *batch);

// Without a shared folder: runs the words of a command in this process, if this is the right
// version. First the name of the machine goes to stderr. Returns only on failure.
#define STREAM_NODE "bilanx runs on "
struct bilanx_error cluster_stream(const char *version, char **words);

#endif
