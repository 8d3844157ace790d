// stored: verdicts on existing measurements or counts.
#ifndef AB_VERDICT_STORED_H
#define AB_VERDICT_STORED_H

#include "ab/verdict/judgement.h"
#include "bilanx/record.h"

// Compares the times of two measurements as independent samples. Adds a warning that they were not
// interleaved.
void stored_judge_times(const struct bilanx_record *before, const struct bilanx_record *after,
                        const struct margins *margins, struct bilanx_record *out);

// Compares the instructions of two counts, which are exact. If they are of different variants of
// glibc's functions, the verdict is "undecided": the change says little about the code.
void stored_judge_counts(const struct bilanx_record *before, const struct bilanx_record *after,
                         const struct margins *margins, struct bilanx_record *out);

// Whether two tasks are the same benchmark; compiler and environment may differ.
bool stored_is_same_task(const struct bilanx_task *a, const struct bilanx_task *b);

#endif
