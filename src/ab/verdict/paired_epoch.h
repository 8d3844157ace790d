// paired_epoch: one epoch of a comparison: two sides alternate for some hundred pairs of batches.
//
// Both sides are loaded into one process if possible. Otherwise each has its own process on the
// same CPU, and they take turns.
#ifndef AB_VERDICT_PAIRED_EPOCH_H
#define AB_VERDICT_PAIRED_EPOCH_H

#include "base/hash.h"
#include "core/run/run.h"
#include "core/worker/duel.h"

struct paired_epoch {
    const struct run_case *sides[2];
    bool together;  // in one process
    uint64_t number;
    unsigned warm_pairs, pairs;
    bool reads_pace;      // of the core, around each timed batch
    bool any_core;        // compare all pairs, whatever the state of the core
    unsigned most_pairs;  // go on up to this many for a few with the core to themselves
    double floor;         // of the core; 0: unknown
    size_t layout;        // layout of the code, for both sides
    uint64_t seed;        // for coin flips, addresses, and which side starts
    unsigned generation;  // minimum generation of standby workers
    uint64_t draw;        // seed of what both processes share; 0: nothing
    double timeout;       // seconds; 0: default
    const char *files;    // libraries to move to fresh pages, one path per line; NULL: none
    struct paired_pages {
        bool fresh, refused;  // for the pages of a side's code
    } *pages;
    uint64_t max_memory;
};

// Compares the pairs of one state of the core.
struct paired_result {
    double change;       // midmean of ln(b/a) over the pairs
    double halves[2];    // the same for the even and the odd pairs
    double spread;       // interquartile range of ln(b/a)
    double batch_ns[2];  // midmean time of a batch of each side
    unsigned pairs;      // undisturbed pairs; 0: no result
    unsigned dropped;
    unsigned added;  // results that this is the sum of
};

struct paired_results {
    bool has_states;             // batches are short enough to tell in which state they ran
    struct paired_result free;   // pairs with the core to themselves; no pairs: too few
    struct paired_result other;  // beside a neighbour; all pairs if states cannot be told apart
    struct pace_summary core;
};

// For averaging; counts are added, not scaled.
void paired_add(struct paired_result *sum, const struct paired_result *one);
void paired_average(struct paired_result *sum);

// How a side failed: which one, in which phase, and its output.
struct paired_failure {
    int side;  // 0, 1; -1: unknown, as both share a process
    const char *phase;
    struct text output;
};
void paired_failure_done(struct paired_failure *failure);
SCOPE_VALUE(paired_failure, paired_failure_done)

// Calls per batch of the target duration, how long such a batch takes, and what the process has
// loaded.
struct paired_calibration {
    uint64_t number;
    double batch_ns;
    double setup_ns;       // time to open the case; includes process start if separate
    double resolution_ns;  // of its clock; 0: unknown
    struct list mapped;
    struct hash places;  // of what is mapped
};

// How to run the sides: by workers that speak the protocol, or as whole commands.
struct paired_way {
    struct bilanx_error (*calibrate)(const struct paired_epoch *epoch, unsigned side,
                                     struct paired_calibration *out,
                                     struct paired_failure *failure);
    // Stores the times of the pairs in the mapping.
    struct bilanx_error (*run)(const struct paired_epoch *epoch, struct duel_mapping *mapping,
                               struct paired_failure *failure);
};
extern const struct paired_way paired_by_workers;
extern const struct paired_way paired_by_commands;  // runs the argv of each side's subject

// Runs an epoch and compares the undisturbed pairs, or all pairs if most were disturbed.
struct bilanx_error paired_run(const struct paired_way *way, const struct paired_epoch *epoch,
                               struct duel_mapping *mapping, struct paired_results *out,
                               struct paired_failure *failure);

#endif
