// measure_sample: one call of a log, on all backends.
#ifndef OPERATOR_CASES_MEASURE_SAMPLE_H
#define OPERATOR_CASES_MEASURE_SAMPLE_H

#include "base/random.h"
#include "core/timer/core_floor.h"
#include "sources/operator_cases/hosts.h"

struct ops_turns {  // shared by the samples of a run
    struct ops_hosts *hosts;
    const struct ops_observer *observer;
    struct random random;
    struct core_floor core;
};

// Measures a sample on every backend that can run it. Failures are written into its times; the only
// errors are ^C, and that a process cannot be restarted.
struct bilanx_error ops_measure_sample(struct ops_turns *turns, const struct ops_operator *of,
                                       struct ops_sample *sample);

#endif
