// cluster_task: what runs on a machine of a cluster: checks the machine, then runs its shard.
#ifndef TASKS_CLUSTER_TASK_H
#define TASKS_CLUSTER_TASK_H

#include "bilanx/error.h"

// Runs the task that the launcher's environment names, of a batch. Whatever happens is written to
// the run's folder; an error means that not even that was possible.
struct bilanx_error cluster_task(const char *folder, const char *batch);

// Without a shared folder: runs the words of a command here, in this process, if this is the wanted
// version. First the name of the machine goes to stderr. Returns only on failure.
#define STREAM_NODE "bilanx runs on "
struct bilanx_error cluster_stream(const char *version, char **words);

#endif
