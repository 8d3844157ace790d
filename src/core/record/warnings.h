// warnings: what makes a number doubtful, judged from facts about the run.
#ifndef RECORD_WARNINGS_H
#define RECORD_WARNINGS_H

#include "core/record/records.h"

struct warning_facts {
    double resolution_ns;  // of the clock
    bool unoptimised;      // the measured code was compiled without optimisation
    char governor[32];     // "" where unknown
    double busy_share;     // of all CPUs, taken by other processes during the measurement
};

// Adds the warnings that need more than the times themselves.
void record_judge(struct bilanx_record *record, const struct warning_facts *facts);

// The one of them about a share of all CPUs that others took, where it is large enough to matter.
void record_judge_load(struct bilanx_record *record, double busy_share);

#endif
