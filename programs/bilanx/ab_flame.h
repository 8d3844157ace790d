// ab_flame: the option --flame of `bilanx ab`: a graph of the differences, scaled to the verdicts.
#ifndef PROGRAMS_AB_FLAME_H
#define PROGRAMS_AB_FLAME_H

#include "ab_samples.h"

// The graphs to draw: the first side against each of the others.
struct ab_flame {
    struct ab_flame_pair {
        char *other;                    // name of the side
        struct bilanx_record *records;  // verdicts, parallel to the cases
        size_t record_count;
        struct stacks *sides[2];  // all cases so far, per call
        struct list remarks;
        size_t case_count;
        char *title;  // of the last case
    } *pairs;
    size_t count, room;
};
void ab_flame_done(struct ab_flame *flame);

// Before anything is sampled: whether these sides can be.
struct bilanx_error ab_flame_check(const struct ab_sampled_side *sides, size_t count);

// Remembers the verdicts of a pair, before others take the records.
void ab_flame_compared(struct ab_flame *flame, const struct ab_pair *pair,
                       const struct ab_results *results);

// Adds a case, with its samples on all sides.
void ab_flame_sampled(struct ab_flame *flame, const struct ab_sampled_side *sides, size_t at,
                      const struct ab_samples *samples);

// Writes a file for each pair.
struct bilanx_error ab_flame_write(const struct ab_flame *flame,
                                   const struct ab_arguments *arguments);

#endif
