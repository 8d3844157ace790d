// timing: what timing one statement yields, and the figures that follow from it.
//
// Plain data. Times are seconds here, as in the records they are written to, so that a file that is
// read and written again keeps every digit. A struct of zeroes is an empty one.
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

// One draw of the layout: the batches of one process, per call.
struct bilanx_epoch {
    double time;  // the midmean batch, in logarithms
    double min, p25, p75, p99;
    uint64_t batches;
    uint64_t off_pace;   // further batches, left out as the core ran at another pace
    uint64_t disturbed;  // of all, those with an involuntary switch or a change of CPU
    uint64_t layout;     // of the code, from 1 on; 0: the one it has
    double reference;    // one call of the built-in reference kernel at the pace kept; 0: unknown
    char *extra;         // keys of the record that this version does not know, as JSON
};

// Every call timed by itself.
struct bilanx_latency {
    double p50, p90, p99, p999, max;
    double clock_cost;  // what each sample contains beside the call
    uint64_t samples;
    char *extra;
};

struct bilanx_timing {
    char *method;  // "rigorous", "blocked", "adaptive", "timeit", "latency", or another's
    uint64_t number_per_run;  // calls per raw time
    double *raw_times;        // as measured, the loop included: one per block, or one per epoch
    size_t raw_count;
    double *raw_cpu_times;  // user and system time of the whole process; may be absent
    size_t raw_cpu_count;
    struct bilanx_epoch *epochs;  // for a rigorous measurement
    size_t epoch_count;
    struct bilanx_latency *latency;  // for a latency measurement
    double overhead;                 // what the empty loop costs per iteration here; 0: unknown
    double reference;                // one call of the built-in reference kernel; 0: unknown
};

struct bilanx_stats {
    double estimate;  // rigorous: exp(mean ln times); otherwise the median
    double ci95[2];   // belongs to the estimate; NaN where it cannot be known
    double median, mean, stddev, min, p25, p75, iqr;
    double significant_figures;  // as PyTorch counts them
    double within, between;      // rigorous: relative spread in an epoch, and from epoch to epoch
    double layout;               // of the latter, what the layout of the code does; NaN: unknown
    double marginal;             // one more execution, from the slope over copies; NaN: not asked
    char *extra;
};

BILANX_API void bilanx_timing_done(struct bilanx_timing *timing);

// Computes everything but `marginal` and `extra`, which are left alone. The timing must hold at
// least one raw time and a number_per_run of at least 1.
BILANX_API void bilanx_timing_summarize(const struct bilanx_timing *timing,
                                        struct bilanx_stats *out);

// CPU seconds per call, the median; NaN when unknown.
BILANX_API double bilanx_timing_cpu(const struct bilanx_timing *timing);

// Turns the raw times of an epoch, in any order, into its summary. Sorts `seconds`.
BILANX_API struct bilanx_epoch bilanx_epoch_make(double *seconds, size_t count, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
