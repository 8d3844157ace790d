// flame_collect: obtains stacks by running what a user names: statements, suites, programs,
// commands.
#ifndef PROGRAMS_FLAME_COLLECT_H
#define PROGRAMS_FLAME_COLLECT_H

#include "profile/sampling/sampling.h"
#include "sources/source/source.h"
#include "statement_arguments.h"

struct flame_collecting {  // zero means the default
    bool sampled, counted;
    struct sampling_options sampling;
    uint64_t number;  // counted: executions
    const char *filter;
    struct statement_arguments code;
    bool quiet;
};

// Options that set these, for the table of a command.
extern const struct option flame_collect_options[];

// Whether something to run is meant, as opposed to a file of stacks.
bool flame_collect_takes(const char *word);

// Collects the stacks of what the words name. If it is interrupted, returns the error and what was
// collected, unless that is nothing; `*out` is NULL then. A case that fails is reported, and sets
// `*failed`.
struct bilanx_error flame_collect(struct flame_collecting *collecting, struct words *words,
                                  struct stacks **out, bool *failed);

// The same for a command, whose words end in a NULL.
struct bilanx_error flame_collect_command(const struct flame_collecting *collecting,
                                          const char *const *argv, struct stacks **out,
                                          bool *failed);

// Prints how much was collected and what there is to know about it, after the name of a file or of
// a case, if there is one.
void flame_collect_report(const char *name, const struct stacks *stacks);

// The same for cases that are prepared to be sampled, or counted. With several cases and
// `per_call`, their weights are the nanoseconds, or instructions, of a call.
struct flame_cases {
    const struct run_cases *cases;
    const char *title;
    bool per_call;
};
struct bilanx_error flame_collect_cases(const struct flame_collecting *collecting,
                                        const struct flame_cases *cases, struct stacks **out,
                                        bool *failed);

#endif
