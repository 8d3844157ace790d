// timing: raw times of one statement, and statistics derived from them.
//
// Plain data. Times are in seconds, as in the records they are written to, so that reading and
// rewriting a file keeps every digit. A zeroed struct is empty.
//
//     double blocks[] = {1.1e-3, 1.0e-3, 1.2e-3};  // of 1,000 calls each
//     struct bilanx_timing timing = {.number_per_run = 1000, .raw_times = blocks, .raw_count = 3};
//     struct bilanx_stats stats;
//     bilanx_timing_summarize(&timing, &stats);
//     printf("%g s per call, within %g\n", stats.median, stats.iqr);
#ifndef BILANX_TIMING_H
#define BILANX_TIMING_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// The batches of one process, which has one random memory layout. Times are per call.
struct bilanx_epoch {
    double time;  // midmean of the logarithms over batches
    double min, p25, p75, p99;
    uint64_t batches;
    uint64_t off_pace;   // additional batches, left out because the core ran at a different pace
    uint64_t disturbed;  // all batches with an involuntary switch or a change of CPU
    uint64_t layout;     // layout of the code, from 1; 0: unchanged
    double reference;    // reference kernel, one call at the pace of these batches; 0: unknown
    char *extra;         // keys of the record that this version does not know, as JSON
};

// Each call timed individually.
struct bilanx_latency {
    double p50, p90, p99, p999, max;
    double clock_cost;  // part of each sample that is not the call
    uint64_t samples;
    char *extra;
};

struct bilanx_timing {
    char *method;  // "rigorous", "blocked", "adaptive", "timeit", "latency", or another tool's
    uint64_t number_per_run;  // calls per raw time
    double *raw_times;        // as measured, including the loop: one per block or epoch
    size_t raw_count;
    double *raw_cpu_times;  // user and system time of the whole process; may be NULL
    size_t raw_cpu_count;
    struct bilanx_epoch *epochs;  // only for "rigorous"
    size_t epoch_count;
    struct bilanx_latency *latency;  // only for "latency"
    double overhead;                 // cost of one iteration of the empty loop; 0: unknown
    double reference;                // one call of the built-in reference kernel; 0: unknown
};

struct bilanx_stats {
    double estimate;  // rigorous: exp(mean ln times); otherwise the median
    double ci95[2];   // interval of the estimate; NaN: unknown
    double median, mean, stddev, min, p25, p75, iqr;
    double significant_figures;  // as PyTorch counts them
    double within, between;      // rigorous: relative spread within an epoch, and between epochs
    double layout;               // the part of `between` due to code layout; NaN: unknown
    double marginal;  // cost of one more execution, from the slope over copies; NaN: not requested
    char *extra;
};

BILANX_API void bilanx_timing_done(struct bilanx_timing *timing);

// Computes everything except `marginal` and `extra`, which stay unchanged. The timing must have at
// least one raw time and number_per_run >= 1.
BILANX_API void bilanx_timing_summarize(const struct bilanx_timing *timing,
                                        struct bilanx_stats *out);

// Returns the median CPU seconds per call; NaN if unknown.
BILANX_API double bilanx_timing_cpu(const struct bilanx_timing *timing);

// Summarises the raw times of an epoch, given in any order. Sorts `seconds`.
BILANX_API struct bilanx_epoch bilanx_epoch_make(double *seconds, size_t count, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
