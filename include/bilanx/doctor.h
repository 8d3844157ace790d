// doctor: finds out what disturbs measurements on this machine.
//
//     struct bilanx_doctor doctor = {0};
//     bilanx_doctor_examine(NULL, &doctor);   // at once: findings from files and tools
//     bilanx_doctor_measure(NULL, &doctor);   // five seconds: figures, and findings from them
//     bilanx_doctor_done(&doctor);
//
// Times are in nanoseconds; shares are fractions of 1.
#ifndef BILANX_DOCTOR_H
#define BILANX_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bilanx_grade {
    BILANX_GOOD,  // nothing to do
    BILANX_KNOW,  // a disturbance that you cannot fix, but should know about
    BILANX_FIX,   // a disturbance that `command` fixes
};

struct bilanx_finding {
    const char *group;  // "processor", "kernel", "contention", "tools", "measured"
    const char *name;   // e.g. "governor"; unique, and stable across versions
    enum bilanx_grade grade;
    char text[256];     // one line for the user; may quote a file, so do not use it as a format
    char command[128];  // the fix, for BILANX_FIX; otherwise empty
};

struct bilanx_doctor_clock {
    const char *name;      // "tsc", "monotonic-raw"
    double cost_ns;        // of one uninterrupted read
    double resolution_ns;  // smallest difference between two distinct reads
};

// Gaps between successive reads of the clock, in a loop that does nothing else: at these times the
// core did other work.
struct bilanx_doctor_gaps {
    double watched_ns;
    double threshold_ns;  // shorter gaps are not counted
    uint64_t count;
    double per_second;
    double median_ns, max_ns;  // 0 if there were no gaps
    double share;              // fraction of the watched time
};

// The same work, timed repeatedly.
struct bilanx_doctor_batches {
    double target_ns;  // intended duration of one batch
    uint64_t count;
    double median_ns;
    double iqr;          // interquartile range, relative to the median
    double epoch_ns;     // duration of an epoch: a group of successive batches
    double estimate_sd;  // standard deviation of ln(midmean) over epochs, so a relative one
};

// The core of the measuring CPU, and who else uses it.
struct bilanx_doctor_core {
    double free;              // share of the time in which no other thread ran on it; NaN: unknown
    int sibling;              // one of our CPUs that is on the same core; -1: none found
    double free_beside_load;  // the same share while that CPU was busy; NaN: unknown
    int tried;                // how many other CPUs were tried
    bool known;               // the core was free often enough to tell
    double floor;             // speed of the front end on a free core; 0: unknown
    bool doubtful;            // the stored floor fits none of the readings
    char since[11];           // day on which the floor was learned
};

enum { BILANX_DOCTOR_SHORT, BILANX_DOCTOR_LONG, BILANX_DOCTOR_LENGTHS };

struct bilanx_doctor_figures {
    double elapsed_ns;
    struct bilanx_doctor_clock clocks[2];  // the first is the one bilanx uses
    size_t clock_count;
    struct bilanx_doctor_gaps gaps;
    double waited;  // share of the time watched for gaps that went to other processes; NaN: unknown
    struct bilanx_doctor_batches batches[BILANX_DOCTOR_LENGTHS];
    struct bilanx_doctor_core core;
    double steal;  // share of CPU time stolen, as reported by the hypervisor; NaN: unknown
};

struct bilanx_doctor {
    int cpu;  // the CPU measured on
    struct bilanx_finding *findings;
    size_t finding_count, finding_room;
    bool measured;  // whether `figures` is filled in
    struct bilanx_doctor_figures figures;
};

struct bilanx_doctor_options {  // zero selects the default for every field
    const char *root;           // prefix of /proc and /sys, for tests; default ""
    void (*progress)(void *context, double share);  // share done so far; called between timings
    void *context;
};

// Adds findings from files and tools to `doctor`, which must start zeroed. `options` may be NULL.
BILANX_API void bilanx_doctor_examine(const struct bilanx_doctor_options *options,
                                      struct bilanx_doctor *doctor);

// Measures for about five seconds, on the measuring CPU only. Fails if interrupted.
BILANX_API struct bilanx_error bilanx_doctor_measure(const struct bilanx_doctor_options *options,
                                                     struct bilanx_doctor *doctor);

BILANX_API void bilanx_doctor_done(struct bilanx_doctor *doctor);

BILANX_API const char *bilanx_grade_word(enum bilanx_grade grade);  // "good", "know", "fix"

#ifdef __cplusplus
}
#endif

#endif
