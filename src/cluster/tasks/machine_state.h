// machine_state: examines a task's machine before it measures.
#ifndef TASKS_MACHINE_STATE_H
#define TASKS_MACHINE_STATE_H

#include "cluster/site/run_folder.h"

// The caller frees it: the processor, or else the architecture.
char *machine_kind(void);

// Examines this machine. `counting`: also counts some functions of libc, whose variants may differ
// between machines.
void machine_state(const struct run_folder *folder, const char *name, struct run_node *out);

// Adds why the machine at `index` should not measure. Returns false if it is fit.
bool machine_is_unfit(const struct run_nodes *nodes, size_t index, struct text *why);

#endif
