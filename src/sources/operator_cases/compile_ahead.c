// compile_ahead: makes backends compile the next samples in advance.
//
// Compiling a kernel takes 20 ms, starting a compiler for it 30 ms.
#include "compile_ahead.h"

#include <stdlib.h>

enum { AT_ONCE = 32 };            // samples; more would delay the first result
static const double MOST_S = 10;  // time limit for compiling one

struct upcoming {
    struct ops_sample *samples[AT_ONCE];
    size_t count;
    struct text calls;  // a line with the name and a line with the arguments of each
};

static void upcoming_done(struct upcoming *upcoming)
{
    text_done(&upcoming->calls);
}

SCOPE_VALUE(upcoming, upcoming_done)

static void add(struct upcoming *upcoming, const struct ops_operator *of, struct ops_sample *sample)
{
    text_format(&upcoming->calls, "%s\n%s\n", of->logged->name, sample->logged->arguments);
    upcoming->samples[upcoming->count++] = sample;
    sample->is_compiled = true;
}

// Samples from this one on, in the order in which they will be measured.
static void look_ahead(struct ops *ops, const struct ops_operator *of,
                       const struct ops_sample *sample, struct upcoming *out)
{
    const struct ops_operator *end = ops->operators + ops->operator_count;
    for (size_t from = (size_t)(sample - of->samples); of < end; of++, from = 0)
        for (size_t i = from; !of->skipped && i < of->sample_count && out->count < AT_ONCE; i++)
            if (!of->samples[i].finished && !of->samples[i].is_compiled)
                add(out, of, &of->samples[i]);
}

static struct bilanx_error compile(struct ops_hosts *hosts, size_t backend,
                                   const struct upcoming *upcoming)
{
    AUTO(text) struct text words = {0};
    AUTO(message) struct message answer = {0};
    double each_ns = 0;
    message_add(&words, "calls", text_get(&upcoming->calls));
    hosts->patience_s = MOST_S * (double)upcoming->count;
    BILANX_TRY(host_ask(hosts, backend, "compile", text_get(&words), "compiled", &answer));
    BILANX_TRY(message_number(&answer, "each_ns", &each_ns));
    for (size_t i = 0; i < upcoming->count; i++)
        upcoming->samples[i]->times[backend].ahead_s = each_ns / 1e9;
    return BILANX_SUCCESS;
}

static struct bilanx_error compile_by(struct ops_hosts *hosts, size_t backend,
                                      const struct ops_operator *of,
                                      const struct upcoming *upcoming)
{
    size_t host = hosts->ops->backends.items[backend].host;
    const char *arguments = upcoming->samples[0]->logged->arguments;
    BILANX_TRY(host_open_empty(hosts, host, of->logged->name, arguments));
    struct bilanx_error error = compile(hosts, backend, upcoming);
    host_close(hosts, host);
    return error;
}

struct bilanx_error ops_compile_ahead(struct ops_hosts *hosts, const struct ops_operator *of,
                                      struct ops_sample *sample)
{
    const struct ops_backends *backends = &hosts->ops->backends;
    AUTO(upcoming) struct upcoming upcoming = {0};
    if (sample->is_compiled)
        return BILANX_SUCCESS;
    look_ahead(hosts->ops, of, sample, &upcoming);
    for (size_t i = 0; i < backends->count; i++) {
        if (!backends->items[i].compiles)
            continue;
        struct bilanx_error error = compile_by(hosts, i, of, &upcoming);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
    }
    return BILANX_SUCCESS;
}
