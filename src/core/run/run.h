// run: subjects and their cases, to records.
//
// A subject is whatever can be started and speaks the worker's protocol: a program that is
// executed, or a fork of this one. Each case is measured in processes of its own. The epochs of
// neighbouring cases are interleaved in random order, so that a slow minute of the machine is
// shared by all of them and does not pass for a difference.
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/process.h"
#include "core/record/records.h"
#include "core/timer/measure.h"

struct run_subject {
    const char *name;     // for messages
    const char *env;      // for the tasks; NULL: none
    const char *barrier;  // the words of an "open" of its empty loop; NULL: it has none
    uint64_t warmup;      // iterations before a case is counted; 0: as its worker has it
    struct process_options launch;
    const char *hash_variable;    // that seeds its hashes, in the environment; NULL: there is none
    const char *prepare;          // the words of a request that a process gets first; NULL: none
    struct run_standby *standby;  // forks for the epochs; NULL: each is a process of its own
};

// A worker that stands by for the cases of its subject; its owner ends it.
struct run_standby *run_standby_new(void);
void run_standby_free(struct run_standby *standby);
void run_standby_done(struct run_standby *standby);  // ends its process; another may be started

struct run_note {
    const char *code, *text;  // of a warning
};

struct run_case {
    const struct run_subject *subject;
    char *open;   // the words of its "open" request: " case=3"
    char *rival;  // the words that another one's "open" loads it by, beside; NULL: it cannot be
    char *name;
    struct bilanx_task task;
    struct run_argument {
        char *name;
        double value;
    } *arguments;
    size_t argument_count;
    bool unoptimised;
    uint64_t threads;  // that its libraries start by themselves; 0: none
    unsigned layouts;  // variants of its code that epochs draw from; 0: it keeps the one it has
    double timeout;    // seconds for any one process of it; 0: as the options say
    size_t place;      // for whoever runs copies of cases: where the original stands
    struct bilanx_failure *failure;   // it failed before it could be run; NULL: it did not
    const struct run_note *notes[4];  // known beforehand, for a record of its counts; up to a NULL
    char *complexity;  // the argument over which the growth of time is to be fitted, or NULL
};

struct run_options {              // seconds; zero means the default
    const struct method *method;  // NULL: rigorous
    uint64_t number, repeats;
    double min_run_time, max_run_time, warmup, threshold, precision;
    double timeout;       // for any one process of a case; default 60
    uint64_t seed;        // 0: a fresh one
    uint64_t max_memory;  // bytes that a process may take; 0: four fifths of what is free
    bool one_process;     // all epochs in one, so that the setup runs once
    // Looks at a record before it is complete; may add to it. NULL: nothing to look at.
    void (*check)(void *context, const struct run_case *measured, struct bilanx_record *record);
    void *check_context;
};

struct run_observer {
    void *context;
    void (*working)(void *context,
                    const struct run_case *measured);  // an epoch of it begins; may be NULL
    // A record is complete; it is the observer's from then on.
    void (*finished)(void *context, const struct run_case *measured, struct bilanx_record *record);
};

struct run_cases {
    struct run_case *items;
    size_t count, room;
};
void run_cases_done(struct run_cases *cases);
SCOPE_VALUE(run_cases, run_cases_done)

// Asks a subject for its cases and adds those whose name `filter` (an extended regular expression,
// NULL for all) finds a match in.
struct bilanx_error run_list(const struct run_subject *subject, const char *filter,
                             struct run_cases *out);

// Measures every case. A case that fails is a record of kind "failure"; only ^C is an error.
struct bilanx_error run_measure(const struct run_cases *cases, const struct run_options *options,
                                const struct run_observer *observer);

// How much memory a process may take: what was asked for, or four fifths of what is free.
uint64_t run_memory_limit(uint64_t asked);

#endif
