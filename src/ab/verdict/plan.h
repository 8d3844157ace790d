// plan: chooses the length of epochs: calls per batch and pairs of batches per epoch.
//
// Intervals are over epochs, so many short ones are good. But starting an epoch costs time, and one
// with few pairs varies more. Both are known only after some epochs. Pure: no processes, no clock.
#ifndef AB_VERDICT_PLAN_H
#define AB_VERDICT_PLAN_H

#include "ab/verdict/judgement.h"
#include "ab/verdict/paired_epoch.h"

enum { PLAN_FIRST_VERDICT = 10 };  // epochs; no verdict is possible before

struct plan {
    double budget_ns;  // for all epochs of the case
    bool forks;        // epochs fork: each gets a share of the budget, whatever the start costs
    uint64_t number;   // calls per batch; 0: not planned yet
    unsigned pairs;    // per epoch
    double pair_ns;    // time per pair, lead-ins included
    size_t count;      // epochs recorded; the fields below are sums over them
    double within;     // variance due to their pairs
    double start_ns;   // time other than for pairs
    double setup_ns;   // per epoch, if so high that every setup matters; else 0
    bool mended, lengthened, piloted;
};

// Plans from the time per call of each side. Both get the same number of calls, so that a batch of
// either takes about the target time.
void plan_calls(struct plan *plan, double a_ns, double b_ns);

// Plans from the time to set up both sides of an epoch. If the budget does not suffice for as many
// epochs as a verdict needs, each epoch gets as many pairs as possible, and none is used as a
// trial.
void plan_setup(struct plan *plan, double setup_ns);

// Lowers the assumed setup cost after an epoch or fork that took `wall_ns`, in case setups only
// seemed costly because the machine was busy.
void plan_relent(struct plan *plan, double wall_ns);

// If the calibration was disturbed and batches are much too short or too long, plans again, once.
// Returns true if so; the epoch then does not count.
bool plan_mend(struct plan *plan, const struct paired_result *result);

// If the first epoch took longer to start than to measure, lengthens the others. Returns true if
// so; the epoch then does not count.
bool plan_lengthen(struct plan *plan, double wall_ns);

// Records an epoch that counts.
void plan_note(struct plan *plan, const struct paired_result *result, double wall_ns);

// Adapts the length of epochs to the first few. Returns true if the new length is so much greater
// that those few do not count. No verdict is possible before then, so none is lost.
bool plan_adapt(struct plan *plan, const struct sample *epochs, const struct margins *margins);

// Prepares for another run of the same epochs.
void plan_restart(struct plan *plan);

// The fewest forks of the same standby workers in an epoch, if one takes `wall_ns`.
unsigned plan_forks(const struct plan *plan, double wall_ns);

// The most pairs of an epoch that waits for the core.
unsigned plan_most_pairs(const struct plan *plan);

unsigned plan_warm_pairs(const struct plan *plan);
double plan_epoch_ns(const struct plan *plan);  // time per epoch, excluding its start
double plan_epochs(const struct plan *plan);    // number that fits the budget, once one is recorded

#endif
