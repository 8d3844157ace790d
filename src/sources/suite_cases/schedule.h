// schedule: the cases of suites, made ready to be run.
//
// Cases that have their compiler, libraries or interpreter in common are an environment, with a
// worker of its own. Before anything of it is prepared, a canary shows whether it works at all.
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include <stdatomic.h>

#include "base/tell.h"
#include "sources/suite_cases/selection.h"

struct environment {
    struct statement_options options;
    struct list sources, includes, packages, recipes;  // what the options point to
    struct statements statements;
    size_t *items;  // the places of its cases
    size_t count, room;
    atomic_bool ready;  // they are prepared, or given up
};

struct schedule {
    const struct selection *selection;  // in step with `cases`
    struct environment *environments;
    size_t environment_count, environment_room;
    struct run_cases cases;  // their content belongs to their environments or programs
    struct owner {
        struct environment *environment;  // NULL: it has none, or was never prepared
        size_t index;
    } *owners;     // in step with `cases`
    char *models;  // the folder that TorchScript models are saved in
    const struct statement_options *defaults;
    struct tell tell;
    size_t *homes;           // in step with `cases`: of each its environment; SIZE_MAX: none
    size_t next;             // the environment to be prepared
    double compile_seconds;  // what preparing compiled languages took
};
void schedule_done(struct schedule *schedule);
SCOPE_VALUE(schedule, schedule_done)

// Sorts the cases into environments. One that cannot be run is a case that has failed already:
// skipped, if that is not its own fault. `defaults`, what the command line asks for, and `tell`,
// which gets what concerns a whole environment, are used until all are prepared.
struct bilanx_error schedule_open(const struct selection *selection,
                                  const struct statement_options *defaults, const struct tell *tell,
                                  struct schedule *out);

// Prepares the next environment, those first that need no compiler; tells whether there are more.
// Errors are for what concerns all: ^C.
struct bilanx_error schedule_prepare_next(struct schedule *schedule, bool *more);
struct bilanx_error schedule_prepare(struct schedule *schedule);  // all

// The case at a place; NULL: it is not prepared yet. Another thread may be at that.
const struct run_case *schedule_case(const struct schedule *schedule, size_t at);

// What is known of the case at a place before it is prepared. Nothing in it is the caller's.
struct run_case schedule_preview(const struct schedule *schedule, size_t at);

// For run_options.check: that of statements, and what the suite says about a case.
void schedule_check(void *context, const struct run_case *measured, struct bilanx_record *record);

#endif
