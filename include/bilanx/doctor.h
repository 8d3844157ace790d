// doctor: what disturbs a measurement on this machine, read from the kernel and measured.
//
//     struct bilanx_doctor doctor = {0};
//     bilanx_doctor_examine(NULL, &doctor);   // at once: findings from files and tools
//     bilanx_doctor_measure(NULL, &doctor);   // five seconds: figures, and findings from them
//     bilanx_doctor_done(&doctor);
//
// Times are nanoseconds, shares are fractions of 1.
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
    BILANX_KNOW,  // worth knowing: it disturbs, and is to be lived with
    BILANX_FIX,   // to fix: it disturbs, and `command` helps
};

struct bilanx_finding {
    const char *group;  // "processor", "kernel", "contention", "tools", "measured"
    const char *name;   // "governor"; unique, and stable from version to version
    enum bilanx_grade grade;
    char text[256];     // one line for a person; may quote what a file says: data, not format
    char command[128];  // what fixes it, for BILANX_FIX; otherwise empty
};

struct bilanx_doctor_clock {
    const char *name;      // "tsc", "monotonic-raw"
    double cost_ns;        // what one read takes when nothing interrupts it
    double resolution_ns;  // the smallest step between two different reads
};

// What a core that only reads the clock was kept from doing: gaps between two reads.
struct bilanx_doctor_gaps {
    double watched_ns;
    double threshold_ns;  // a gap is at least this long
    uint64_t count;
    double per_second;
    double median_ns, max_ns;  // 0 without a gap
    double share;              // of the watched time
};

// Identical pieces of work timed again and again.
struct bilanx_doctor_batches {
    double target_ns;  // how long one was meant to take
    uint64_t count;
    double median_ns;
    double iqr;          // from quartile to quartile, relative to the median
    double epoch_ns;     // as many neighbouring batches as take this long make an epoch
    double estimate_sd;  // of the epochs' midmeans in logarithms: a relative deviation
};

enum { BILANX_DOCTOR_SHORT, BILANX_DOCTOR_LONG, BILANX_DOCTOR_LENGTHS };

struct bilanx_doctor_figures {
    double elapsed_ns;
    struct bilanx_doctor_clock clocks[2];  // the first is the one bilanx uses
    size_t clock_count;
    struct bilanx_doctor_gaps gaps;
    double waited;  // share of the time watched for gaps that other processes had; NaN: unknown
    struct bilanx_doctor_batches batches[BILANX_DOCTOR_LENGTHS];
    double steal;  // share of the CPU's time that its hypervisor admits to; NaN: unknown
};

struct bilanx_doctor {
    int cpu;  // the one that is measured on
    struct bilanx_finding *findings;
    size_t finding_count, finding_room;
    bool measured;  // whether there are figures
    struct bilanx_doctor_figures figures;
};

struct bilanx_doctor_options {  // every field may be left at zero, which means its default
    const char *root;           // stands before /proc and /sys, for tests; default ""
    void (*progress)(void *context, double share);  // of the measuring; between two timings
    void *context;
};

// `options` may be NULL. `doctor` starts as zeroes; findings are added to it.
BILANX_API void bilanx_doctor_examine(const struct bilanx_doctor_options *options,
                                      struct bilanx_doctor *doctor);

// Runs on the measuring CPU alone for about five seconds. Fails when it is interrupted.
BILANX_API struct bilanx_error bilanx_doctor_measure(const struct bilanx_doctor_options *options,
                                                     struct bilanx_doctor *doctor);

BILANX_API void bilanx_doctor_done(struct bilanx_doctor *doctor);

BILANX_API const char *bilanx_grade_word(enum bilanx_grade grade);  // "good", "know", "fix"

#ifdef __cplusplus
}
#endif

#endif
