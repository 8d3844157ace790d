// case_sampling: samples the loop of a case, in one process after the other. What they say is added
// up.
#ifndef SAMPLING_CASE_SAMPLING_H
#define SAMPLING_CASE_SAMPLING_H

#include "assembly.h"
#include "core/worker/client.h"
#include "gathering.h"
#include "sampling.h"

struct batch_times {  // CPU times, in ns
    double *items;
    size_t count, room;
};

struct case_sampling {
    const struct run_case *item;
    struct sampling_options options;
    struct stacks *stacks;
    struct images *images;  // not owned
    struct client *client;
    uint64_t number;  // calls per batch; 0: not known yet
    bool by_signals;
    struct bilanx_error refusal;  // why the kernel does not sample
    bool paused;                  // the body pauses its clock too often for the kernel
    struct sample_mapping mapping;
    struct gathering gathering;
    struct assembly assembly;
    uint64_t *harness;  // what the options of the assembly refer to
    struct sample_events events;
    struct message watched;
    struct gathering_losses losses;
    struct batch_times with, without;
    double cpu_s;     // of sampled batches, with their pauses
    double epoch_s;   // how long the next process is sampled
    unsigned epochs;  // processes so far
    double start_s;   // what it took to get the last one to its first sample
};
void case_sampling_done(struct case_sampling *sampling);

// Prepares for a case, which must not have failed. `images` and `stacks` must outlive it.
void case_sampling_init(struct case_sampling *sampling, const struct run_case *item,
                        const struct sampling_options *options, struct images *images,
                        struct stacks *stacks);

// Samples another process for `epoch_s`. Takes what there is even if it failed.
struct bilanx_error case_sampling_epoch(struct case_sampling *sampling);

// Adds remarks to the stacks. Returns `error`, or an error if there is not a single sample.
struct bilanx_error case_sampling_conclude(struct case_sampling *sampling,
                                           const struct bilanx_error *error);

#endif
