// count_suite: the cases of a suite counted, several at once, while others are compiled.
#include "count_suite.h"

#include <unistd.h>

#include "sources/suite_cases/passes.h"

static const struct run_case *ready(void *context, const struct run_case *item)
{
    const struct count_suite *suite = context;
    return schedule_case(suite->schedule, suite->places[passes_place(item)]);
}

static struct bilanx_error prepare(void *context, bool *more)
{
    return schedule_prepare_next(((struct count_suite *)context)->schedule, more);
}

struct stopwatch {
    const struct run_observer *observer;
    size_t cases;  // that are being counted
    uint64_t started_ns;
    double *seconds;
};

static void working(void *context, const struct run_case *measured)
{
    struct stopwatch *watch = context;
    if (watch->cases++ == 0)
        watch->started_ns = monotonic_ns();
    watch->observer->working(watch->observer->context, measured);
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct stopwatch *watch = context;
    if (--watch->cases == 0)
        *watch->seconds += (double)(monotonic_ns() - watch->started_ns) / 1e9;
    watch->observer->finished(watch->observer->context, measured, record);
}

struct bilanx_error count_suite(struct count_suite *suite, const struct run_cases *cases,
                                const struct run_observer *observer)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct collect_options options = *suite->options;
    options.jobs = suite->jobs ? suite->jobs : cores < 1 ? 1 : (uint64_t)cores;
    options.source = (struct collect_source){suite, ready, prepare};
    struct stopwatch watch = {.observer = observer, .seconds = &suite->seconds};
    return collect_cases(&options, cases, &(struct run_observer){&watch, working, finished});
}
