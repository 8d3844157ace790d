// sample_case: samples the loop of a case.
//
// The worker opens the case, as for timing, but keeps its pages: code on pages of its own has no
// file in which to find its name. The kernel samples if it may; the frames of Python can only be
// read by the process itself.
#include "sampling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "assembly.h"
#include "base/mem.h"
#include "core/run/session.h"
#include "gathering.h"
#include "remarks.h"

static const double USUAL_DURATION_S = 5, BATCH_NS = 10e6;
static const double SHORTEST_NS = 5e5;  // of CPU time in a batch, to tell what sampling costs
enum { USUAL_RATE = 499, USUAL_STACK_BYTES = 32 << 10 };

struct case_sampling {
    const struct run_case *item;
    struct sampling_options options;
    struct stacks *stacks;
    struct client *client;
    uint64_t number;  // calls per batch
    bool by_signals;
    struct bilanx_error refusal;  // why the kernel does not sample
    bool paused;                  // the body pauses its clock too often for the kernel
    struct sample_mapping mapping;
    struct gathering gathering;
    struct assembly assembly;
    struct sample_events events;
    struct message watched;
    struct gathering_losses losses;
    double overhead;
    double cpu_s;  // of sampled batches, with their pauses
};

static void case_sampling_done(struct case_sampling *sampling)
{
    gathering_done(&sampling->gathering);
    sample_mapping_done(&sampling->mapping);
    assembly_done(&sampling->assembly);
    message_done(&sampling->watched);
}
SCOPE_VALUE(case_sampling, case_sampling_done)

static struct bilanx_error open_case(const struct case_sampling *sampling,
                                     const struct session *session)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "open");
    text_add(&request, sampling->item->open);
    message_add(&request, "pages", "keep");
    message_add_count(&request, "seed", 1);
    session_add_words(session, &request);
    message_end(&request);
    return client_ask(sampling->client, &request, "opened", &answer);
}

static struct bilanx_error calibrate(struct case_sampling *sampling)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "calibrate");
    message_add_number(&request, "target_ns", BATCH_NS);
    message_end(&request);
    BILANX_TRY(client_ask(sampling->client, &request, "calibrated", &answer));
    return message_count(&answer, "number", &sampling->number);
}

static struct bilanx_error ask_to_watch(struct case_sampling *sampling)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, "watch");
    message_add(&request, "sampler", sampling->by_signals ? "signals" : "perf");
    message_add_count(&request, "rate", sampling->options.rate);
    message_add_count(&request, "stack_bytes", sampling->options.stack_bytes);
    if (sampling->by_signals) {
        BILANX_TRY(sample_mapping_init(&sampling->mapping));
        message_add(&request, "memory", sampling->mapping.path);
    }
    message_end(&request);
    message_done(&sampling->watched);
    sampling->watched = (struct message){0};
    return client_ask(sampling->client, &request, "watched", &sampling->watched);
}

// The worker's events, as descriptors of this process.
static struct bilanx_error take_rings(struct case_sampling *sampling, pid_t process)
{
    const char *at = message_text(&sampling->watched, "rings");
    AUTO(fd) int pidfd = (int)syscall(SYS_pidfd_open, process, 0);
    if (!at || pidfd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot reach the worker's samples: %s",
                                 strerror(errno));
    for (char *end; *at; at = *end ? end + 1 : end) {
        int fd = (int)syscall(SYS_pidfd_getfd, pidfd, (int)strtol(at, &end, 10), 0);
        if (fd < 0 || end == at)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot reach the worker's samples: %s",
                                     strerror(errno));
        BILANX_TRY(gathering_add(&sampling->gathering, fd));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_places(const struct message *watched, uint64_t **places,
                                       size_t *count)
{
    AUTO(memory) double *numbers = NULL;
    BILANX_TRY(message_numbers(watched, "harness", &numbers, count));
    *places = mem_array(uint64_t, *count + 1);
    for (size_t i = 0; i < *count; i++)
        (*places)[i] = (uint64_t)numbers[i];
    return BILANX_SUCCESS;
}

static struct bilanx_error watch(struct case_sampling *sampling, pid_t *process)
{
    uint64_t number = 0;
    BILANX_TRY(ask_to_watch(sampling));
    BILANX_TRY(message_count(&sampling->watched, "process", &number));
    *process = (pid_t)number;
    sampling->gathering.mapping = sampling->by_signals ? &sampling->mapping : NULL;
    return sampling->by_signals ? BILANX_SUCCESS : take_rings(sampling, *process);
}

// Without the right to use the kernel's sampler, the worker samples itself.
static struct bilanx_error watch_somehow(struct case_sampling *sampling, pid_t *process)
{
    sampling->by_signals =
        sampling->options.by_signals || text_equal(sampling->item->task.language, "python");
    if (!sampling->by_signals) {
        struct bilanx_error error = watch(sampling, process);
        if (error.status != BILANX_E_SYSTEM)
            return error;
        gathering_done(&sampling->gathering);
        sampling->refusal = error;
        sampling->by_signals = true;
    }
    return watch(sampling, process);
}

// Batches with and without samples took turns.
static struct bilanx_error read_sampled(struct case_sampling *sampling,
                                        const struct message *sampled)
{
    AUTO(memory) double *with = NULL;
    AUTO(memory) double *without = NULL;
    size_t with_count = 0, without_count = 0;
    double calls = 0, cpu_ns = 0;
    BILANX_TRY(message_numbers(sampled, "with", &with, &with_count));
    BILANX_TRY(message_numbers(sampled, "without", &without, &without_count));
    BILANX_TRY(message_number(sampled, "calls", &calls));
    BILANX_TRY(message_number(sampled, "cpu_ns", &cpu_ns));
    sampling->overhead = remarks_overhead(with, with_count, without, without_count, SHORTEST_NS);
    sampling->stacks->calls += calls;
    sampling->cpu_s = cpu_ns / 1e9;
    return BILANX_SUCCESS;
}

static struct bilanx_error ask_to_sample(struct case_sampling *sampling)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "sample");
    message_add_count(&request, "number", sampling->number);
    message_add_number(&request, "duration_ns", sampling->options.duration_s * 1e9);
    message_end(&request);
    BILANX_TRY(client_ask(sampling->client, &request, "sampled", &answer));
    sampling->paused = text_equal(message_text(&answer, "paused"), "1");
    return sampling->paused ? BILANX_SUCCESS : read_sampled(sampling, &answer);
}

