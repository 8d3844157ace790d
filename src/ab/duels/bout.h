// bout: one epoch of a comparison: two sides take turns for some hundred pairs of batches.
//
// Both sides are loaded into one process where they can be; otherwise each has a process of its
// own, on the same CPU, and they hand over to each other.
#ifndef CONTEST_BOUT_H
#define CONTEST_BOUT_H

#include "core/run/run.h"
#include "core/worker/duel.h"

struct bout {
    const struct run_case *sides[2];
    bool together;  // in one process
    uint64_t number;
    unsigned warm_pairs, pairs;
    size_t layout;        // of the code of both sides
    uint64_t seed;        // of coins, addresses, and which side is first
    unsigned generation;  // of workers that stand by, at least
    uint64_t draw;        // of what the processes of both share; 0: nothing
    double timeout;       // seconds; 0: the default
    const char *files;    // libraries whose pages are drawn anew, a path a line; NULL: none
    struct bout_pages {
        bool fresh, refused;  // under the code of a side
    } *pages;
    uint64_t max_memory;
};

struct bout_result {
    double change;       // midmean of ln(b/a) over the pairs
    double halves[2];    // the same of the even and of the odd pairs
    double spread;       // interquartile range of ln(b/a)
    double batch_ns[2];  // midmean time of a batch of each side
    unsigned pairs;      // those that nothing disturbed; 0: there is no result
    unsigned dropped;
};

// For a mean over several; whole numbers are added up and not scaled.
void bout_add(struct bout_result *sum, const struct bout_result *one);
void bout_scale(struct bout_result *sum, double factor);

// How a side went wrong: which, where, and what it printed.
struct bout_failure {
    int side;  // 0, 1; -1: both are in one process, and nobody knows
    const char *phase;
    struct text output;
};
void bout_failure_done(struct bout_failure *failure);
SCOPE_VALUE(bout_failure, bout_failure_done)

// How many calls of a side take as long as a batch is to take, how long that is, and what its
// process has loaded.
struct bout_calibration {
    uint64_t number;
    double batch_ns;
    double setup_ns;  // what it took to open its case, in a process of its own to start it as well
    double resolution_ns;  // of its clock; 0: nobody knows
    struct list libraries;
};

// How the sides are run: by workers that speak the protocol, or as whole commands.
struct bout_way {
    struct bilanx_error (*calibrate)(const struct bout *bout, unsigned side,
                                     struct bout_calibration *out, struct bout_failure *failure);
    // Leaves the times of the pairs in the arena.
    struct bilanx_error (*run)(const struct bout *bout, struct duel_arena *arena,
                               struct bout_failure *failure);
};
extern const struct bout_way bout_by_workers;
extern const struct bout_way bout_by_commands;  // the argv of each side's subject, call by call

// Runs it, and compares the pairs that nothing disturbed; all, if most were.
struct bilanx_error bout_run(const struct bout_way *way, const struct bout *bout,
                             struct duel_arena *arena, struct bout_result *out,
                             struct bout_failure *failure);

#endif
