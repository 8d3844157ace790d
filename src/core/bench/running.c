// running: a case while it runs, and the functions its body may call.
#include "running.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/worker/pages.h"
#include "core/worker/shift.h"
#include "crew.h"

struct bilanx_bench {
    const struct bench_case *item;
    void (*body)(struct bilanx_bench *b);
    struct server *server;
    struct crew *crew;  // NULL: a single thread
    struct crew_seat seat;
    struct loop loop;
    bool ended;    // there will be no more batches
    bool staged;   // inside BILANX_BATCHES
    bool stopped;  // its BILANX_TIMED has ended
    uint64_t iterations, pauses;
    struct bench_result result;
};

static void end_with(struct bilanx_bench *b, enum bilanx_status status, const char *reason)
{
    b->ended = true;
    if (b->crew)
        crew_fail(b->crew, status, reason);
    else
        server_fail(b->server, status, reason);
}

// A few calls may report zero manual time. But if a million do, the search for a batch size would
// never end.
static void check_manual_time(struct bilanx_bench *b)
{
    enum { MANY_CALLS = 1000000 };
    double ns = b->loop.manual_ns;
    if (b->ended || !b->loop.manual || b->loop.n == 0)
        return;
    if (!(ns >= 0 && ns < 1e18))
        end_with(b, BILANX_E_FAILED, "its bilanx_manual_time is not a valid time");
    else if (ns == 0 && b->loop.n >= MANY_CALLS)
        end_with(b, BILANX_E_FAILED,
                 "according to its bilanx_manual_time, a million calls take no time");
}

uint64_t bilanx_bench_next(struct bilanx_bench *b, uint64_t left)
{
    if (left != 0 && !b->ended)
        end_with(b, BILANX_E_FAILED, "a break left BILANX_LOOP early, so its time is meaningless");
    check_manual_time(b);
    if (b->ended)
        return 0;
    uint64_t n = loop_next(&b->loop);
    b->iterations += n;
    b->ended = n == 0;
    return n;
}

uint64_t bilanx_bench_stage(struct bilanx_bench *b)
{
    if (b->staged && !b->stopped && !b->ended)
        end_with(b, BILANX_E_FAILED, "an iteration of BILANX_BATCHES has no complete BILANX_TIMED");
    check_manual_time(b);
    if (b->ended)
        return 0;
    uint64_t n = loop_stage(&b->loop);
    b->iterations += n;
    b->ended = n == 0;
    b->staged = true;
    b->stopped = false;
    return n;
}

uint64_t bilanx_bench_start(struct bilanx_bench *b)
{
    if (b->ended)
        return 0;
    uint64_t n = b->loop.n;
    loop_resume(&b->loop);
    return n;
}

uint64_t bilanx_bench_stop(struct bilanx_bench *b)
{
    if (b->loop.timing)
        loop_pause(&b->loop);
    b->stopped = true;
    return 0;
}

uint64_t bilanx_batch_size(const struct bilanx_bench *b)
{
    return b->loop.n;
}

void bilanx_pause(struct bilanx_bench *b)
{
    if (!b->loop.timing)
        return;
    loop_pause(&b->loop);
    b->pauses++;
}

void bilanx_resume(struct bilanx_bench *b)
{
    if (!b->loop.timing && !b->ended)
        loop_resume(&b->loop);
}

void bilanx_manual_time(struct bilanx_bench *b, double seconds)
{
    b->loop.manual = true;
    b->loop.manual_ns += seconds * 1e9;
}

static int64_t no_such_argument(struct bilanx_bench *b, const char *wanted)
{
    char reason[200], has[60] = "has no argument of that name";
    size_t count = bench_arg_count(b->item->definition);
    if (count == 0)
        snprintf(has, sizeof has, "has no arguments");
    else if (wanted[0] != '\'' && count == 1)
        snprintf(has, sizeof has, "its only argument is number 0");
    else if (wanted[0] != '\'')
        snprintf(has, sizeof has, "its arguments are numbers 0 to %zu", count - 1);
    snprintf(reason, sizeof reason, "it asked for argument %s, but %s", wanted, has);
    end_with(b, BILANX_E_FAILED, reason);
    return 0;
}

