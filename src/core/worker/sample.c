// sample: runs batches, most of them with a sampler around them.
//
// One batch in four is not sampled: the difference is what sampling costs.
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/timer/loop.h"
#include "core/worker/ticks.h"

enum {
    USUAL_RATE = 499,
    USUAL_STACK_BYTES = 32 << 10,
    MOST_TIMES = 1000,
    UNSAMPLED_IN = 4,
    MOST_STARTS = 10
};

static const struct method method_sample = {.name = "sample", .cpu_per_batch = true};

static const struct sampler *const samplers[] = {&sampler_perf, &sampler_signals};

static const struct sampler *sampler_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof samplers / sizeof *samplers; i++)
        if (strcmp(samplers[i]->name, name) == 0)
            return samplers[i];
    return NULL;
}

void sample_end(struct server *server)
{
    struct sampling *sampling = &server->sampling;
    if (sampling->sampler)
        sampling->sampler->close(sampling->state);
    free(sampling->times_ns[0]);
    free(sampling->times_ns[1]);
    *sampling = (struct sampling){0};
}

static void end(struct server *server)
{
    server->loop->around = NULL;
    sample_end(server);
}

// The body's own function, and our functions that it calls: frames above the former, and in the
// latter, do not belong to the case.
static void add_places(const struct server *server, struct text *out)
{
    const void *ours[] = {(const void *)(uintptr_t)loop_next, (const void *)(uintptr_t)loop_stage,
                          (const void *)(uintptr_t)loop_resume,
                          (const void *)(uintptr_t)loop_pause};
    AUTO(text) struct text places = {0};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        text_format(&places, "%s%llu", i ? "," : "", (unsigned long long)(uintptr_t)ours[i]);
    for (harness_function *const *its = server->harness; its && *its; its++)
        text_format(&places, ",%llu", (unsigned long long)(uintptr_t)*its);
    message_add(out, "harness", text_get(&places));
    if (server->body)
        message_add_count(out, "body", (uintptr_t)server->body);
    message_add_count(out, "process", (uint64_t)getpid());
}

static void start(void *context)
{
    struct sampling *sampling = context;
    sampling->starts++;
    sampling->sampler->start(sampling->state);
}

static void stop(void *context)
{
    struct sampling *sampling = context;
    sampling->sampler->stop(sampling->state);
}

struct bilanx_error watch_plan(struct server *server, const struct message *request,
                               struct stepper_options *out)
{
    struct sampler_options options = {.rate = USUAL_RATE,
                                      .stack_bytes = USUAL_STACK_BYTES,
                                      .memory = message_text(request, "memory"),
                                      .stack_end = server->stack_end,
                                      .language = server->subject->language};
    const char *name = message_text(request, "sampler");
    const struct sampler *sampler = sampler_find(name);
    end(server);
    *out = (struct stepper_options){.method = &method_calibrate};
    BILANX_TRY(message_count(request, "rate", &options.rate));
    BILANX_TRY(message_count(request, "stack_bytes", &options.stack_bytes));
    if (!sampler)
        return bilanx_error_make(BILANX_E_INPUT, "unknown sampler '%s'", name ? name : "");
    if (options.rate == 0 || options.rate > 1000000000u || options.stack_bytes % 8)
        return bilanx_error_make(BILANX_E_INPUT, "not a rate, or not a size of a stack");
    text_clear(&server->watched);
    BILANX_TRY(sampler->open(&options, &server->sampling.state, &server->watched));
    server->sampling.sampler = sampler;
    server->sampling.rate = options.rate;
    server->sampling.meter = (struct loop_meter){start, stop, &server->sampling};
    return BILANX_SUCCESS;
}

uint64_t watch_next(struct server *server, const struct batch *last)
{
    (void)server, (void)last;
    return 0;
}

void watch_answer(struct server *server, struct text *out)
{
    message_begin(out, "watched");
    text_add(out, text_get(&server->watched));
    add_places(server, out);
}

