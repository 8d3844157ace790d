// gather: merges several runs of one benchmark, as other tools report them, into one record.
#ifndef CONVERT_GATHER_H
#define CONVERT_GATHER_H

#include "core/record/records.h"
#include "losses.h"
#include "support/json/json.h"

// Times per call as reported by a tool, each for a run of `number` calls.
struct run_times {
    struct run_time {
        double time;        // per call
        double cpu;         // per call; NaN: unknown
        double per_second;  // units of time and cpu per second
        uint64_t number;
    } *items;
    size_t count, room;
};
void run_times_done(struct run_times *runs);
SCOPE_VALUE(run_times, run_times_done)

// Returns false, and adds nothing, if the time of the whole run is not a number >= 0.
bool run_times_add(struct run_times *runs, struct run_time run);

// Stores times of whole runs if all have the same number of calls, otherwise times per call. Keeps
// CPU times if all runs have them and not all are 0.
void run_times_timing(const struct run_times *runs, const char *method, struct bilanx_timing *out);

// Larger machine facts are dropped: each record has a copy.
enum { FACTS_LARGEST = 1 << 16 };

// Counters of a benchmark by name; values from several runs are averaged.
struct counted {
    json_t *values;  // name to array
    json_t *odd;     // name to a value that is not a number: "NaN"
};
void counted_done(struct counted *counters);
SCOPE_VALUE(counted, counted_done)

void counted_add(struct counted *counters, const char *name, double value);
void counted_add_odd(struct counted *counters, const char *name, const char *value);
char *counted_object(const struct counted *counters);  // NULL: none. The caller frees it

// Splits a name "label/sub_label".
void task_name_split(const char *name, size_t size, struct bilanx_task *task);

// The reverse. Adds what else distinguishes tasks: description, env and side; without a label it
// uses the statement. Reports tasks that cannot be distinguished when read again.
char *task_name_join(const struct bilanx_record *record, struct losses *losses);

// Unique names for tasks: a second task of the same name becomes "name#2".
struct task_names {
    json_t *by_task, *taken;
};
void task_names_done(struct task_names *names);
SCOPE_VALUE(task_names, task_names_done)

// The name for a record's task. Takes `wanted`; the caller frees the result.
char *task_names_claim(struct task_names *names, const struct bilanx_record *record, char *wanted,
                       struct losses *losses);

// Converts a rate to a value per call: an integer if it is one within rounding, 0 if unknown.
double rate_per_call(double per_second, double seconds);

// Stores data known only to another tool in `extra`, under its name. Takes the reference.
void extra_keep(char **extra, const char *tool, json_t *object);
json_t *extra_kept(const char *extra, const char *tool);  // an empty object if none

// Parses an object that a record stores as text. Never NULL; the caller releases it.
json_t *extra_object(const char *text);

#endif
