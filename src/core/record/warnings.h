// warnings: reasons to doubt a result, derived from facts about the run.
#ifndef RECORD_WARNINGS_H
#define RECORD_WARNINGS_H

#include "core/record/records.h"
#include "core/stats/groups.h"

struct warning_facts {
    double resolution_ns;  // of the clock
    bool unoptimised;      // the measured code was compiled without optimisation
    char governor[32];     // "" if unknown
    double busy_share;     // share of all CPUs that other processes used during the measurement
};

// The two times that a record has, and what decides between them. By process only if the core was
// free, and each epoch had a process of its own.
struct time_groups record_groups(const struct bilanx_record *record);

// Adds the warnings that depend on more than the times.
void record_judge(struct bilanx_record *record, const struct warning_facts *facts);

// Adds only the warning about the share of all CPUs that others used, if it matters.
void record_judge_load(struct bilanx_record *record, double busy_share);

#endif
