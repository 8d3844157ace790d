// speedups: derives figures for operators and for a whole model from the times of samples. Pure
// functions.
#ifndef OPERATOR_CASES_SPEEDUPS_H
#define OPERATOR_CASES_SPEEDUPS_H

#include "core/stats/stats.h"
#include "sources/operator_cases/operator_cases.h"

// The time of one backend divided by that of another, over the samples that both have.
struct speedup {
    size_t samples;         // 0: none, and the rest is NaN
    double low, mid, high;  // 20, 50, 80 % of the samples
    double weighted;        // all calls of the log: total time divided by total time
};
struct speedup speedup_of(const struct ops_operator *of, size_t time_of, size_t by);

// Mean seconds per call, over the samples that were measured on this backend; NaN: none.
double speedup_mean_time(const struct ops_operator *of, size_t backend);

// Counts of samples by outcome.
struct sample_counts {
    size_t measured, wrong, unsupported, failed;
    size_t special;  // that differ on NaN or infinities
    double error;    // the largest of those that agree; NaN: none compared
    double wrong_error;
};
struct sample_counts speedup_counts(const struct ops_operator *of, size_t backend);

// A recorded model as a whole: every call of every sample, as often as the log says.
struct model_speedup {
    size_t operators, samples;  // that were measured on both
    double speedup;             // of these; NaN: none
    struct interval ci95;       // from the spread of the repeats; NaN: a single repeat
    double share;               // share of the baseline's time spent in these
    double whole;               // of the model, if everything else stays with the baseline
    double mean;                // geometric mean over operators of their middle samples
    double bytes, flops;        // per second on this backend, over all these calls
};
// For the baseline itself, the speed-ups are 1.
struct model_speedup speedup_of_model(const struct ops *ops, size_t backend);

// ln(baseline / backend) of each sample and repeat, for a verdict. The caller frees it.
size_t speedup_logs(const struct ops_operator *of, size_t backend, double **out);

#endif
