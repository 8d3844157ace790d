// trial: one case until its verdict.
#ifndef AB_VERDICT_TRIAL_H
#define AB_VERDICT_TRIAL_H

#include "ab/verdict/interleaved.h"
#include "ab/verdict/object_copy.h"
#include "ab/verdict/plan.h"
#include "base/deck.h"
#include "base/temporary.h"
#include "core/timer/core_floor.h"

// Shared by the trials of a run.
struct trial_shared {
    const struct interleaved_side *sides;
    const struct interleaved_options *options;
    const struct paired_way *way;
    struct margins usual;   // from the options, plus the control's bias
    struct margins strict;  // for claims: corrected for the number of cases
    struct duel_mapping mapping;
    struct temporary folder;  // for copies of objects, created on demand
    struct random random;
    uint64_t draws;   // seed of what the workers of a round share
    double *control;  // the first side against itself: one value per control epoch
    size_t control_count, control_room;
    bool biased;  // the control certainly differs
    struct core_floor core;
    unsigned floor_changes;  // how often the floor turned out to be lower than known
    struct spare {  // second set of standby workers: a side cannot alternate with its own fork
        const struct run_subject *of;
        struct run_subject *copy;
    } *spares;
    size_t spare_count, spare_room;
};

struct trial {
    size_t index;
    const struct run_case *items[2];
    bool together;
    struct object_copy copy;  // of the first side
    struct plan plan;
    double spent_ns;
    uint64_t begun_ns;       // start of its first epoch; 0: not yet
    uint64_t not_before_ns;  // earliest start of its next epoch
    struct watch watch;      // of the current run
    double busy;             // largest share of the machine used by others during a run
    double time_logs[2];     // sums of ln(ns per call)
    double *changes;
    size_t change_count, change_room;
    bool has_states;                 // of the core: the verdict is about one of them
    bool settled_for_shared;         // about the core beside a neighbour, which never rested
    unsigned floor_changes;          // those that were taken into account
    double readings, free_readings;  // of the core's pace
    struct other_changes {           // epochs in the other state
        double *changes;
        size_t *layouts;
        size_t count, room, layout_room;
        double time_logs[2];
        struct bilanx_epoch *epochs;  // as in the record
        size_t epoch_count;
    } others;
    double *forks;  // the change found by each fork; with standby workers, an epoch has several
    size_t fork_count, fork_room;
    size_t fork_kept;   // of epochs that count
    size_t first_fork;  // of the current run
    size_t *layouts;    // the layout of each change
    size_t layout_room;
    double *units;              // scratch space for trial_epochs()
    struct deck deck;           // for drawing layouts
    size_t layout;              // of the current epoch
    bool refused;               // in some epoch, pages could not be moved from their file
    struct paired_pages pages;  // in the current epoch
    bool alike;                 // both sides have the same files at the same addresses
    char *files;                // libraries that only one side has, one path per line
    size_t first;               // index of the first change of the current run
    double resolution_ns;       // of the clock
    bool unresolved;            // batches of a side are too short for the clock
    double calmest;             // smallest spread of pairs within an epoch so far
    enum verdict verdict;       // of the current run
    enum verdict flagged;       // result of a first run while a second confirms it
    double p;                   // of the first run, once complete
    bool done;
    struct bilanx_record record;
};

// The values on which the verdict of the current run is based. Epochs that share a layout are not
// independent: they count as one value, their midmean, unless there are too few layouts for a
// verdict. With standby workers and too few epochs for a verdict, they are those of the forks.
struct sample trial_epochs(const struct trial *trial);

// The margins, widened if this case has a reason to be less certain.
struct margins trial_margins(const struct trial *trial, const struct margins *margins);

void trial_init(struct trial *trial, struct trial_shared *shared, size_t index);
void trial_done(struct trial *trial);

// Runs one epoch. Sets `done` when the case is decided, out of time or failed; a failure is in the
// record. Returns only ^C.
struct bilanx_error trial_step(struct trial *trial, struct trial_shared *shared, unsigned round);

// Records how busy the machine was during the run that just ended.
void trial_note_load(struct trial *trial, const struct trial_shared *shared);

// Whether other processes used so much of the machine that one run is not enough.
bool trial_is_doubtful(const struct trial *trial);

// The change that the epochs since trial_confirm() show; a logarithm.
double trial_second_change(const struct trial *trial);

// Starts again to check whether the flagged change is reproduced; waits first if the run was
// doubtful.
void trial_confirm(struct trial *trial);

// Writes the verdict into the record.
void trial_conclude(struct trial *trial, const struct trial_shared *shared, const char *reason);

#endif
