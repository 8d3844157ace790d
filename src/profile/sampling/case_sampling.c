// case_sampling: samples the loop of a case, in one process after the other.
//
// A worker opens the case, as for timing, but keeps its pages: code on pages of its own has no
// file in which to find its name. The kernel samples if it may; the frames of Python can only be
// read by the process itself.
#include "case_sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/monotonic.h"
#include "core/run/session.h"
#include "remarks.h"

static const double USUAL_DURATION_S = 5, BATCH_NS = 10e6;
static const double SHORTEST_NS = 5e5;  // of CPU time in a batch, to tell what sampling costs
enum { USUAL_RATE = 499, USUAL_STACK_BYTES = 32 << 10 };

void case_sampling_done(struct case_sampling *sampling)
{
    gathering_done(&sampling->gathering);
    sample_mapping_done(&sampling->mapping);
    assembly_done(&sampling->assembly);
    message_done(&sampling->watched);
    free(sampling->harness);
    free(sampling->with.items);
    free(sampling->without.items);
}

void case_sampling_init(struct case_sampling *sampling, const struct run_case *item,
                        const struct sampling_options *options, struct images *images,
                        struct stacks *stacks)
{
    *sampling = (struct case_sampling){
        .item = item, .options = *options, .stacks = stacks, .images = images};
    struct sampling_options *mine = &sampling->options;
    mine->duration_s = mine->duration_s > 0 ? mine->duration_s : USUAL_DURATION_S;
    mine->rate = mine->rate ? mine->rate : USUAL_RATE;
    mine->stack_bytes = mine->stack_bytes ? mine->stack_bytes : USUAL_STACK_BYTES;
    sampling->epoch_s = mine->duration_s;
    stacks_set_unit(stacks, "samples");
}

static struct bilanx_error open_case(const struct case_sampling *sampling,
                                     const struct session *session)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "open");
    text_add(&request, sampling->item->open);
    message_add(&request, "pages", "keep");
    message_add_count(&request, "seed", sampling->epochs);
    session_add_words(session, &request);
    message_end(&request);
    return client_ask(sampling->client, &request, "opened", &answer);
}

static struct bilanx_error calibrate(struct case_sampling *sampling)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    if (sampling->number)  // by an earlier process
        return BILANX_SUCCESS;
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
    gathering_done(&sampling->gathering);
    sample_mapping_done(&sampling->mapping);
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
    sampling->by_signals = sampling->options.by_signals || sampling->refusal.status ||
                           text_equal(sampling->item->task.language, "python");
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

static void add_times(struct batch_times *times, const double *added, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mem_grow(times->items, times->count, &times->room);
        times->items[times->count++] = added[i];
    }
}

// Batches with and without samples took turns.
static struct bilanx_error read_sampled(struct case_sampling *sampling,
                                        const struct message *sampled, struct stack_epoch *epoch)
{
    AUTO(memory) double *with = NULL;
    AUTO(memory) double *without = NULL;
    size_t with_count = 0, without_count = 0;
    double calls = 0, cpu_ns = 0;
    BILANX_TRY(message_numbers(sampled, "with", &with, &with_count));
    BILANX_TRY(message_numbers(sampled, "without", &without, &without_count));
    BILANX_TRY(message_number(sampled, "calls", &calls));
    BILANX_TRY(message_number(sampled, "cpu_ns", &cpu_ns));
    add_times(&sampling->with, with, with_count);
    add_times(&sampling->without, without, without_count);
    epoch->calls = calls;
    epoch->seconds = cpu_ns / 1e9;
    return BILANX_SUCCESS;
}

static struct bilanx_error ask_to_sample(struct case_sampling *sampling, struct stack_epoch *epoch)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "sample");
    message_add_count(&request, "number", sampling->number);
    message_add_number(&request, "duration_ns", sampling->epoch_s * 1e9);
    message_add_count(&request, "earlier", sampling->with.count);
    message_end(&request);
    BILANX_TRY(client_ask(sampling->client, &request, "sampled", &answer));
    sampling->paused = text_equal(message_text(&answer, "paused"), "1");
    return sampling->paused ? BILANX_SUCCESS : read_sampled(sampling, &answer, epoch);
}

