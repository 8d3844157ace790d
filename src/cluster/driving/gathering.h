// gathering: collects the records of tasks as they are written, and writes them in the order of
// definition.
//
// Only where each record is stays in memory. The output always ends with the last case before the
// first missing one, so it is in order at any time; gathering_finish() adds what follows gaps.
//
// Others may add to the output between two processes that collect the same run. So nothing is
// assumed about where our records are: lines of the output that are, byte by byte, lines of the
// run's folder are ours, and all others stay. Nothing is noted elsewhere that a kill could
// contradict.
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
// reopened when the file is replaced. `only_ours`: what others wrote is replaced as well. Without
// this call, nothing is written.
void gathering_write_to(struct gathering *gathering, FILE **out, bool only_ours);

// Takes the records of an earlier run from a file, which has only cases of this run. Complete ones
// count; the others are replaced.
struct bilanx_error gathering_take(struct gathering *gathering, const char *path);

// Reads what tasks have written since the last call.
struct bilanx_error gathering_look(struct gathering *gathering);

// A task has ended. If it finished, what it recorded about failed cases counts as well, except by
// a start that the scheduler has repeated since.
void gathering_task_ended(struct gathering *gathering, size_t batch, uint64_t task, bool finished);

// Whether a record of the run says that its case failed, other than by being skipped.
bool gathering_has_failures(const struct gathering *gathering);

// Forgets what a machine measured. Call it before campaign_node_bad().
void gathering_drop_node(struct gathering *gathering, const char *node);

// Writes the records that are next in order. After an error, the output is as it was before, and
// the next call tries again.
struct bilanx_error gathering_write(struct gathering *gathering);

// Writes all the rest, leaving out what is missing.
struct bilanx_error gathering_finish(struct gathering *gathering);

#endif
