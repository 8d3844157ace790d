// flame_collect: obtains stacks by running the user's code: statements, suites, programs, commands.
#ifndef PROGRAMS_FLAME_COLLECT_H
#define PROGRAMS_FLAME_COLLECT_H

#include "hwcaps_arguments.h"
#include "profile/sampling/sampling.h"
#include "sources/source/source.h"
#include "statement_arguments.h"

struct flame_collecting {  // zero means the default
    bool sampled, counted;
    struct sampling_options sampling;
    uint64_t number;                 // counted: executions
    struct hwcaps_arguments hwcaps;  // counted: which variants of glibc's functions
    const char *filter;
    struct statement_arguments code;
    bool quiet;
};

// Options that set these, for the table of a command.
extern const struct option_rule flame_collect_rules[];
extern const struct option flame_collect_options[];

// Whether something to run is meant, as opposed to a file of stacks.
bool flame_collect_takes(const char *word);
bool flame_collect_is_statement(const char *word);

// Runs the words and collects stacks. If it is interrupted, returns the error and the stacks so
// far; `*out` is NULL if there are none. A case that fails is reported, and sets `*failed`.
struct bilanx_error flame_collect(struct flame_collecting *collecting, struct words *words,
                                  struct stacks **out, bool *failed);

// The same for a command, whose words end in a NULL.
struct bilanx_error flame_collect_command(const struct flame_collecting *collecting,
                                          const char *const *argv, struct stacks **out,
                                          bool *failed);

// Several commands in turns: each is run again and again, for a fraction of the duration, so that
// they meet the same machine. No run is cut short. The caller frees the stacks. Returns an error
// only if it was interrupted.
struct flame_command {
    const char *const *argv;
    struct stacks *stacks;      // out; NULL: none
    struct bilanx_error error;  // out, of its last turn
    bool failed;                // out: it failed, and got no further turns
    double elapsed_s;           // out
};
struct bilanx_error flame_collect_commands(const struct flame_collecting *collecting,
                                           struct flame_command *commands, size_t count);

// Prints the size of the stacks and their remarks, after the name of a file or of a case, if there
// is one.
void flame_collect_report(const char *name, const struct stacks *stacks);

// The same for cases that are prepared to be sampled, or counted. Several are sampled in turns.
struct flame_cases {
    const struct run_cases *cases;
    const char *title;
};
struct bilanx_error flame_collect_cases(const struct flame_collecting *collecting,
                                        const struct flame_cases *cases, struct stacks **out,
                                        bool *failed);

// Its two steps. The stacks of each case, NULL for none; the error is that of an only case, or ^C.
// And all of them in one tree, below roots with their names; NULL: none. With several, every sample
// counts the same: a case that takes long does not hide the others.
struct bilanx_error flame_collect_each(const struct flame_collecting *collecting,
                                       const struct run_case *items, size_t count,
                                       struct stacks **out, bool *failed);
struct stacks *flame_collect_join(struct stacks **stacks, size_t count, const char *title);

#endif