// Samples by time stand for a period each; those by cycles share the CPU time of their batches.
static void add_epoch(struct case_sampling *sampling, struct stack_epoch epoch, double samples)
{
    double rate = (double)sampling->options.rate;
    bool by_time = !text_equal(message_text(&sampling->watched, "ticks"), "cycles");
    if (message_number(&sampling->watched, "rate", &rate).status != BILANX_OK || !(rate > 0))
        return;
    sampling->cpu_s += epoch.seconds;
    epoch.seconds = by_time ? samples / rate : samples > 0 ? epoch.seconds : 0;
    if (epoch.calls > 0 ||
        sampling->stacks->calls == 0)  // of an interrupted one, calls are unknown
        sampling->stacks->seconds += epoch.seconds;
    sampling->stacks->calls += epoch.calls;
    if (epoch.calls > 0)
        stacks_add_epoch(sampling->stacks, epoch);
}

static void add_remarks(struct case_sampling *sampling)
{
    const struct message *watched = &sampling->watched;
    struct remarks_facts facts = {
        .rate = (double)sampling->options.rate,
        .ticks = message_text(watched, "ticks"),
        .kernel = text_equal(message_text(watched, "kernel"), "1"),
        .by_signals = sampling->by_signals,
        .losses = sampling->losses,
        .overhead = remarks_overhead(sampling->with.items, sampling->with.count,
                                     sampling->without.items, sampling->without.count, SHORTEST_NS),
        .why = sampling->refusal.status ? sampling->refusal.text : NULL,
        .unknown = message_text(watched, "unknown"),
        .language = "Python"};
    if (message_number(watched, "rate", &facts.rate).status != BILANX_OK)
        return;
    sampling->stacks->lost += sampling->losses.lost;
    sampling->stacks->overhead = facts.overhead > 0 ? facts.overhead : 0;
    remarks_add(sampling->stacks, &sampling->assembly, &facts);
}

static struct bilanx_error begin_assembly(struct case_sampling *sampling, pid_t process)
{
    struct assembly_options options = {.name = sampling->item->name,
                                       .process = process,
                                       .threads_apart = sampling->options.threads_apart,
                                       .images = sampling->images};
    uint64_t *harness = NULL;
    BILANX_TRY(message_count(&sampling->watched, "body", &options.body));
    BILANX_TRY(read_places(&sampling->watched, &harness, &options.harness_count));
    free(sampling->harness);
    options.harness = sampling->harness = harness;
    if (sampling->assembly.stacks)
        assembly_continue(&sampling->assembly, &options);
    else
        assembly_init(&sampling->assembly, &options, sampling->stacks);
    assembly_look(&sampling->assembly, process);
    sampling->events = assembly_events(&sampling->assembly);
    return BILANX_SUCCESS;
}

// Watches the open case and samples it. Takes what there is even if it failed.
static struct bilanx_error sample_open_case(struct case_sampling *sampling)
{
    struct stack_epoch epoch = {0};
    pid_t process = 0;
    BILANX_TRY(watch_somehow(sampling, &process));
    BILANX_TRY(begin_assembly(sampling, process));
    BILANX_TRY(gathering_start(&sampling->gathering, &sampling->events));
    struct bilanx_error error = ask_to_sample(sampling, &epoch);
    assembly_look(&sampling->assembly, process);  // libraries and threads may have been added
    if (sampling->paused) {
        gathering_done(&sampling->gathering);
        return error;
    }
    double before = sampling->assembly.samples;
    gathering_stop(&sampling->gathering, &sampling->losses);
    add_epoch(sampling, epoch, sampling->assembly.samples - before);
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

static struct bilanx_error converse(struct case_sampling *sampling, const struct session *session,
                                    uint64_t started_ns)
{
    sampling->client = session->client;
    BILANX_TRY(open_case(sampling, session));
    sampling->start_s = (double)(monotonic_ns() - started_ns) / 1e9;
    BILANX_TRY(calibrate(sampling));
    BILANX_TRY(sample_open_case(sampling));
    if (sampling->paused) {
        sampling->options.by_signals = true;
        BILANX_TRY(sample_open_case(sampling));
    }
    return close_case(sampling->client);
}

struct bilanx_error case_sampling_epoch(struct case_sampling *sampling)
{
    const struct run_case *item = sampling->item;
    uint64_t started_ns = monotonic_ns();
    struct session_options where =
        session_options_for(item, sampling->options.timeout_s, sampling->options.max_memory);
    where.timeout_ns += (uint64_t)(5 * sampling->epoch_s * 1e9);
    struct session session = {0};
    sampling->epochs++;
    struct bilanx_error error = session_start(item->subject, &where, &session);
    if (error.status == BILANX_OK)
        error = converse(sampling, &session, started_ns);
    session_end(&session, &error);
    return error;
}

struct bilanx_error case_sampling_conclude(struct case_sampling *sampling,
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
