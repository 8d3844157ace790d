// collect: cases to counts.
//
// A subject is started once, in the way that the counter needs, and forks for every case: what it
// takes to start valgrind, and what a worker loads, is paid for once. A case that fails is one
// failure; a worker that dies is started again for the next case.
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include "core/record/records.h"
#include "core/run/run.h"

enum collect_counter { COLLECT_CALLGRIND, COLLECT_PERF };
extern const char *const collect_counter_words[];  // for an OPTION_CHOICE

// Cases that are made ready while others are counted: compiled, on a core that is free.
struct collect_source {  // of zeroes: all are ready
    void *context;
    // The case to count for one that collect_cases() was given; NULL: it is not ready yet.
    const struct run_case *(*ready)(void *context, const struct run_case *item);
    // Makes some ready, never twice at once, and tells whether there are more to come.
    struct bilanx_error (*prepare)(void *context, bool *more);
};

struct collect_options {       // zero means the default
    int counter;               // an enum collect_counter
    uint64_t number, repeats;  // 100 iterations, 5 times
    double timeout;            // seconds that an answer may take; 300, as valgrind is slow
    uint64_t max_memory;       // as in run_options
    bool allocations;          // counted, too, in a run of their own
    const char *retain;        // keeps callgrind's file of the median repeat here; NULL: nowhere
    size_t case_count;         // with more than one case, `retain` is followed by ".1", ".2", ...
    uint64_t jobs;             // cases that are counted at once, by workers of their own; 1
    struct collect_source source;
};

struct collector {
    struct collect_options options;
    struct nursery *nurseries;
    size_t count, room;
};
void collector_init(struct collector *collector, const struct collect_options *options);
void collector_done(struct collector *collector);
SCOPE_VALUE(collector, collector_done)
void collector_rest(struct collector *collector);  // ends its workers; others may be started

// Counts one case and writes the result, or the failure, into its record. Only ^C is returned.
struct collect_task {
    const struct run_case *item;
    const struct run_case *next;  // what will be counted after it; NULL: nobody knows
    size_t index;                 // its place among the cases
};
struct bilanx_error collector_count(struct collector *collector, const struct collect_task *task,
                                    struct bilanx_record *record);

// The same with all that belongs to a record of kind "counts".
struct bilanx_error collector_record(struct collector *collector, const struct collect_task *task,
                                     struct bilanx_record *record);

// Counts every case. As run_measure(); the observer is asked by one job at a time.
struct bilanx_error collect_cases(const struct collect_options *options,
                                  const struct run_cases *cases,
                                  const struct run_observer *observer);

#endif
