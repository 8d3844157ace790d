// stored: verdicts on what was measured or counted already, side by side or not.
#ifndef CONTEST_STORED_H
#define CONTEST_STORED_H

#include "ab/duels/judgement.h"
#include "bilanx/record.h"

// Of the times of two measurements, as two samples: nothing was interleaved, and a warning says so.
void stored_judge_times(const struct bilanx_record *before, const struct bilanx_record *after,
                        const struct margins *margins, struct bilanx_record *out);

// Of the instructions of two counts, which are exact.
void stored_judge_counts(const struct bilanx_record *before, const struct bilanx_record *after,
                         const struct margins *margins, struct bilanx_record *out);

// Whether two tasks are the same benchmark: what it is compiled by, and in which environment, may
// differ.
bool stored_is_same_task(const struct bilanx_task *a, const struct bilanx_task *b);

#endif
