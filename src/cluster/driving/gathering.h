// gathering: collects the records of tasks as they are written, and writes them in the order of
// definition.
//
// Only the positions of records stay in memory. The output always ends with the last case before
// the first missing one, so it is in order at any time; gathering_finish() adds the cases after
// gaps.
//
// Others may add to the output between two processes that collect the same run. So nothing is
// assumed about where our records are: lines of the output that equal lines in the run's folder,
// byte for byte, are ours, and all others stay. No other bookkeeping exists that a kill could
// invalidate.
#ifndef DRIVING_GATHERING_H
#define DRIVING_GATHERING_H

#include <stdio.h>

#include "base/tell.h"
#include "cluster/campaign/campaign.h"
#include "cluster/site/run_folder.h"

struct gathering;

// The folder, the campaign and `tell` must outlive the gathering.
struct gathering *gathering_new(const struct run_folder *folder, struct campaign *campaign,
                                const struct tell *tell);
void gathering_free(struct gathering *gathering);
SCOPE_POINTER(gathering, gathering_free)

// Sets where records are written to: `*out`, open on folder->out and locked. It is closed and
// reopened when the file is replaced. `only_ours`: lines of other runs are replaced as well.
// Without this call, nothing is written.
void gathering_write_to(struct gathering *gathering, FILE **out, bool only_ours);

// Takes the records of an earlier run from a file, which has only cases of this run. Complete ones
// count; the others are replaced.
struct bilanx_error gathering_take(struct gathering *gathering, const char *path);

// Reads what tasks have written since the last call.
struct bilanx_error gathering_look(struct gathering *gathering);

// A task has ended. If it finished, its records of failed cases count as well, unless the scheduler
// has restarted the task since.
void gathering_task_ended(struct gathering *gathering, size_t batch, uint64_t task, bool finished);

// Whether a record of the run says that its case failed, other than by being skipped.
bool gathering_has_failures(const struct gathering *gathering);

// Forgets the records from a machine. Call it before campaign_node_bad().
void gathering_drop_node(struct gathering *gathering, const char *node);

// Writes the next records in order. After an error, the output is as it was before, and the next
// call tries again.
struct bilanx_error gathering_write(struct gathering *gathering);

// Writes all remaining records, leaving out missing cases.
struct bilanx_error gathering_finish(struct gathering *gathering);

#endif
