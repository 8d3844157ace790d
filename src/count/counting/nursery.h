// nursery: a worker that runs under a counter and forks for every case.
#ifndef COLLECT_NURSERY_H
#define COLLECT_NURSERY_H

#include "base/list.h"
#include "base/temporary.h"
#include "core/run/run.h"
#include "core/worker/client.h"
#include "hwcaps.h"

// How to start a worker so that a counter can count in it.
struct launcher {
    const char *counter;  // name in the protocol
    bool files;           // the counter writes files and needs a directory
    struct bilanx_error (*prepare)(const char *directory, const struct surroundings *surroundings,
                                   struct list *argv, struct list *environment);
};
extern const struct launcher launch_callgrind, launch_callers, launch_perf, launch_allocations;

struct nursery {
    const struct run_subject *subject;
    const struct launcher *launcher;
    enum hwcaps hwcaps;  // for callgrind; other counters count the native variants
    bool running;
    struct client client;
    struct list argv, environment;
    struct temporary directory;  // no path: not needed
    char *variants;              // of glibc's functions, as in records; NULL: not started
    double *baseline;            // count of the empty loop for each repeat; NULL: unknown
    size_t baseline_count;
    const char *ahead;  // the case whose "open" was already sent; NULL: none
};

struct nursery_options {
    uint64_t number, repeats, threads;
    double timeout;  // seconds per answer
    uint64_t max_memory;
};

struct bilanx_error nursery_start(struct nursery *nursery, const struct nursery_options *options);
void nursery_done(struct nursery *nursery);

// Counts the case that `open` opens, in a fork; with `stay` the fork becomes the worker. Returns
// the process that was counted, and the phase that failed.
struct nursery_result {
    struct message counted;
    pid_t process;
    const char *phase;
};
struct bilanx_error nursery_count(struct nursery *nursery, const char *open, bool stay,
                                  const struct nursery_options *options,
                                  struct nursery_result *out);

// Asks the worker to open the next case while we process the results of the last one. The next
// nursery_count() must be for that case.
void nursery_open_ahead(struct nursery *nursery, const char *open,
                        const struct nursery_options *options);

// After a failure: whether the worker is alive and ready for the next case.
bool nursery_is_well(struct nursery *nursery);

// The file that callgrind wrote for a repeat, numbered from 1. The caller frees the path.
char *nursery_file(const struct nursery *nursery, pid_t process, uint64_t repeat);
void nursery_remove_files(const struct nursery *nursery, pid_t process, uint64_t repeats);

#endif
