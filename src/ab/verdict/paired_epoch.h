// paired_epoch: one epoch of a comparison: two sides take turns for some hundred pairs of batches.
//
// Both sides are loaded into one process where they can be; otherwise each has a process of its
// own, on the same CPU, and they hand over to each other.
#ifndef AB_VERDICT_PAIRED_EPOCH_H
#define AB_VERDICT_PAIRED_EPOCH_H

#include "core/run/run.h"
#include "core/worker/duel.h"

struct paired_epoch {
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
    struct paired_pages {
        bool fresh, refused;  // under the code of a side
    } *pages;
    uint64_t max_memory;
};

struct paired_result {
    double change;       // midmean of ln(b/a) over the pairs
    double halves[2];    // the same of the even and of the odd pairs
    double spread;       // interquartile range of ln(b/a)
    double batch_ns[2];  // midmean time of a batch of each side
    unsigned pairs;      // those that nothing disturbed; 0: there is no result
    unsigned dropped;
};

// For a mean over several; whole numbers are added up and not scaled.
void paired_add(struct paired_result *sum, const struct paired_result *one);
void paired_scale(struct paired_result *sum, double factor);

// How a side went wrong: which, where, and what it printed.
struct paired_failure {
    int side;  // 0, 1; -1: both are in one process, and nobody knows
    const char *phase;
    struct text output;
};
void paired_failure_done(struct paired_failure *failure);
SCOPE_VALUE(paired_failure, paired_failure_done)

// How many calls of a side take as long as a batch is to take, how long that is, and what its
// process has loaded.
struct paired_calibration {
    uint64_t number;
    double batch_ns;
    double setup_ns;  // what it took to open its case, in a process of its own to start it as well
    double resolution_ns;  // of its clock; 0: nobody knows
    struct list mapped;
};

// How the sides are run: by workers that speak the protocol, or as whole commands.
struct paired_way {
    struct bilanx_error (*calibrate)(const struct paired_epoch *epoch, unsigned side,
                                     struct paired_calibration *out,
                                     struct paired_failure *failure);
    // Leaves the times of the pairs in the mapping.
    struct bilanx_error (*run)(const struct paired_epoch *epoch, struct duel_mapping *mapping,
                               struct paired_failure *failure);
};
extern const struct paired_way paired_by_workers;
extern const struct paired_way paired_by_commands;  // the argv of each side's subject, call by call

// Runs it, and compares the pairs that nothing disturbed; all, if most were.
struct bilanx_error paired_run(const struct paired_way *way, const struct paired_epoch *epoch,
                               struct duel_mapping *mapping, struct paired_result *out,
                               struct paired_failure *failure);

#endif
