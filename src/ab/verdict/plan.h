// plan: how long the epochs of a comparison are: calls in a batch, pairs of batches in an epoch.
//
// Short epochs are many, and an interval is over epochs; but starting one costs time, and one with
// few pairs spreads more. Both are known only after some. Pure: no processes, no clock.
#ifndef AB_VERDICT_PLAN_H
#define AB_VERDICT_PLAN_H

#include "ab/verdict/judgement.h"
#include "ab/verdict/paired_epoch.h"

enum { PLAN_FIRST_VERDICT = 10 };  // epochs; before that nothing can be said

struct plan {
    double budget_ns;  // for all epochs of the case
    bool forks;        // epochs are of forks: a share of the budget each, whatever starting takes
    uint64_t number;   // calls in a batch; 0: not planned yet
    unsigned pairs;    // in an epoch
    double pair_ns;    // what a pair takes, lead-ins included
    size_t count;      // epochs that were noted, and sums over them:
    double within;     // the variance that their pairs explain
    double start_ns;   // what they took beside their pairs
    double setup_ns;   // of an epoch, where that is so costly that each of them counts; else 0
    bool mended, lengthened, piloted;
};

// What a call of each side takes. One common number of calls, so that a batch of either takes about
// as long as it is to.
void plan_calls(struct plan *plan, double a_ns, double b_ns);

// What it takes to set up both sides of an epoch. Where the budget has no room for as many as a
// verdict takes, each has all the pairs that it can have, and none is tried in vain.
void plan_setup(struct plan *plan, double setup_ns);

// After an epoch, or a fork, of so long: it was a busy moment that had setups seem costly.
void plan_relent(struct plan *plan, double wall_ns);

// The calibration was interrupted, and batches take far less, or more, than they are to: planned
// anew, once, and the epoch does not count.
bool plan_mend(struct plan *plan, const struct paired_result *result);

// The first epoch took longer to start than to measure: the others are longer, and it does not
// count.
bool plan_lengthen(struct plan *plan, double wall_ns);

// An epoch that counts.
void plan_note(struct plan *plan, const struct paired_result *result, double wall_ns);

// What a few epochs tell about how long the others should be. True: so much longer that those few
// do not count. No verdict is possible before that, and none is lost.
bool plan_adapt(struct plan *plan, const struct sample *epochs, const struct margins *margins);

// Another run of the same epochs.
void plan_restart(struct plan *plan);

unsigned plan_warm_pairs(const struct plan *plan);
double plan_epoch_ns(const struct plan *plan);  // of an epoch, besides its start
double plan_epochs(const struct plan *plan);    // that the budget has room for, once one was noted

#endif
