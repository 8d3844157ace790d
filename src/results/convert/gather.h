// gather: several runs of one benchmark, as other tools tell them, become one record.
#ifndef CONVERT_GATHER_H
#define CONVERT_GATHER_H

#include "core/record/records.h"
#include "losses.h"
#include "support/json/json.h"

// Times per call as a tool tells them, each of a run of `number` calls.
struct run_times {
    struct run_time {
        double time;        // per call
        double cpu;         // per call; NaN: unknown
        double per_second;  // units of these in a second
        uint64_t number;
    } *items;
    size_t count, room;
};
void run_times_done(struct run_times *runs);
SCOPE_VALUE(run_times, run_times_done)

// False, and nothing added, when the time of the whole run is no number from 0 up.
bool run_times_add(struct run_times *runs, struct run_time run);

// Raw times of whole runs where all have the same number of calls, and else of single calls. CPU
// times are kept where all runs have one and not all are 0.
void run_times_timing(const struct run_times *runs, const char *method, struct bilanx_timing *out);

// Facts about a machine that are larger than this are none: each record has a copy of them.
enum { FACTS_LARGEST = 1 << 16 };

// What a benchmark counts, by name; one that several runs tell is the mean of what they tell.
struct counted {
    json_t *values;  // name to array
    json_t *odd;     // name to what is no number: "NaN"
};
void counted_done(struct counted *counters);
SCOPE_VALUE(counted, counted_done)

void counted_add(struct counted *counters, const char *name, double value);
void counted_add_odd(struct counted *counters, const char *name, const char *value);
char *counted_object(const struct counted *counters);  // NULL: none. The caller frees it

// A name "label/sub_label".
void task_name_split(const char *name, size_t size, struct bilanx_task *task);

// The other way. What tells tasks apart beyond that is added: description, env and side; without a
// label it is the statement. Tells what cannot be told apart when it is read again.
char *task_name_join(const struct bilanx_record *record, struct losses *losses);

// Names that tell all tasks apart: of those that would be called alike the second is "name#2".
struct task_names {
    json_t *by_task, *taken;
};
void task_names_done(struct task_names *names);
SCOPE_VALUE(task_names, task_names_done)

// The name of a record's task; takes `wanted`, the caller frees what it gets.
char *task_names_claim(struct task_names *names, const struct bilanx_record *record, char *wanted,
                       struct losses *losses);

// Per call from a rate: a whole number where it is one but for rounding, 0 where it cannot be told.
double rate_per_call(double per_second, double seconds);

// Puts what is known only to another tool into `extra`, under its name. Takes the reference.
void extra_keep(char **extra, const char *tool, json_t *object);
json_t *extra_kept(const char *extra, const char *tool);  // an empty object where there is none

// An object that a record keeps as text. Never NULL; the caller releases it.
json_t *extra_object(const char *text);

#endif
