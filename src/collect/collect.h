// collect: cases to counts.
//
// A subject is started once, in the way that the counter needs, and forks for every case: what it
// takes to start valgrind, and what a worker loads, is paid for once. A case that fails is one
// failure; a worker that dies is started again for the next case.
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include "record/records.h"
#include "run/run.h"

enum collect_counter { COLLECT_CALLGRIND, COLLECT_PERF };
extern const char *const collect_counter_words[];  // for an OPTION_CHOICE

struct collect_options {       // zero means the default
    int counter;               // an enum collect_counter
    uint64_t number, repeats;  // 100 iterations, 5 times
    double timeout;            // seconds that an answer may take; 60
    uint64_t max_memory;       // as in run_options
    bool allocations;          // counted, too, in a run of their own
    const char *retain;        // keeps callgrind's file of the median repeat here; NULL: nowhere
    size_t case_count;         // with more than one case, `retain` is followed by ".1", ".2", ...
};

struct collector {
    struct collect_options options;
    struct nursery *nurseries;
    size_t count, room;
};
void collector_init(struct collector *collector, const struct collect_options *options);
void collector_done(struct collector *collector);
SCOPE_VALUE(collector, collector_done)

// Counts one case and writes the result, or the failure, into its record. Only ^C is returned.
struct collect_task {
    const struct run_case *item;
    const struct run_case *next;  // what will be counted after it; NULL: nobody knows
    size_t index;                 // its place among the cases
};
struct bilanx_error collector_count(struct collector *collector, const struct collect_task *task,
                                    struct bilanx_record *record);

// Counts every case: records of kind "counts". As run_measure().
struct bilanx_error collect_cases(struct collector *collector, const struct run_cases *cases,
                                  const struct run_observer *observer);

#endif
