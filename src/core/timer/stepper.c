// stepper: calibrate, warm up, measure.
#include "stepper.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/stats.h"

enum {
    WARM_BATCHES = 1000,        // a body that takes no time would never be warm by the clock
    LATENCY_SAMPLES = 1 << 20,  // p99.9 then rests on a thousand samples; 8 MB
};
static const uint64_t LARGEST_NUMBER = 1u << 31;
static const double PATIENCE_NS = 1e8;  // a call this slow is not repeated just to calibrate

static bool timeit_enough(const struct stepper *stepper)
{
    return stepper->count >= stepper->options.max_blocks;
}

static bool blocked_enough(const struct stepper *stepper)
{
    return stepper->spent_ns >= stepper->options.min_ns;
}

static bool steady(const struct stepper *stepper)
{
    double *sorted = mem_array(double, stepper->count);
    memcpy(sorted, stepper->times_ns, stepper->count * sizeof *sorted);
    stats_sort(sorted, stepper->count);
    double iqr =
        stats_quantile(sorted, stepper->count, 0.75) - stats_quantile(sorted, stepper->count, 0.25);
    double median = stats_quantile(sorted, stepper->count, 0.5);
    free(sorted);
    return iqr < stepper->options.threshold * median;
}

static bool adaptive_enough(const struct stepper *stepper)
{
    if (stepper->spent_ns >= stepper->options.max_ns)
        return true;
    // Each check sorts all blocks, of which there may be fifty thousand: check when a tenth are
    // new.
    bool due = stepper->count >= stepper->checked_at + stepper->checked_at / 10 + 1;
    return stepper->count > 3 && stepper->spent_ns >= stepper->options.min_ns && due &&
           steady(stepper);
}

// A few batches with the core to themselves are worth more than many beside a neighbour.
static bool time_is_up(const struct stepper *stepper)
{
    static const double FREE_NS = 1e6;
    double max_ns = stepper->options.max_ns, longest_ns = stepper->options.longest_ns;
    bool waits = stepper->spent_ns - stepper->shared_ns < FREE_NS && stepper->spent_ns < longest_ns;
    return stepper->spent_ns >= max_ns && !waits;
}

static bool budget_enough(const struct stepper *stepper)
{
    return stepper->count >= stepper->options.min_blocks &&
           (time_is_up(stepper) ||
            (stepper->options.max_blocks && stepper->count >= stepper->options.max_blocks));
}

static bool latency_enough(const struct stepper *stepper)
{
    return budget_enough(stepper) || stepper->count >= LATENCY_SAMPLES;
}

static bool calibrate_enough(const struct stepper *stepper)
{
    return stepper->count >= 1;
}

const struct method method_timeit = {
    .name = "timeit",
    .summary = "blocks of --number calls, --repeats of them",
    .cpu_per_batch = true,
    .watches = true,
    .enough = timeit_enough,
};
const struct method method_blocked = {
    .name = "blocked",
    .summary = "blocks for --min-run-time: PyTorch's blocked_autorange",
    .cpu_per_batch = true,
    .watches = true,
    .enough = blocked_enough,
};
const struct method method_adaptive = {
    .name = "adaptive",
    .summary = "blocks until they agree: PyTorch's adaptive_autorange",
    .cpu_per_batch = true,
    .watches = true,
    .enough = adaptive_enough,
};
const struct method method_latency = {
    .name = "latency",
    .summary = "every call by itself: percentiles up to the worst",
    .one_call = true,
    .enough = latency_enough,
};
const struct method method_epoch = {
    .name = "epoch",
    .cpu_per_batch = true,
    .watches = true,
    .enough = budget_enough,
};
const struct method method_calibrate = {
    .name = "calibrate",
    .enough = calibrate_enough,
};

static const struct method *const methods[] = {&method_timeit,  &method_blocked, &method_adaptive,
                                               &method_latency, &method_epoch,   &method_calibrate};

