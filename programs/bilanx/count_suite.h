// count_suite: the cases of a suite counted, several at once, while others are compiled.
#ifndef PROGRAMS_COUNT_SUITE_H
#define PROGRAMS_COUNT_SUITE_H

#include "count/counting/collect.h"
#include "sources/suite_cases/schedule.h"

struct count_suite {
    struct schedule *schedule;
    const size_t *places;  // of the cases among those of the schedule
    uint64_t jobs;         // 0: one for each core
    const struct collect_options *options;
    double seconds;  // out: how long anything was counted, whatever was compiled meanwhile
};

// For passes.measure.
struct bilanx_error count_suite(struct count_suite *suite, const struct run_cases *cases,
                                const struct run_observer *observer);

#endif