struct bilanx_error sample_plan(struct server *server, const struct message *request,
                                struct stepper_options *out)
{
    struct sampling *sampling = &server->sampling;
    uint64_t earlier = 0;
    *out = (struct stepper_options){.method = &method_sample};
    if (!sampling->sampler)
        return bilanx_error_make(BILANX_E_INPUT, "nothing to sample with: 'watch' comes first");
    sampling->number = 1;
    BILANX_TRY(message_count(request, "number", &sampling->number));
    BILANX_TRY(message_number(request, "duration_ns", &sampling->duration_ns));
    BILANX_TRY(message_count(request, "earlier", &earlier));
    for (size_t i = 0; i < 2; i++)
        sampling->evens[i] = even_after(earlier, i ? EVEN_STEP_2 : EVEN_STEP);
    if (sampling->number == 0)
        return bilanx_error_make(BILANX_E_INPUT, "batches of no calls");
    return BILANX_SUCCESS;
}

static void keep(struct sampling *sampling, const struct batch *last)
{
    size_t *count = &sampling->counts[sampling->on];
    if (*count < MOST_TIMES) {
        mem_grow(sampling->times_ns[sampling->on], *count, &sampling->rooms[sampling->on]);
        sampling->times_ns[sampling->on][(*count)++] = last->cpu_ns;
    }
    if (!sampling->on)
        return;
    sampling->sampled_ns += last->ns;
    sampling->cpu_ns += last->cpu_ns;
    sampling->calls += last->n;
}

// A preemption during calibration makes batches too short to compare.
static void grow(struct sampling *sampling, const struct batch *last)
{
    static const double SHORT_CPU_NS = 5e6, LONG_NS = 20e6;
    if (last->cpu_ns >= SHORT_CPU_NS || last->ns >= LONG_NS || sampling->number > UINT64_MAX / 4)
        return;
    sampling->number *= 2;
    sampling->counts[0] = sampling->counts[1] = 0;
}

// On a busy machine a loop gets only part of the time, so it takes longer to get as many samples.
static bool is_enough(const struct sampling *sampling)
{
    enum { PATIENCE = 3 };
    return sampling->sampled_ns >= PATIENCE * sampling->duration_ns ||
           (sampling->sampled_ns >= sampling->duration_ns &&
            sampling->cpu_ns >= sampling->duration_ns);
}

// At a fixed period, a loop that takes a multiple of it would be sampled at the same few places
// again and again. So each batch has its own period, and begins somewhere in the middle of it.
static void vary_period(struct sampling *sampling, const struct batch *last)
{
    const struct sampler *sampler = sampling->sampler;
    double rate = (double)sampling->rate * (0.75 + 0.5 * even_next(&sampling->evens[0], EVEN_STEP));
    double period_ns = 1e9 / rate, passed = even_next(&sampling->evens[1], EVEN_STEP_2);
    if (period_ns > last->cpu_ns || !sampler->retime(sampling->state, (uint64_t)period_ns))
        return;
    uint64_t until_ns = ticks_thread_ns() + (uint64_t)(passed * period_ns);
    sampler->start(sampling->state);
    while (ticks_thread_ns() < until_ns)
        ;
    sampler->stop(sampling->state);
}

uint64_t sample_next(struct server *server, const struct batch *last)
{
    struct sampling *sampling = &server->sampling;
    if (last) {
        keep(sampling, last);
        grow(sampling, last);
    }
    sampling->paused = sampling->sampler->switches_slowly && sampling->starts > MOST_STARTS;
    if (last && (is_enough(sampling) || sampling->paused))
        return 0;
    sampling->on = ++sampling->batches % UNSAMPLED_IN != 0;
    sampling->starts = 0;
    if (sampling->sampler->prepare)
        sampling->sampler->prepare(sampling->state, sampling->on);
    if (last && sampling->on)
        vary_period(sampling, last);
    server->loop->around = sampling->on ? &sampling->meter : NULL;
    return sampling->number;
}

void sample_answer(struct server *server, struct text *out)
{
    struct sampling *sampling = &server->sampling;
    message_begin(out, "sampled");
    message_add_count(out, "calls", sampling->calls);
    message_add_count(out, "paused", sampling->paused);
    message_add_number(out, "cpu_ns", sampling->cpu_ns);
    message_add_numbers(out, "with", sampling->times_ns[true], sampling->counts[true]);
    message_add_numbers(out, "without", sampling->times_ns[false], sampling->counts[false]);
    end(server);
}
