// run: measures the cases of subjects and turns them into records.
//
// A subject is anything that can be started and speaks the worker's protocol: a program to execute,
// or a fork of this process. Each case is measured in separate processes. The epochs of
// neighbouring cases are interleaved in random order, so that a slow minute of the machine affects
// all of them equally and does not look like a difference.
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/process.h"
#include "core/record/records.h"
#include "core/timer/measure.h"

struct run_subject {
    const char *name;     // for messages
    const char *env;      // for tasks; NULL: none
    const char *barrier;  // words of the "open" request for its empty loop; NULL: none
    uint64_t warmup;      // iterations before a case is counted; 0: the worker's default
    struct process_options launch;
    bool forks;                   // its processes are forks that share their addresses
    const char *hash_variable;    // environment variable that seeds its hashes; NULL: none
    const char *prepare;          // words of the first request to each process; NULL: none
    struct run_standby *standby;  // forks for each epoch; NULL: start a process for each
};

// A standby worker for the cases of its subject. The caller frees it.
struct run_standby *run_standby_new(void);
void run_standby_free(struct run_standby *standby);
void run_standby_done(struct run_standby *standby);  // ends its process; another may be started

struct run_note {
    const char *code, *text;  // of a warning
};

struct run_case {
    const struct run_subject *subject;
    char *open;   // words of its "open" request: " case=3"
    char *rival;  // words that load it next to another case in that one's "open"; NULL: impossible
    char *name;
    struct bilanx_task task;
    struct run_argument {
        char *name;
        double value;
    } *arguments;
    size_t argument_count;
    bool unoptimised;
    uint64_t threads;                 // threads that its libraries start; 0: none
    unsigned layouts;                 // number of code layouts that epochs draw from; 0: unchanged
    double timeout;                   // seconds, for each of its processes; 0: as in the options
    size_t place;                     // for callers that run copies of cases: index of the original
    struct bilanx_failure *failure;   // why it cannot run; NULL: it can
    const struct run_note *notes[6];  // warnings for records of its counts; up to a NULL
    char *complexity;                 // argument over which to fit the growth of time, or NULL
    char *unit;                       // for its times in tables; NULL: as they need
    double min_run_time;              // seconds, if the options have none; 0: none
};

struct run_options {              // times in seconds; zero selects the default
    const struct method *method;  // NULL: rigorous
    uint64_t number, repeats;
    double min_run_time, max_run_time, warmup, threshold, precision;
    double timeout;       // for each process of a case; default 60
    uint64_t seed;        // 0: random
    uint64_t max_memory;  // bytes a process may use; 0: four fifths of the free memory
    bool one_process;     // run all epochs in one process, so that setup runs once
    enum run_core {       // which batches to keep
        RUN_PREFER_FREE,  // those with the core to themselves, if there are enough
        RUN_FREE_CORE,    // only those: fail if there are too few
        RUN_ANY_CORE,     // all
    } core;
    double core_wait;  // seconds to wait for the core, beyond the time for measuring
    // Examines a record before it is complete, and may add to it. May be NULL.
    void (*check)(void *context, const struct run_case *measured, struct bilanx_record *record);
    void *check_context;
};

struct run_observer {
    void *context;
    // An epoch starts. `ahead` is how much of all unfinished cases is done, in units of cases. May
    // be NULL.
    void (*working)(void *context, const struct run_case *measured, double ahead);
    // A record is complete. The observer takes ownership.
    void (*finished)(void *context, const struct run_case *measured, struct bilanx_record *record);
};

struct run_cases {
    struct run_case *items;
    size_t count, room;
};
void run_cases_done(struct run_cases *cases);
SCOPE_VALUE(run_cases, run_cases_done)

// Asks a subject for its cases. Adds those whose name matches `filter`, an extended regular
// expression (NULL: all).
struct bilanx_error run_list(const struct run_subject *subject, const char *filter,
                             struct run_cases *out);

// Refuses options that contradict each other. Numbers are in their ranges already: see options.h.
struct bilanx_error run_check(const struct run_options *options);

// Measures every case. A case that fails yields a record of kind "failure"; the only error is ^C.
struct bilanx_error run_measure(const struct run_cases *cases, const struct run_options *options,
                                const struct run_observer *observer);

// Returns how much memory a process may use: `asked`, or four fifths of the free memory if 0.
uint64_t run_memory_limit(uint64_t asked);

#endif
