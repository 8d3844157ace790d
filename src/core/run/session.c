// session: the process in which one epoch runs.
#include "session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/spawn.h"

static const uint64_t SECOND_NS = 1000000000u;

struct session_options session_options_for(const struct run_case *item, double timeout_s,
                                           uint64_t max_memory)
{
    static const double USUAL_S = 60, LONGEST_S = 1e9;  // fits in 64 bits as nanoseconds
    enum { OUTPUT_LIMIT_BYTES = 16 << 20 };
    double asked = item->timeout > 0 ? item->timeout : timeout_s;
    double timeout = asked > 0 ? asked : USUAL_S;
    struct session_options options = {
        .launch = item->subject->launch,
        .timeout_ns = (uint64_t)((timeout < LONGEST_S ? timeout : LONGEST_S) * 1e9)};
    options.launch.memory_limit_bytes = run_memory_limit(max_memory);
    options.launch.output_limit_bytes = OUTPUT_LIMIT_BYTES;
    options.launch.cpus = item->task.num_threads ? item->task.num_threads : 1;
    return options;
}

static struct bilanx_error ask(struct client *client, const char *verb, const char *words,
                               const char *answered, struct message *answer)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message unused = {0};
    message_begin(&request, verb);
    text_add(&request, words);
    message_end(&request);
    return client_ask(client, &request, answered, answer ? answer : &unused);
}

// Does not wait for the answer: imports are slow, and several processes can do them at once.
static struct bilanx_error start_preparing(const struct process_options *launch,
                                           uint64_t timeout_ns, const char *prepare,
                                           struct client *out)
{
    AUTO(text) struct text request = {0};
    BILANX_TRY(client_start(launch, timeout_ns, out));
    if (!prepare)
        return BILANX_SUCCESS;
    message_begin(&request, "prepare");
    text_add(&request, prepare);
    message_end(&request);
    return process_send(&out->process, request.data, request.size);
}

static struct bilanx_error await_prepared(struct client *client, struct message *answer)
{
    AUTO(message) struct message unused = {0};
    return client_answer(client, "prepared", answer ? answer : &unused);
}

struct bilanx_error standby_begin(struct run_standby *standby, const struct process_options *launch,
                                  uint64_t timeout_ns, const char *prepare)
{
    run_standby_done(standby);
    struct bilanx_error error = start_preparing(launch, timeout_ns, prepare, &standby->client);
    standby->running = standby->client.process.pid > 0;
    standby->preparing = error.status == BILANX_OK && prepare;
    return error;
}

struct bilanx_error standby_await(struct run_standby *standby, struct message *answer)
{
    if (!standby->preparing)
        return BILANX_SUCCESS;
    standby->preparing = false;
    return await_prepared(&standby->client, answer);
}

struct run_standby *run_standby_new(void)
{
    return mem_new(struct run_standby);
}

void run_standby_free(struct run_standby *standby)
{
    run_standby_done(standby);
    free(standby);
}

void run_standby_done(struct run_standby *standby)
{
    if (!standby)
        return;
    if (standby->running)
        standby->generation++;
    client_done(&standby->client);
    standby->client = (struct client){0};
    standby->running = standby->preparing = false;
}

static struct bilanx_error stand_by(const struct run_subject *subject,
                                    const struct session_options *options, struct session *out)
{
    struct run_standby *standby = subject->standby;
    if (standby->running &&
        (standby->generation < options->generation || spawn_has_ended(standby->client.process.pid)))
        run_standby_done(standby);
    out->standby = standby;
    out->client = &standby->client;
    out->cpus = options->launch.cpus ? options->launch.cpus : 1;
    struct process_options launch = options->launch;
    if (!standby->running && standby->generation < options->generation)
        standby->generation = options->generation;  // skip the generations that were not needed
    launch.cpus = 0;  // its forks run single-threaded and multi-threaded cases
    return standby->running
               ? BILANX_SUCCESS
               : standby_begin(standby, &launch, options->timeout_ns, subject->prepare);
}

static struct bilanx_error await_standby(struct run_standby *standby,
                                         const struct session_options *options)
{
    struct process *process = &standby->client.process;
    BILANX_TRY(standby_await(standby, NULL));
    process_listen(process);
    text_clear(&process->output);  // output of the previous case
    process->output_bytes = 0;
    process->memory_limit_bytes = options->launch.memory_limit_bytes;
    process->output_limit_bytes = options->launch.output_limit_bytes;
    // The worker itself reports when a fork takes too long.
    standby->client.timeout_ns = options->timeout_ns + 5 * SECOND_NS;
    return BILANX_SUCCESS;
}

struct bilanx_error session_begin(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out)
{
    if (subject->standby)
        return stand_by(subject, options, out);
    out->client = &out->own;
    out->preparing = subject->prepare;
    return start_preparing(&options->launch, options->timeout_ns, subject->prepare, &out->own);
}

struct bilanx_error session_await(const struct session_options *options, struct session *session)
{
    if (session->standby)
        return await_standby(session->standby, options);
    return session->preparing ? await_prepared(&session->own, NULL) : BILANX_SUCCESS;
}

struct bilanx_error session_start(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out)
{
    uint64_t before_ns = monotonic_ns();
    BILANX_TRY(session_begin(subject, options, out));
    BILANX_TRY(session_await(options, out));
    out->started_ns = out->standby ? 0 : monotonic_ns() - before_ns;
    return BILANX_SUCCESS;
}

void session_add_words(const struct session *session, struct text *request)
{
    if (!session->standby)
        return;
    message_add_count(request, "fork", 1);
    message_add_count(request, "cpus", session->cpus);
    message_add_count(request, "timeout_ns", session->client->timeout_ns - 5 * SECOND_NS);
}

// A failed case may have killed the worker or left it in an undefined state.
static bool still_fit(struct client *client, const struct bilanx_error *error)
{
    if (error->status == BILANX_E_INTERRUPTED || error->status == BILANX_E_MEMORY ||
        error->status == BILANX_E_FLOOD || error->status == BILANX_E_SWARM ||
        client->process.pid <= 0)
        return false;
    client->timeout_ns = 5 * SECOND_NS;
    return ask(client, "hello", "", "hello", NULL).status == BILANX_OK;
}

uint64_t session_end(struct session *session, const struct bilanx_error *error)
{
    if (!session->client)
        return 0;
    bool well = error->status == BILANX_OK;
    uint64_t peak_bytes = 0;
    if (!session->standby) {
        // It has sent all its answers. How it ends does not matter, and should not take long.
        if (well)
            process_finish(&session->own.process, monotonic_ns() + SECOND_NS);
        peak_bytes = session->own.process.max_rss_bytes;
        client_done(&session->own);
    } else if (!well && !still_fit(session->client, error)) {
        run_standby_done(session->standby);
    }
    return peak_bytes;
}

uint64_t session_peak_bytes(uint64_t child)
{
    char path[40], line[256];
    unsigned long long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%llu/status", (unsigned long long)child);
    AUTO(file) FILE *file = child ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    return kilobytes * 1024;
}
