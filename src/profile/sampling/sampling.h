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
    unsigned epochs;       // divide the duration among so many processes; 1. Not for commands
    bool whole_runs;       // of a command: none is stopped when the time is over
    double timeout_s;      // as in run_options
    uint64_t max_memory;
};

// Samples the loop of a case in a new process, without its setup. Sets calls, seconds, lost and the
// note. An interrupted collection keeps its samples and returns the error. A case that crashes, or
// that leaves no sample, is an error.
struct bilanx_error sampling_case(const struct run_case *item,
                                  const struct sampling_options *options, struct stacks *stacks);

// Samples several cases in turns, in rounds of one epoch each: so they meet the same machine, even
// if it changes its speed, and their times compare. A case that fails is left out of further
// rounds. Returns an error only if it was interrupted.
enum { SAMPLING_EPOCHS = 32 };  // a good number of epochs
struct sampling_turn {
    const struct run_case *item;
    struct stacks *stacks;
    struct bilanx_error error;  // the result, as of sampling_case()
};
struct bilanx_error sampling_in_turns(struct sampling_turn *turns, size_t count,
                                      const struct sampling_options *options);

// Runs a command once, or repeatedly for `duration_s`, and samples it with all that it starts. The
// status is that of its last run. Interrupted as above; a command that fails keeps its samples.
struct sampling_command {
    const char *const *argv;
    int out;              // descriptor for its output; 0: none
    const char *library;  // path of bilanx-frames.so; NULL: there is none, so no frames of Python
};
struct bilanx_error sampling_command(const struct sampling_command *command,
                                     const struct sampling_options *options, struct stacks *stacks,
                                     int *status);

#endif
