// trial: one case on its way to a verdict.
#ifndef AB_VERDICT_TRIAL_H
#define AB_VERDICT_TRIAL_H

#include "ab/verdict/interleaved.h"
#include "ab/verdict/object_copy.h"
#include "ab/verdict/plan.h"
#include "base/deck.h"
#include "base/temporary.h"

// What the trials of a run share.
struct trial_shared {
    const struct interleaved_side *sides;
    const struct interleaved_options *options;
    const struct paired_way *way;
    struct margins usual;   // those of the options, with what the control shows
    struct margins strict;  // for what is claimed: as if it were one of all cases
    struct duel_mapping mapping;
    struct temporary folder;  // for copies of objects, once there is one
    struct random random;
    uint64_t draws;   // of what the workers of a round share
    double *control;  // of the first side against itself: one value for each such epoch
    size_t control_count, control_room;
    bool biased;    // they differ for sure
    struct spare {  // workers that stand by, once more: a side cannot take turns with its own fork
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
    uint64_t begun_ns;       // when its first epoch started; 0: not yet
    uint64_t not_before_ns;  // when its next epoch may start
    struct watch watch;      // of the run under way
    double busy;             // the largest share of the machine that others took during a run of it
    double time_logs[2];     // sums of ln(ns per call)
    double *changes;
    size_t change_count, change_room;
    size_t *layouts;  // that they were measured in
    size_t layout_room;
    double *units;              // room for what a verdict rests on
    struct deck deck;           // of layouts
    size_t layout;              // of the epoch under way
    bool refused;               // pages of some epoch stayed where their file has them
    struct paired_pages pages;  // in that epoch
    char *files;                // of libraries that only one side has, a path a line
    size_t first;               // of those of the run under way
    double resolution_ns;       // of the clock
    bool unresolved;            // batches of a side are too short for that
    double calmest;             // the least spread of pairs within an epoch so far
    enum verdict verdict;       // of the run under way
    enum verdict flagged;       // what a first run said, while a second one confirms it
    double p;                   // of the first run, once it is over
    bool done;
    struct bilanx_record record;
};

// What a verdict on the run under way rests on. Epochs that share a layout are no draws of their
// own: they count as one, with their midmean, unless there are too few layouts for a verdict on
// all.
struct sample trial_epochs(const struct trial *trial);

// These margins, wider where something about this case alone makes its epochs less certain.
struct margins trial_margins(const struct trial *trial, const struct margins *margins);

void trial_init(struct trial *trial, struct trial_shared *shared, size_t index);
void trial_done(struct trial *trial);

// One epoch. Sets `done` when it is decided, its time is spent, or it failed: then the record says
// so. Only ^C is returned.
struct bilanx_error trial_step(struct trial *trial, struct trial_shared *shared, unsigned round);

// Notes how busy the machine was during the run that has ended.
void trial_note_load(struct trial *trial, const struct trial_shared *shared);

// Whether others took so much of the machine that one look at it is not enough.
bool trial_is_doubtful(const struct trial *trial);

// Starts over, to see whether what was flagged comes out again; what is doubtful, some time later.
void trial_confirm(struct trial *trial);

// Writes the verdict into the record.
void trial_conclude(struct trial *trial, const struct trial_shared *shared, const char *reason);

#endif
