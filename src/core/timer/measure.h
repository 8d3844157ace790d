// measure: turns a user's options into a stepper's plan, and its batches into a timing.
#ifndef TIMER_MEASURE_H
#define TIMER_MEASURE_H

#include "bilanx/timing.h"
#include "core/clock/clock.h"
#include "core/timer/stepper.h"

struct measure_options {  // times in seconds; zero selects the method's default
    const struct method *method;
    uint64_t number, repeats;
    double min_run_time, max_run_time, warmup, threshold;
};

// `read_cost_ns` is the cost of a clock read; a block is at least 1e4 times as long.
void measure_plan(const struct measure_options *options, double read_cost_ns,
                  struct stepper_options *out);

// Stores raw times and, for latency, percentiles. The stepper must have measured something.
void measure_result(const struct stepper *stepper, double read_cost_ns, struct bilanx_timing *out);

#endif
