// campaign: decides which cases are measured where, and what remains to do when something fails.
//
// Bookkeeping only: it knows no scheduler, no files and no clock, so that a simulation can drive it
// as well as a real cluster (bench/cluster.c).
//
//     campaign_init(&campaign, items, count, &(struct campaign_options){.machines = 50});
//     while (campaign_next(&campaign, &batch))          // first everything, later what failed
//         submit an array of campaign.batches[batch].shard.count tasks;
//     campaign_case_done(&campaign, place, node);        // a record arrived
//     campaign_task_ended(&campaign, batch, task, ...);  // its missing cases are tried again
//
// A batch is submitted at once, as one job array; a task is one shard of it. The tasks of the first
// batch shrink (shards.h), so that machines finish together even if cases take more or less time
// than expected, and although every task takes a few seconds to start.
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>

#include "base/list.h"
#include "base/scope.h"
#include "cluster/shards/shards.h"

struct campaign_options {  // zero selects the default
    uint64_t machines;     // that tasks will run on; default 1
    uint64_t retries;      // for cases whose task died
    double task_start_s;   // what starting a task costs; default 2
    uint64_t most_tasks;   // of a batch; default 1000
};

enum campaign_end {
    CAMPAIGN_FINISHED,  // all its cases are settled
    CAMPAIGN_DIED,      // node failure, time limit, out of memory, ...
    CAMPAIGN_REFUSED,   // the machine was unfit; not the task's fault
};

struct campaign_batch {
    size_t *cases;    // indices
    uint32_t *tasks;  // parallel: the task that has the case, from 1
    size_t case_count;
    struct shard shard;  // `count` tasks
    enum campaign_task {
        CAMPAIGN_OPEN,  // waiting or running
        CAMPAIGN_ENDED,
    } *
        states;  // by task, from 0
    size_t open_count;
};

struct campaign {
    const struct shard_item *items;
    size_t case_count;
    struct campaign_options options;
    struct campaign_case {
        enum campaign_progress {
            CAMPAIGN_MISSING,  // no open task contains it
            CAMPAIGN_UNDERWAY,
            CAMPAIGN_DONE,
            CAMPAIGN_ABANDONED,  // too many tasks died
        } progress;
        uint32_t deaths;  // of tasks that contained it
        uint32_t refusals;
        uint32_t node;  // that measured it, plus 1; 0: unknown
    } *cases;
    struct campaign_batch *batches;
    size_t batch_count, batch_room;
    struct campaign_node {
        char *name;
        uint64_t deaths, measured;
        char *bad;  // why it is no longer used; NULL: it still is
    } *nodes;
    size_t node_count, node_room;
    size_t done_count, abandoned_count;
    double done_cost, total_cost;
};

// `items` must outlive the campaign.
void campaign_init(struct campaign *campaign, const struct shard_item *items, size_t count,
                   const struct campaign_options *options);
void campaign_done(struct campaign *campaign);
SCOPE_VALUE(campaign, campaign_done)

// Makes a batch of all missing cases. Returns false if there are none.
bool campaign_next(struct campaign *campaign, size_t *batch);

// Adds a batch as it was submitted earlier.
size_t campaign_restore(struct campaign *campaign, const size_t *cases, size_t count,
                        const struct shard *shard);

// A case has its record. Returns false if it already had one. `node` may be NULL.
bool campaign_case_done(struct campaign *campaign, size_t index, const char *node);

// A task has ended and will not measure anything else. `node` may be NULL.
void campaign_task_ended(struct campaign *campaign, size_t batch, uint64_t task,
                         enum campaign_end end, const char *node);

// Whether a task that is still open has cases without a record.
bool campaign_task_lacks(const struct campaign *campaign, size_t batch, uint64_t task);

// A machine is unfit. The cases that it measured are missing again; returns their number.
size_t campaign_node_bad(struct campaign *campaign, const char *node, const char *why);

struct campaign_node *campaign_node(struct campaign *campaign, const char *name);

// No task is open, and nothing is left to submit.
bool campaign_is_over(const struct campaign *campaign);
size_t campaign_open_tasks(const struct campaign *campaign);

#endif
