// schedule: prepares the cases of suites to be run.
//
// Cases with the same compiler, libraries or interpreter form an environment, which has its own
// worker. Before an environment is prepared, a canary shows whether it works at all.
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include <stdatomic.h>

#include "base/tell.h"
#include "sources/suite_cases/preload.h"
#include "sources/suite_cases/selection.h"

struct environment {
    struct statement_options options;
    struct list sources, includes, packages, recipes;  // storage for the options
    struct list preloads;                              // files
    struct preload preload;
    struct statements statements;
    struct bilanx_error error;  // why it cannot be prepared
    size_t *items;              // indices of its cases
    size_t count, room;
    atomic_bool ready;  // prepared or given up
};

struct schedule {
    const struct selection *selection;  // parallel to `cases`
    struct environment *environments;
    size_t environment_count, environment_room;
    struct run_cases cases;  // contents belong to their environments or programs
    struct owner {
        struct environment *environment;  // NULL: none, or never prepared
        size_t index;
    } *owners;     // parallel to `cases`
    char *models;  // folder of saved TorchScript models
    const struct statement_options *defaults;
    struct tell tell;
    size_t *homes;           // parallel to `cases`: environment index; SIZE_MAX: none
    size_t next;             // the next environment to prepare
    double compile_seconds;  // time spent preparing compiled languages
};
void schedule_done(struct schedule *schedule);
SCOPE_VALUE(schedule, schedule_done)

// Sorts the cases into environments, and starts the workers of those that take long to load,
// without waiting for them. A case that cannot be run becomes a failed case, or a skipped
// one if the case is not to blame. `defaults` are the command-line options; `tell` reports what
// concerns a whole environment. Both are used until all are prepared.
struct bilanx_error schedule_open(const struct selection *selection,
                                  const struct statement_options *defaults, const struct tell *tell,
                                  struct schedule *out);

// Prepares the next environment, starting with those that need no compiler; sets whether there are
// more. Returns only errors that affect all: ^C.
struct bilanx_error schedule_prepare_next(struct schedule *schedule, bool *more);
struct bilanx_error schedule_prepare(struct schedule *schedule);  // prepares all

// The case at an index; NULL: not prepared yet. Another thread may be preparing it.
const struct run_case *schedule_case(const struct schedule *schedule, size_t at);

// What is known about the case at an index before it is prepared. The caller owns nothing in it.
struct run_case schedule_preview(const struct schedule *schedule, size_t at);

// For run_options.check: runs statements_check(), then adds what the suite says about a case.
void schedule_check(void *context, const struct run_case *measured, struct bilanx_record *record);

#endif
