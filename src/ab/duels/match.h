// match: one case on its way to a verdict.
#ifndef CONTEST_MATCH_H
#define CONTEST_MATCH_H

#include "ab/duels/contest.h"
#include "ab/duels/plan.h"
#include "ab/duels/twin.h"
#include "base/deck.h"
#include "base/temporary.h"

// What the matches of a run share.
struct arena {
    const struct contest_side *sides;
    const struct contest_options *options;
    const struct bout_way *way;
    struct margins usual;   // those of the options, with what the control shows
    struct margins strict;  // for what is claimed: as if it were one of all cases
    struct duel_arena memory;
    struct temporary folder;  // for twins, once there is one
    struct random random;
    uint64_t draws;   // of what the workers of a round share
    double *control;  // of the first side against itself: one value for each such epoch
    size_t control_count, control_room;
    bool biased;     // they differ for sure
    struct mirror {  // workers that stand by, once more: a side cannot duel with its own fork
        const struct run_subject *of;
        struct run_subject *copy;
    } *mirrors;
    size_t mirror_count, mirror_room;
};

struct match {
    size_t index;
    const struct run_case *items[2];
    bool together;
    struct twin twin;  // of the first side
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
    double *units;            // room for what a verdict rests on
    struct deck deck;         // of layouts
    size_t layout;            // of the epoch under way
    bool refused;             // pages of some epoch stayed where their file has them
    struct bout_pages pages;  // in that epoch
    char *files;              // of libraries that only one side has, a path a line
    size_t first;             // of those of the run under way
    double resolution_ns;     // of the clock
    bool unresolved;          // batches of a side are too short for that
    double calmest;           // the least spread of pairs within an epoch so far
    enum verdict verdict;     // of the run under way
    enum verdict flagged;     // what a first run said, while a second one confirms it
    double p;                 // of the first run, once it is over
    bool done;
    struct bilanx_record record;
};

// What a verdict on the run under way rests on. Epochs that share a layout are no draws of their
// own: they count as one, with their midmean, unless there are too few layouts for a verdict on
// all.
struct sample match_epochs(const struct match *match);

// These margins, wider where something about this case alone makes its epochs less certain.
struct margins match_margins(const struct match *match, const struct margins *margins);

void match_init(struct match *match, struct arena *arena, size_t index);
void match_done(struct match *match);

// One epoch. Sets `done` when it is decided, its time is spent, or it failed: then the record says
// so. Only ^C is returned.
struct bilanx_error match_step(struct match *match, struct arena *arena, unsigned round);

// Notes how busy the machine was during the run that has ended.
void match_note_load(struct match *match, const struct arena *arena);

// Whether others took so much of the machine that one look at it is not enough.
bool match_is_doubtful(const struct match *match);

// Starts over, to see whether what was flagged comes out again; what is doubtful, some time later.
void match_confirm(struct match *match);

// Writes the verdict into the record.
void match_conclude(struct match *match, const struct arena *arena, const char *reason);

#endif
