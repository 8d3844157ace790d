// collect: counts cases.
//
// A subject is started once under the counter and forks for every case, so starting valgrind and
// loading the worker are paid for only once. A case that fails is one failure; a worker that dies
// is restarted for the next case.
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include "core/record/records.h"
#include "core/run/run.h"
#include "hwcaps.h"

enum collect_counter { COLLECT_CALLGRIND, COLLECT_PERF };
extern const char *const collect_counter_words[];  // for an OPTION_CHOICE

// The number of callers and recursive calls that are distinguished, if requested: deeper stacks are
// cut.
enum { COLLECT_CALLERS = 128, COLLECT_RECURSIONS = 32 };

// Supplies cases that are prepared (compiled, on a free core) while others are counted.
struct collect_source {  // zero: all are ready
    void *context;
    // The case to count in place of `item`; NULL: not ready yet.
    const struct run_case *(*ready)(void *context, const struct run_case *item);
    // Prepares some cases and sets whether there are more. Never called concurrently.
    struct bilanx_error (*prepare)(void *context, bool *more);
};

struct collect_options {       // zero means the default
    int counter;               // an enum collect_counter
    uint64_t number, repeats;  // 100 iterations, 5 times
    double timeout;            // seconds to wait for an answer; 300, as valgrind is slow
    uint64_t max_memory;       // as in run_options
    enum hwcaps hwcaps;        // callgrind: which variants of glibc's functions
    bool callers;              // callgrind: the name of a function has its callers: "f'caller'main"
    bool allocations;          // also count allocations, in a separate run
    const char *retain;        // copy callgrind's file of the median repeat here; NULL: do not
    size_t case_count;         // if more than one, `retain` gets a suffix ".1", ".2", ...
    uint64_t jobs;             // cases to count in parallel, each with its own workers; 1
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
void collector_rest(struct collector *collector);  // stops its workers; they restart on demand

// Counts one case and writes the result or failure into its record. Returns only ^C.
struct collect_task {
    const struct run_case *item;
    const struct run_case *next;  // the case counted after it; NULL: unknown
    size_t index;                 // its index among the cases
};
struct bilanx_error collector_count(struct collector *collector, const struct collect_task *task,
                                    struct bilanx_record *record);

// The same, completing a record of kind "counts".
struct bilanx_error collector_record(struct collector *collector, const struct collect_task *task,
                                     struct bilanx_record *record);

// Counts every case. Like run_measure(); only one job at a time calls the observer.
struct bilanx_error collect_cases(const struct collect_options *options,
                                  const struct run_cases *cases,
                                  const struct run_observer *observer);

#endif
