// match: one case on its way to a verdict.
#ifndef CONTEST_MATCH_H
#define CONTEST_MATCH_H

#include "base/random.h"
#include "contest/contest.h"
#include "contest/plan.h"
#include "contest/twin.h"

// What the matches of a run share.
struct arena {
    const struct contest_side *sides;
    const struct contest_options *options;
    const struct bout_way *way;
    struct margins strict;  // for what is claimed: as if it were one of all cases
    struct duel_arena memory;
    struct random random;
    uint64_t draws;   // of what the workers of a round share
    double *control;  // of the first side against itself: one value for each such epoch
    size_t control_count, control_room;
    struct mirror {  // workers that stand by, once more: a side cannot duel with its own fork
        const struct run_subject *of;
        struct run_subject *copy;
    } * mirrors;
    size_t mirror_count, mirror_room;
};

struct match {
    size_t index;
    const struct run_case *items[2];
    bool together;
    struct twin twin;  // of the first side
    struct plan plan;
    double spent_ns;
    double time_logs[2];  // sums of ln(ns per call)
    double *changes;
    size_t change_count, change_room;
    size_t first;          // of those of the run under way
    double calmest;        // the least spread of pairs within an epoch so far
    enum verdict verdict;  // of the run under way
    enum verdict flagged;  // what a first run said, while a second one confirms it
    double p;              // of the first run, once it is over
    bool done;
    struct bilanx_record record;
};

// The epochs of the run under way.
struct sample match_epochs(const struct match *match);

void match_init(struct match *match, struct arena *arena, size_t index);
void match_done(struct match *match);

// One epoch. Sets `done` when it is decided, its time is spent, or it failed: then the record says
// so. Only ^C is returned.
struct bilanx_error match_step(struct match *match, struct arena *arena, unsigned round);

// Starts over, to see whether what was flagged comes out again.
void match_confirm(struct match *match);

// Writes the verdict into the record.
void match_conclude(struct match *match, const struct arena *arena, const char *reason);

#endif
