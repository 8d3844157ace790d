// ops_measure: all samples of a plan, one after another.
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/monotonic.h"
#include "compile_ahead.h"
#include "measure_sample.h"

static double since(uint64_t started_ns)
{
    return (double)(monotonic_ns() - started_ns) / 1e9;
}

static struct bilanx_error measure_operator(struct ops_turns *turns, struct ops_operator *of)
{
    const struct ops_observer *observer = turns->observer;
    double budget_s = turns->hosts->ops->options.budget_s;
    uint64_t started_ns = monotonic_ns();
    for (size_t i = 0; i < of->sample_count; i++) {
        struct ops_sample *sample = &of->samples[i];
        if (sample->finished)
            continue;
        if (budget_s > 0 && i > 0 && since(started_ns) > budget_s)
            break;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (observer->working)
            observer->working(observer->context, of, sample);
        BILANX_TRY(ops_compile_ahead(turns->hosts, of, sample));
        BILANX_TRY(ops_measure_sample(turns, of, sample));
        if (observer->sample)
            observer->sample(observer->context, of, sample);
    }
    of->elapsed_s = since(started_ns);
    if (observer->finished)
        observer->finished(observer->context, of);
    return BILANX_SUCCESS;
}

struct bilanx_error ops_measure(struct ops *ops, struct ops_hosts *hosts,
                                const struct ops_observer *observer)
{
    struct ops_turns turns = {.hosts = hosts, .observer = observer};
    uint64_t seed = ops->options.order_seed ? ops->options.order_seed : random_fresh_seed();
    random_init(&turns.random, seed);
    core_floor_load(&turns.core);
    struct bilanx_error error = BILANX_SUCCESS;
    for (size_t i = 0; i < ops->operator_count && error.status == BILANX_OK; i++)
        if (!ops->operators[i].skipped)
            error = measure_operator(&turns, &ops->operators[i]);
    core_floor_save(&turns.core);
    return error;
}

struct bilanx_error ops_code(const struct ops_operator *of, const struct ops_sample *sample,
                             struct ops_hosts *hosts, size_t backend, char **out)
{
    size_t host = hosts->ops->backends.items[backend].host;
    AUTO(message) struct message answer = {0};
    BILANX_TRY(host_open_empty(hosts, host, of->logged->name, sample->logged->arguments));
    struct bilanx_error error = host_ask(hosts, backend, "code", "", "written", &answer);
    if (error.status == BILANX_OK)
        *out = mem_text(message_text(&answer, "code"));
    host_close(hosts, host);
    return error;
}

struct bilanx_error ops_survey(struct ops *ops, struct ops_hosts *hosts)
{
    for (size_t i = 0; i < ops->operator_count; i++) {
        struct ops_operator *of = &ops->operators[i];
        if (of->sample_count == 0)
            continue;
        struct ops_sample *sample = &of->samples[0];
        for (size_t host = 0; host < hosts->count; host++) {
            struct bilanx_error error =
                host_open_empty(hosts, host, of->logged->name, sample->logged->arguments);
            if (error.status == BILANX_E_INTERRUPTED)
                return error;
        }
        for (size_t b = 0; b < ops->backends.count; b++) {
            if (!hosts->items[ops->backends.items[b].host].is_open)
                continue;
            struct bilanx_error error = host_ask(hosts, b, "supports", "", "supported", NULL);
            struct ops_time *time = &sample->times[b];
            time->state = error.status == BILANX_OK ? OPS_MEASURED : OPS_UNSUPPORTED;
            time->why = error.status == BILANX_OK ? NULL : mem_text(error.text);
        }
        for (size_t host = 0; host < hosts->count; host++)
            host_close(hosts, host);
    }
    return BILANX_SUCCESS;
}