static void add_remarks(const struct case_sampling *sampling)
{
    const struct message *watched = &sampling->watched;
    struct remarks_facts facts = {.rate = (double)sampling->options.rate,
                                  .ticks = message_text(watched, "ticks"),
                                  .kernel = text_equal(message_text(watched, "kernel"), "1"),
                                  .by_signals = sampling->by_signals,
                                  .losses = sampling->losses,
                                  .overhead = sampling->overhead,
                                  .why = sampling->refusal.status ? sampling->refusal.text : NULL,
                                  .unknown = message_text(watched, "unknown"),
                                  .language = "Python"};
    if (message_number(watched, "rate", &facts.rate).status != BILANX_OK)
        return;
    bool by_time = !text_equal(facts.ticks, "cycles");
    sampling->stacks->seconds +=
        by_time ? sampling->assembly.samples / facts.rate : sampling->cpu_s;
    sampling->stacks->lost += sampling->losses.lost;
    remarks_add(sampling->stacks, &sampling->assembly, &facts);
}

// Watches the open case and samples it. Takes what there is even if it failed.
static struct bilanx_error sample_open_case(struct case_sampling *sampling)
{
    AUTO(memory) uint64_t *harness = NULL;
    pid_t process = 0;
    struct assembly_options options = {.name = sampling->item->name,
                                       .threads_apart = sampling->options.threads_apart};
    BILANX_TRY(watch_somehow(sampling, &process));
    BILANX_TRY(read_places(&sampling->watched, &harness, &options.harness_count));
    BILANX_TRY(message_count(&sampling->watched, "body", &options.body));
    options.harness = harness;
    options.process = process;
    assembly_done(&sampling->assembly);
    assembly_init(&sampling->assembly, &options, sampling->stacks);
    assembly_look(&sampling->assembly, process);
    sampling->events = assembly_events(&sampling->assembly);
    BILANX_TRY(gathering_start(&sampling->gathering, &sampling->events));
    struct bilanx_error error = ask_to_sample(sampling);
    assembly_look(&sampling->assembly, process);  // libraries and threads may have been added
    if (sampling->paused)
        gathering_done(&sampling->gathering);
    else
        gathering_stop(&sampling->gathering, &sampling->losses);
    return error;
}

static struct bilanx_error close_case(struct client *client)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message closed = {0};
    message_begin(&request, "close");
    message_end(&request);
    return client_ask(client, &request, "closed", &closed);
}

static struct bilanx_error converse(struct case_sampling *sampling, const struct session *session)
{
    sampling->client = session->client;
    BILANX_TRY(open_case(sampling, session));
    BILANX_TRY(calibrate(sampling));
    BILANX_TRY(sample_open_case(sampling));
    if (sampling->paused) {
        sampling->options.by_signals = true;
        BILANX_TRY(sample_open_case(sampling));
    }
    return close_case(sampling->client);
}

static struct bilanx_error conclude(const struct case_sampling *sampling,
                                    const struct bilanx_error *error)
{
    bool interrupted = error->status == BILANX_E_INTERRUPTED;
    if (error->status != BILANX_OK && !interrupted)
        return bilanx_error_make(error->status, "%s: %s", sampling->item->name, error->text);
    if (sampling->assembly.samples > 0)
        add_remarks(sampling);
    else if (!interrupted)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "%s: not a single sample in %.2g s of CPU time: it hardly uses "
                                 "the processor; raise --duration or --rate",
                                 sampling->item->name, sampling->cpu_s);
    return *error;
}

struct bilanx_error sampling_case(const struct run_case *item,
                                  const struct sampling_options *options, struct stacks *stacks)
{
    AUTO(case_sampling) struct case_sampling sampling = {
        .item = item, .options = *options, .stacks = stacks, .overhead = NAN};
    struct sampling_options *mine = &sampling.options;
    mine->duration_s = mine->duration_s > 0 ? mine->duration_s : USUAL_DURATION_S;
    mine->rate = mine->rate ? mine->rate : USUAL_RATE;
    mine->stack_bytes = mine->stack_bytes ? mine->stack_bytes : USUAL_STACK_BYTES;
    if (item->failure)
        return bilanx_error_make(BILANX_E_FAILED, "%s: %s", item->name, item->failure->text);
    stacks_set_unit(stacks, "samples");
    struct session_options where =
        session_options_for(item, options->timeout_s, options->max_memory);
    where.timeout_ns += (uint64_t)(5 * mine->duration_s * 1e9);
    struct session session = {0};
    struct bilanx_error error = session_start(item->subject, &where, &session);
    if (error.status == BILANX_OK)
        error = converse(&sampling, &session);
    session_end(&session, &error);
    return conclude(&sampling, &error);
}
