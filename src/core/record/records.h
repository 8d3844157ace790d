// records: internal functions for producers and consumers of records.
#ifndef RECORD_RECORDS_H
#define RECORD_RECORDS_H

#include "base/hash.h"
#include "base/text.h"
#include "bilanx/record.h"

#define RECORD_SCHEMA "bilanx/1"

SCOPE_VALUE(bilanx_record, bilanx_record_done)

// Computes the stats of a measurement, and the warnings that depend on nothing else.
void record_summarize(struct bilanx_record *record);

// Adds a warning, unless there is already one with this code.
void record_warn(struct bilanx_record *record, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Moves the warnings of `from`, except those whose code is already present.
void record_take_warnings(struct bilanx_record *into, struct bilanx_record *from);

void record_drop_warning(struct bilanx_record *record, const char *code);

// Returns the state of the core as text: "free", "shared" or "unknown".
void record_set_core(struct bilanx_record *record, const char *state,
                     const struct bilanx_neighbour *neighbour);

// Turns the record into a failure in `phase`, described by an error.
void record_fail(struct bilanx_record *record, const struct bilanx_error *error, const char *phase,
                 const char *output);

// Returns whether it was not run, for a reason that is not its own fault.
bool record_skipped(const struct bilanx_record *record);

// Returns the word for a failure in a table: its code, but "cannot start" if it never ran, and
// "failed" if the system is the reason.
const char *record_failure_word(const struct bilanx_failure *failure);

// Returns whether its text begins with its code: "exited with status 1" does not need "exited"
// before it.
bool record_failure_names_itself(const struct bilanx_failure *failure);

// Appends the times of a replicate. Call record_summarize() afterwards.
void record_absorb(struct bilanx_record *into, struct bilanx_record *from);

struct hash record_task_hash(const struct bilanx_task *task);  // equal tasks have equal hashes
struct hash record_bare_hash(const struct bilanx_task *task);  // the same, however it is compiled
// Returns a name for the user: the task's labels, or else what it measures. The caller frees it.
char *record_task_title(const struct bilanx_task *task);
void record_copy_task(const struct bilanx_task *from, struct bilanx_task *to);
void record_copy(const struct bilanx_record *from, struct bilanx_record *to);
void record_task_done(struct bilanx_task *task);

// Sets the expectation of a complete record, and whether it is met.
void record_expect(struct bilanx_record *record, const struct bilanx_expected *expected);
struct bilanx_failure *record_copy_failure(const struct bilanx_failure *from);

#endif
