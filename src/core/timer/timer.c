// timer: measures one C function in this process.
#include "bilanx/timer.h"

#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/range.h"
#include "base/want.h"
#include "core/clock/clock.h"
#include "core/timer/loop.h"
#include "core/timer/measure.h"
#include "core/timer/reference.h"
#include "core/timer/timer_rigorous.h"

struct run {
    const struct bilanx_timer *timer;
    struct stepper *stepper;
    const struct clock *clock;
    struct epoch_watch *watch;  // NULL: not an epoch
};

static uint64_t decide(void *context, const struct batch *last)
{
    struct run *run = context;
    if (last && run->stepper->stage == STEPPER_MEASURE && run->timer->callback)
        run->timer->callback(run->timer->callback_context, last->n, last->ns / 1e9);
    return run->watch ? epoch_next(run->watch, run->clock, run->stepper, last)
                      : stepper_next(run->stepper, last);
}

static void step_through(const struct bilanx_timer *timer, const struct clock *clock,
                         struct stepper *stepper, struct epoch_watch *watch)
{
    struct run run = {timer, stepper, clock, watch};
    struct loop loop = {
        .clock = clock, .decide = decide, .context = &run, .method = stepper->options.method};
    for (uint64_t n; (n = loop_next(&loop));)
        timer->body(timer->context, n);
}

static struct bilanx_error check(const struct bilanx_timer *timer,
                                 const struct measure_options *options, const void *out)
{
    WANT(timer);
    WANT(out);
    if (!timer->body)
        return bilanx_error_make(BILANX_E_USAGE, "a timer needs a body to measure");
    const double given[] = {options->min_run_time, options->max_run_time, options->threshold};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!(given[i] >= 0 && given[i] <= 1e9))  // nobody waits for thirty years
            return bilanx_error_make(BILANX_E_USAGE, "%g: a time or threshold must be at least 0",
                                     given[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error measure(const struct bilanx_timer *timer,
                                   const struct measure_options *options, struct bilanx_timing *out)
{
    BILANX_TRY(check(timer, options, out));
    struct clock clock;
    struct clock_quality quality;
    clock_open(&clock);
    clock_measure(&clock, &quality);
    struct stepper_options plan;
    measure_plan(options, quality.cost_ns, &plan);
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &plan);
    step_through(timer, &clock, &stepper, NULL);
    measure_result(&stepper, quality.cost_ns, out);
    struct reference reference = reference_measure(&clock);
    out->overhead = reference.empty_loop_ns / 1e9;
    out->reference = reference.kernel_ns / 1e9;
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_repeat(const struct bilanx_timer *timer, uint64_t repeats,
                                  uint64_t number, struct bilanx_timing *out)
{
    if (!range_holds(&range_repeats, (double)repeats))
        return bilanx_error_make(BILANX_E_USAGE, "repeats: %s, not %llu", range_repeats.wanted,
                                 (unsigned long long)repeats);
    if (number == 0 || repeats == 0)
        return bilanx_error_make(BILANX_E_USAGE, "timeit needs at least one call and one block");
    return measure(timer, &(struct measure_options){&method_timeit, number, repeats}, out);
}

struct bilanx_error bilanx_timeit(const struct bilanx_timer *timer, uint64_t number,
                                  struct bilanx_timing *out)
{
    return bilanx_repeat(timer, 1, number, out);
}

struct bilanx_error bilanx_blocked_autorange(const struct bilanx_timer *timer, double min_run_time,
                                             struct bilanx_timing *out)
{
    return measure(
        timer, &(struct measure_options){.method = &method_blocked, .min_run_time = min_run_time},
        out);
}

struct bilanx_error bilanx_adaptive_autorange(const struct bilanx_timer *timer, double threshold,
                                              double min_run_time, double max_run_time,
                                              struct bilanx_timing *out)
{
    return measure(timer,
                   &(struct measure_options){.method = &method_adaptive,
                                             .min_run_time = min_run_time,
                                             .max_run_time = max_run_time,
                                             .threshold = threshold},
                   out);
}

struct bilanx_error bilanx_latency(const struct bilanx_timer *timer, double max_run_time,
                                   struct bilanx_timing *out)
{
    return measure(
        timer, &(struct measure_options){.method = &method_latency, .max_run_time = max_run_time},
        out);
}

struct epoch_job {
    const struct bilanx_timer *timer;
    struct rigorous_options options;
    uint64_t number;  // 0: find it
    double batch_ns;
    struct core_floor core;
};

// Sent from an epoch's fork to its parent.
struct report {
    struct epoch_report epoch;
    double batch_ns;
};

static void calibrate(struct epoch_job *job, const struct clock *clock)
{
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &(struct stepper_options){.method = &method_calibrate,
                                                     .target_ns = RIGOROUS_BATCH_NS});
    step_through(job->timer, clock, &stepper, NULL);
    job->number = stepper.n;
    job->batch_ns = stepper.times_ns[0];
}

static int epoch_child(void *context, int in, int out)
{
    (void)in;
    struct epoch_job *job = context;
    struct clock clock;
    clock_open(&clock);
    if (job->number == 0)
        calibrate(job, &clock);
    struct stepper_options plan;
    rigorous_plan_epoch(&job->options, job->number, job->batch_ns, &plan);
    plan.floor = core_floor_get(&job->core);
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &plan);
    struct epoch_watch watch = {0};
    epoch_begin(&watch, &clock, false);
    step_through(job->timer, &clock, &stepper, &watch);
    struct report report = {.batch_ns = job->batch_ns};
    epoch_end(&watch, &clock, &stepper, &report.epoch);
    // Sends the struct itself, in hexadecimal: both ends are the same program.
    const unsigned char *bytes = (const unsigned char *)&report;
    for (size_t i = 0; i < sizeof report; i++)
        dprintf(out, "%02x", bytes[i]);
    dprintf(out, "\n");
    return 0;
}