int64_t bilanx_arg(struct bilanx_bench *b, size_t index)
{
    if (index < bench_arg_count(b->item->definition))
        return b->item->args[index];
    char wanted[24];
    snprintf(wanted, sizeof wanted, "%zu", index);
    return no_such_argument(b, wanted);
}

int64_t bilanx_arg_named(struct bilanx_bench *b, const char *name)
{
    const struct bilanx_definition *d = b->item->definition;
    for (size_t i = 0; i < bench_arg_count(d); i++)
        if (text_equal(bench_arg_name(d, i), name))
            return b->item->args[i];
    char wanted[80];
    snprintf(wanted, sizeof wanted, "'%.60s'", name);
    return no_such_argument(b, wanted);
}

void bilanx_bytes(struct bilanx_bench *b, double per_iteration)
{
    b->result.bytes = per_iteration;
}

void bilanx_items(struct bilanx_bench *b, double per_iteration)
{
    b->result.items = per_iteration;
}

static void add_counter(struct bench_result *result, const struct bench_counter *counter, bool sum)
{
    size_t i = 0;
    while (i < result->counter_count && strcmp(result->counters[i].name, counter->name) != 0)
        i++;
    if (i == sizeof result->counters / sizeof *result->counters)
        return;
    if (i == result->counter_count) {
        result->counters[result->counter_count++] = *counter;
        return;
    }
    result->counters[i].value = counter->value + (sum ? result->counters[i].value : 0);
}

static void set_counter(struct bilanx_bench *b, const char *name, double value, bool is_rate)
{
    struct bench_counter counter = {.value = value, .is_rate = is_rate};
    snprintf(counter.name, sizeof counter.name, "%s", name);
    add_counter(&b->result, &counter, false);
}

void bilanx_counter(struct bilanx_bench *b, const char *name, double value)
{
    set_counter(b, name, value, false);
}

void bilanx_rate(struct bilanx_bench *b, const char *name, double per_iteration)
{
    set_counter(b, name, per_iteration, true);
}

void bilanx_remark(struct bilanx_bench *b, const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(b->result.remark, sizeof b->result.remark, text, arguments);
    va_end(arguments);
}

void *bilanx_context(struct bilanx_bench *b)
{
    return b->item->bench->context;
}

static void end_formatted(struct bilanx_bench *b, enum bilanx_status status, const char *format,
                          va_list arguments)
{
    char reason[300];
    vsnprintf(reason, sizeof reason, format, arguments);
    end_with(b, status, reason);
}

void bilanx_skip(struct bilanx_bench *b, const char *reason, ...)
{
    va_list arguments;
    va_start(arguments, reason);
    end_formatted(b, BILANX_E_SKIPPED, reason, arguments);
    va_end(arguments);
}

void bilanx_fail(struct bilanx_bench *b, const char *reason, ...)
{
    va_list arguments;
    va_start(arguments, reason);
    end_formatted(b, BILANX_E_FAILED, reason, arguments);
    va_end(arguments);
}

unsigned bilanx_thread_index(const struct bilanx_bench *b)
{
    return b->seat.index;
}

unsigned bilanx_thread_count(const struct bilanx_bench *b)
{
    return b->item->threads;
}

static void call_body(void *context)
{
    struct bilanx_bench *b = context;
    b->body(b);
}

static const char left_early[] = "one of its threads left the loop before the others";

static void *follow(void *argument)
{
    struct bilanx_bench *b = argument;
    b->body(b);
    if (!b->seat.dismissed)
        crew_fail(b->crew, BILANX_E_FAILED, left_early);
    // If the body returns early, the other threads still wait for this one: take part until all are
    // dismissed.
    while (!b->seat.dismissed)
        crew_follow(&b->seat, NULL);
    return NULL;
}

