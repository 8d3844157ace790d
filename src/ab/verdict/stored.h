// stored: verdicts on existing measurements or counts.
#ifndef AB_VERDICT_STORED_H
#define AB_VERDICT_STORED_H

#include "ab/verdict/judgement.h"
#include "bilanx/record.h"

// How much the same code may change from one hour to another, which no repetition within an hour
// shows.
struct stored_hours {
    double spread;  // of ln(time): an interval of 99 % reaches this far
    size_t cases;   // whose changes show it; 0: too few, so it is the general figure for machines
    bool free;      // all times had the core to themselves
};

// `changes` are ln(after/before) of all cases of two files. Most of them should not have changed,
// so their common change, and their spread, come from the different hours.
struct stored_hours stored_hours(const double *changes, size_t count, bool free);

// ln(after/before) of two measurements, without any interval.
double stored_change(const struct bilanx_record *before, const struct bilanx_record *after);

// Compares the times of two measurements as independent samples of two hours. The verdict is one of
// those that only seem so. Adds a warning that they were not interleaved.
void stored_judge_times(const struct bilanx_record *before, const struct bilanx_record *after,
                        const struct stored_hours *hours, const struct margins *margins,
                        struct bilanx_record *out);

// Compares the instructions of two counts, which are exact. If they are of different variants of
// glibc's functions, the verdict is "undecided": the change says little about the code.
void stored_judge_counts(const struct bilanx_record *before, const struct bilanx_record *after,
                         const struct margins *margins, struct bilanx_record *out);

// Whether two tasks are the same benchmark; compiler and environment may differ.
bool stored_is_same_task(const struct bilanx_task *a, const struct bilanx_task *b);

#endif
