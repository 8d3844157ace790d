// run_check: refuses options of a run that contradict each other.
#include "run.h"

// Returns the shortest possible time for one answer of a process, assuming that a call takes at
// least a tenth of a nanosecond.
static double silence_of(const struct run_options *options)
{
    double calls = (double)options->number, blocks = 1, least = 0;
    if (options->method == &method_timeit && options->repeats)
        blocks = (double)options->repeats;
    if (options->method == &method_blocked || options->method == &method_adaptive)
        least = options->min_run_time;
    double calling = calls * blocks * 1e-10;
    return options->warmup + (calling > least ? calling : least);
}

struct bilanx_error run_check(const struct run_options *options)
{
    static const double USUAL_TIMEOUT = 60;
    double timeout = options->timeout > 0 ? options->timeout : USUAL_TIMEOUT;
    double silence = silence_of(options);
    if (options->max_run_time > 0 && options->min_run_time > options->max_run_time)
        return bilanx_error_make(BILANX_E_USAGE, "min-run-time %g s is more than max-run-time %g s",
                                 options->min_run_time, options->max_run_time);
    if (silence >= timeout)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "this would take at least %.3g s without an answer, but the "
                                 "timeout is %g s: measure less, or raise the timeout",
                                 silence, timeout);
    return BILANX_SUCCESS;
}