static void add_results(struct bilanx_bench *benches, unsigned threads, struct bench_result *out)
{
    *out = (struct bench_result){0};
    for (unsigned i = 0; i < threads; i++) {
        const struct bench_result *result = &benches[i].result;
        out->bytes += result->bytes;
        out->items += result->items;
        for (size_t j = 0; j < result->counter_count; j++)
            add_counter(out, &result->counters[j], true);
        if (!out->remark[0])
            memcpy(out->remark, result->remark, sizeof out->remark);
    }
    const struct bilanx_bench *b = &benches[0];
    if (b->iterations)
        out->pauses_per_iteration = (double)b->pauses / (double)b->iterations;
    out->pause_cost_ns = b->server->quality.cost_ns;
}

static void run_crew(struct bilanx_bench *benches, unsigned threads, uint64_t seed)
{
    pthread_t *ids = calloc(threads, sizeof *ids);
    struct crew *crew = benches[0].crew;
    unsigned started = 1;
    while (ids && started < threads &&
           pthread_create(&ids[started], NULL, follow, &benches[started]) == 0)
        started++;
    if (started < threads) {
        crew->size = started;
        crew_fail(crew, BILANX_E_FAILED, "cannot start that many threads");
    }
    shift_call(seed, call_body, &benches[0]);
    if (!benches[0].seat.dismissed) {
        crew_fail(crew, BILANX_E_FAILED, left_early);
        crew_lead(&benches[0].seat, NULL);
    }
    for (unsigned i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
    free(ids);
}

// Like BILANX_LOOP around a body too long to be unrolled.
static void empty_body(struct bilanx_bench *b)
{
    for (uint64_t left = 0; (left = bilanx_bench_next(b, left)) != 0;)
        BILANX_ROLLED_ for (; left != 0; left--) __asm__ volatile("");
}

// Covers the whole program, because we cannot know which of its functions the body will call.
static enum pages draw_pages(void)
{
    enum { MOST_BYTES = 64 << 20 };
    return pages_draw_object(&(struct pages_part){.address = (const void *)(uintptr_t)draw_pages,
                                                  .most_bytes = MOST_BYTES});
}

// What a body calls for its loop, and the clock.
static harness_function *const harness[] = {(harness_function *)bilanx_bench_next,
                                            (harness_function *)bilanx_bench_stage,
                                            (harness_function *)bilanx_bench_start,
                                            (harness_function *)bilanx_bench_stop,
                                            (harness_function *)bilanx_pause,
                                            (harness_function *)bilanx_resume,
                                            NULL};

void bench_run_case(const struct bench_run *run, struct server *server, struct bench_result *out)
{
    const struct bench_case *item = run->item;
    unsigned threads = item->threads;
    struct bilanx_bench *benches = calloc(threads, sizeof *benches);
    struct crew crew;
    if (!benches) {
        server_fail(server, BILANX_E_FAILED, "out of memory for its threads");
        return;
    }
    crew_init(&crew, threads, server);
    for (unsigned i = 0; i < threads; i++) {
        struct bilanx_bench *b = &benches[i];
        *b = (struct bilanx_bench){.item = item,
                                   .body = run->barrier ? empty_body : item->bench->body,
                                   .server = server,
                                   .crew = threads > 1 ? &crew : NULL,
                                   .seat = {.crew = &crew, .loop = &b->loop, .index = i}};
        b->loop = (struct loop){.clock = &server->clock,
                                .decide = i == 0 ? crew_lead : crew_follow,
                                .context = &b->seat};
    }
    server->loop = &benches[0].loop;
    server->body = (const void *)(uintptr_t)benches[0].body;
    server->harness = harness;
    if (!run->keep_pages)
        server->pages = draw_pages();
    if (threads > 1) {
        run_crew(benches, threads, run->seed);
    } else {
        benches[0].loop.decide = server_decide;
        benches[0].loop.context = server;
        shift_call(run->seed, call_body, &benches[0]);
    }
    add_results(benches, threads, out);
    crew_done(&crew);
    free(benches);
}
