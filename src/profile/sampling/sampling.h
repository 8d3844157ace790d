// sampling: where the time of a case or a command goes, as stacks.
//
//     AUTO(stacks) struct stacks *stacks = stacks_new();
//     struct sampling_options options = {.duration_s = 1};
//     BILANX_TRY(sampling_case(&cases.items[0], &options, stacks));
//
// Stacks are added to what `stacks` has, so that several cases can share a picture: each has the
// case's name as its root.
#ifndef SAMPLING_SAMPLING_H
#define SAMPLING_SAMPLING_H

#include "core/run/run.h"
#include "profile/stacks/stacks.h"

struct sampling_options {  // zero means the default
    double duration_s;     // of sampled batches; 5. Of a command: none, it runs once
    uint64_t rate;         // samples per second of CPU time; 499
    uint64_t stack_bytes;  // how much of a stack is copied; 32 kB
    bool threads_apart;    // the name of a thread is the root
    bool by_signals;       // even if the kernel would sample
    double timeout_s;      // as in run_options
    uint64_t max_memory;
};

// Samples the loop of a case in a new process, without its setup. Sets calls, seconds, lost and the
// note. An interrupted collection keeps its samples and returns the error. A case that crashes, or
// that leaves no sample, is an error.
struct bilanx_error sampling_case(const struct run_case *item,
                                  const struct sampling_options *options, struct stacks *stacks);

// Runs a command once, or repeatedly for `duration_s`, and samples it with all that it starts. The
// status is that of its last run. Interrupted as above; a command that fails keeps its samples.
struct sampling_command {
    const char *const *argv;
    int out;  // descriptor for its output; 0: none
};
struct bilanx_error sampling_command(const struct sampling_command *command,
                                     const struct sampling_options *options, struct stacks *stacks,
                                     int *status);

#endif
