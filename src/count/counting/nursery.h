// nursery: a worker that was started for a counter, and forks for every case.
#ifndef COLLECT_NURSERY_H
#define COLLECT_NURSERY_H

#include "base/list.h"
#include "base/temporary.h"
#include "core/run/run.h"
#include "core/worker/client.h"

// How a worker is started so that a counter can count in it.
struct launcher {
    const char *counter;  // as the protocol calls it
    bool files;           // the counter writes files, into a directory of their own
    struct bilanx_error (*prepare)(const char *directory, const struct surroundings *surroundings,
                                   struct list *argv, struct list *environment);
};
extern const struct launcher launch_callgrind, launch_perf, launch_allocations;

struct nursery {
    const struct run_subject *subject;
    const struct launcher *launcher;
    bool running;
    struct client client;
    struct list argv, environment;
    struct temporary directory;  // without a path: it needs none
    double *baseline;            // of each repeat of the empty loop; NULL: it has none
    size_t baseline_count;
    const char *ahead;  // the case whose "open" was sent already; NULL: none
};

struct nursery_options {
    uint64_t number, repeats, threads;
    double timeout;  // seconds, for each answer
    uint64_t max_memory;
};

struct bilanx_error nursery_start(struct nursery *nursery, const struct nursery_options *options);
void nursery_done(struct nursery *nursery);

// Counts the case that `open` opens, in a fork, which with `stay` is the worker from then on. Tells
// the process that was counted in, and where it failed.
struct nursery_result {
    struct message counted;
    pid_t process;
    const char *phase;
};
struct bilanx_error nursery_count(struct nursery *nursery, const char *open, bool stay,
                                  const struct nursery_options *options,
                                  struct nursery_result *out);

// Asks for the next case to be opened, so that the worker does that while others are busy with what
// the last one left. The next nursery_count() must be of that case.
void nursery_open_ahead(struct nursery *nursery, const char *open,
                        const struct nursery_options *options);

// After a failure: is the worker still there, and ready for the next case?
bool nursery_is_well(struct nursery *nursery);

// The file that callgrind wrote for a repeat, counted from 1. The caller frees it.
char *nursery_file(const struct nursery *nursery, pid_t process, uint64_t repeat);
void nursery_remove_files(const struct nursery *nursery, pid_t process, uint64_t repeats);

#endif