static bool read_report(const char *line, struct report *out)
{
    unsigned char *bytes = (unsigned char *)out;
    if (strlen(line) != 2 * sizeof *out)
        return false;
    for (size_t i = 0; i < sizeof *out; i++)
        if (sscanf(line + 2 * i, "%2hhx", &bytes[i]) != 1)
            return false;
    return true;
}

// The last output of the epoch is the best hint why it ended.
static struct bilanx_error explain(struct bilanx_error error, const struct process *process)
{
    AUTO(text) struct text last = {0};
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(&process->output));
    if (error.status != BILANX_E_EXITED || lines.count == 0)
        return error;
    text_add_harmless(&last, lines.items[lines.count - 1]);
    return bilanx_error_make(error.status, "%s: %s", error.text, text_get(&last));
}

static uint64_t deadline_of(double timeout)
{
    return timeout > 0 ? monotonic_ns() + (uint64_t)(timeout * 1e9) : UINT64_MAX;
}

static struct bilanx_error fork_epoch(struct epoch_job *job, double timeout, struct report *out)
{
    AUTO(process) struct process process = {0};
    AUTO(text) struct text line = {0};
    BILANX_TRY(process_start(
        &(struct process_options){.body = epoch_child, .context = job, .cpus = 1}, &process));
    struct bilanx_error error = process_receive(&process, deadline_of(timeout), &line);
    if (error.status != BILANX_OK)
        return explain(error, &process);
    if (!read_report(text_get(&line), out))
        return bilanx_error_make(BILANX_E_INPUT, "an epoch's report is incomplete");
    return BILANX_SUCCESS;
}

static struct bilanx_error collect(struct epoch_job *job, double timeout, struct collection *epochs)
{
    while (!epochs->done) {
        struct report report;
        BILANX_TRY(fork_epoch(job, timeout, &report));
        job->number = report.epoch.number;
        job->batch_ns = report.batch_ns;
        collection_add(epochs, &report.epoch, &job->options);
    }
    core_floor_save(&job->core);
    return BILANX_SUCCESS;
}

struct bilanx_error timer_rigorous(const struct bilanx_timer *timer,
                                   const struct timer_limits *limits, struct bilanx_timing *out,
                                   struct core_outcome *outcome)
{
    double max_run_time = limits->max_run_time;
    BILANX_TRY(check(timer, &(struct measure_options){.max_run_time = max_run_time}, out));
    struct epoch_job job = {.timer = timer, .options = {.max_run_ns = max_run_time * 1e9}};
    struct collection epochs = {.core = &job.core,
                                .core_wait_ns = max_run_time > 0 ? max_run_time * 1e9 : 1e9};
    core_floor_load(&job.core);
    struct bilanx_error error = collect(&job, limits->timeout, &epochs);
    if (error.status == BILANX_OK ||
        (error.status == BILANX_E_INTERRUPTED && collection_count(&epochs) > 0))
        collection_take(&epochs, out, outcome);
    collection_done(&epochs);
    return error;
}

struct bilanx_error bilanx_rigorous(const struct bilanx_timer *timer, double max_run_time,
                                    struct bilanx_timing *out)
{
    WANT(out);
    struct core_outcome unused;
    struct bilanx_timing timing = {0};
    struct bilanx_error error = timer_rigorous(
        timer, &(struct timer_limits){.max_run_time = max_run_time}, &timing, &unused);
    if (error.status == BILANX_OK)
        *out = timing;
    else
        bilanx_timing_done(&timing);
    return error;
}