const struct method *method_find(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

struct bilanx_error method_choose(const char *name, const struct method **out)
{
    bool rigorous = !name || strcmp(name, "rigorous") == 0;
    *out = rigorous ? NULL : method_find(name);
    if (!rigorous && (!*out || !(*out)->summary))
        return bilanx_error_make(BILANX_E_USAGE, "unknown method '%s'", name);
    return BILANX_SUCCESS;
}

void stepper_init(struct stepper *stepper, const struct stepper_options *options)
{
    *stepper = (struct stepper){.options = *options, .n = options->number};
    if (options->method->one_call)
        stepper->n = 1;
    stepper->stage = stepper->n ? STEPPER_WARM : STEPPER_CALIBRATE;
    if (stepper->stage == STEPPER_CALIBRATE)
        stepper->n = 1;
}

void stepper_done(struct stepper *stepper)
{
    free(stepper->times_ns);
    free(stepper->cpu_ns);
    *stepper = (struct stepper){0};
}

// Rounds up: a block shorter than its target would violate the contract of autorange.
static uint64_t scaled(uint64_t n, double factor)
{
    double wanted = (double)n * factor - 1e-6;  // keeps integers unchanged
    if (wanted >= (double)LARGEST_NUMBER)
        return LARGEST_NUMBER;
    return wanted > 1 ? (uint64_t)wanted + 1 : 1;
}

// One step of the search. A batch that is long enough is run once more, because the first calls pay
// for page faults and cold caches. The shorter of the two counts.
static void calibrate(struct stepper *stepper, const struct batch *last)
{
    double target = stepper->options.target_ns;
    bool again = stepper->calibrated_n == stepper->n;
    stepper->calibrated_n = stepper->n;
    if (!again || last->ns < stepper->shortest)
        stepper->shortest = last->ns;
    bool long_enough = stepper->shortest >= target * 0.8 || stepper->n >= LARGEST_NUMBER;
    if (long_enough && (again || stepper->shortest > PATIENCE_NS)) {
        stepper->n = scaled(stepper->n, target / stepper->shortest);
        stepper->stage = STEPPER_WARM;
        stepper->spent_ns = 0;
    } else if (!long_enough) {
        double factor = stepper->shortest > 0 ? target / stepper->shortest : 10;
        stepper->n = scaled(stepper->n, factor > 10 ? 10 : factor < 2 ? 2 : factor);
    }
}

// A batch that waited 30 ms for another process would use up a whole epoch. So it does not count as
// time spent, unless most batches are like that: then this is how the body runs here.
static bool costs_time(const struct stepper *stepper, const struct batch *last)
{
    return !last->disturbed || 2 * stepper->disturbed > stepper->count ||
           stepper->options.method != &method_epoch;
}

static void keep(struct stepper *stepper, const struct batch *last)
{
    mem_grow(stepper->times_ns, stepper->count, &stepper->room);
    stepper->times_ns[stepper->count] = last->ns;
    if (stepper->options.method->cpu_per_batch) {
        mem_grow(stepper->cpu_ns, stepper->count, &stepper->cpu_room);
        stepper->cpu_ns[stepper->count] = last->cpu_ns;
    }
    stepper->count++;
    stepper->disturbed += last->disturbed;
    stepper->manual |= last->manual;
    if (stepper->options.method->enough(stepper))
        stepper->stage = STEPPER_DONE;
    else if (stepper->count >= stepper->checked_at + stepper->checked_at / 10 + 1)
        stepper->checked_at = stepper->count;
}

uint64_t stepper_next(struct stepper *stepper, const struct batch *last)
{
    if (last) {
        if (stepper->stage != STEPPER_MEASURE || costs_time(stepper, last))
            stepper->spent_ns += last->ns;
        if (stepper->stage == STEPPER_CALIBRATE)
            calibrate(stepper, last);
        else if (stepper->stage == STEPPER_MEASURE)
            keep(stepper, last);
    }
    bool warm =
        stepper->spent_ns >= stepper->options.warmup_ns || stepper->warm_batches++ >= WARM_BATCHES;
    if (stepper->stage == STEPPER_WARM && warm) {
        stepper->stage = STEPPER_MEASURE;
        stepper->spent_ns = 0;
    }
    return stepper->stage == STEPPER_DONE ? 0 : stepper->n;
}
