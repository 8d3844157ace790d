// server: the worker's end of the conversation.
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timer/measure.h"
#include "timer/reference.h"

// A request that measures: how it starts the stepper, and what it answers in the end.
struct server_task {
    const char *verb;
    struct bilanx_error (*plan)(const struct server *server, const struct message *request,
                                struct stepper_options *out);
    void (*answer)(struct server *server, struct text *out);
};

static void reply(struct server *server, struct text *line)
{
    message_end(line);
    fwrite(line->data, 1, line->size, server->out);
    fflush(server->out);
    server->asked = false;
}

static void answer_error(struct server *server, enum bilanx_status status, const char *text)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "failed");
    message_add(&line, "code", bilanx_status_code(status));
    message_add(&line, "phase", server->entered ? "stmt" : "setup");
    message_add(&line, "text", text);
    reply(server, &line);
}

void server_fail(struct server *server, enum bilanx_status status, const char *text)
{
    if (server->asked)
        answer_error(server, status, text);
    server->closing = true;
}

static struct bilanx_error plan_calibrate(const struct server *server,
                                          const struct message *request,
                                          struct stepper_options *out)
{
    (void)server;
    *out = (struct stepper_options){.method = &method_calibrate};
    return message_number(request, "target_ns", &out->target_ns);
}

static void answer_calibrate(struct server *server, struct text *out)
{
    message_begin(out, "calibrated");
    message_add_count(out, "number", server->stepper.n);
    message_add_number(out, "batch_ns", server->stepper.times_ns[0]);
}

static struct bilanx_error plan_epoch(const struct server *server, const struct message *request,
                                      struct stepper_options *out)
{
    (void)server;
    *out = (struct stepper_options){.method = &method_epoch, .number = 1};
    BILANX_TRY(message_count(request, "number", &out->number));
    BILANX_TRY(message_number(request, "warmup_ns", &out->warmup_ns));
    BILANX_TRY(message_number(request, "max_ns", &out->max_ns));
    BILANX_TRY(message_count(request, "min_blocks", &out->min_blocks));
    BILANX_TRY(message_count(request, "max_blocks", &out->max_blocks));
    if (out->number == 0)
        return bilanx_error_make(BILANX_E_INPUT, "an epoch of batches of no calls");
    return BILANX_SUCCESS;
}

static void answer_epoch(struct server *server, struct text *out)
{
    struct epoch_report report;
    epoch_end(&server->watch, &server->clock, &server->stepper, server->alone, &report);
    message_begin(out, "epoch");
    message_add_count(out, "number", report.number);
    message_add_number(out, "time", report.epoch.time);
    message_add_number(out, "min", report.epoch.min);
    message_add_number(out, "p25", report.epoch.p25);
    message_add_number(out, "p75", report.epoch.p75);
    message_add_number(out, "p99", report.epoch.p99);
    message_add_count(out, "batches", report.epoch.batches);
    message_add_count(out, "disturbed", report.epoch.disturbed);
    message_add_number(out, "cpu_ns", report.cpu_ns);
    message_add_number(out, "empty_loop_ns", report.empty_loop_ns);
    message_add_number(out, "kernel_ns", report.kernel_ns);
}

static struct bilanx_error plan_measure(const struct server *server, const struct message *request,
                                        struct stepper_options *out)
{
    const char *name = message_text(request, "method");
    struct measure_options options = {.method = method_find(name ? name : "")};
    if (!options.method)
        return bilanx_error_make(BILANX_E_INPUT, "unknown method '%s'", name ? name : "");
    BILANX_TRY(message_count(request, "number", &options.number));
    BILANX_TRY(message_count(request, "repeats", &options.repeats));
    BILANX_TRY(message_number(request, "min_run_time", &options.min_run_time));
    BILANX_TRY(message_number(request, "max_run_time", &options.max_run_time));
    BILANX_TRY(message_number(request, "warmup", &options.warmup));
    BILANX_TRY(message_number(request, "threshold", &options.threshold));
    measure_plan(&options, server->quality.cost_ns, out);
    return BILANX_SUCCESS;
}

static void answer_measure(struct server *server, struct text *out)
{
    struct bilanx_timing timing;
    measure_result(&server->stepper, server->quality.cost_ns, &timing);
    struct reference reference = reference_measure(&server->clock);
    message_begin(out, "measured");
    message_add_count(out, "number", timing.number_per_run);
    message_add_numbers(out, "times", timing.raw_times, timing.raw_count);
    message_add_numbers(out, "cpu_times", timing.raw_cpu_times, timing.raw_cpu_count);
    message_add_number(out, "empty_loop_ns", reference.empty_loop_ns);
    message_add_number(out, "kernel_ns", reference.kernel_ns);
    if (timing.latency) {
        message_add_number(out, "p50", timing.latency->p50);
        message_add_number(out, "p90", timing.latency->p90);
        message_add_number(out, "p99", timing.latency->p99);
        message_add_number(out, "p999", timing.latency->p999);
        message_add_number(out, "max", timing.latency->max);
        message_add_number(out, "clock_cost", timing.latency->clock_cost);
        message_add_count(out, "samples", timing.latency->samples);
    }
    bilanx_timing_done(&timing);
}

static const struct server_task tasks[] = {
    {"calibrate", plan_calibrate, answer_calibrate},
    {"epoch", plan_epoch, answer_epoch},
    {"measure", plan_measure, answer_measure},
};

static const struct server_task *find_task(const char *verb)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i].verb, verb) == 0)
            return &tasks[i];
    return NULL;
}

// Reads the next request. False: the controller is gone.
static bool receive(struct server *server, struct message *out)
{
    struct text *incoming = &server->incoming;
    for (;;) {
        char *end = incoming->size ? memchr(incoming->data, '\n', incoming->size) : NULL;
        if (end) {
            size_t size = (size_t)(end - incoming->data);
            struct bilanx_error error = message_parse(incoming->data, size, out);
            memmove(incoming->data, end + 1, incoming->size - size);
            incoming->size -= size + 1;
            server->asked = true;
            if (error.status == BILANX_OK)
                return true;
            answer_error(server, error.status, error.text);
            continue;
        }
        char chunk[4096];
        ssize_t got = read(server->in, chunk, sizeof chunk);
        if (got > 0)
            text_add_n(incoming, chunk, (size_t)got);
        else if (got == 0 || errno != EINTR)
            return false;
    }
}

static bool start_task(struct server *server, const struct server_task *task,
                       const struct message *request)
{
    struct stepper_options plan;
    struct bilanx_error error = task->plan(server, request, &plan);
    if (error.status != BILANX_OK) {
        answer_error(server, error.status, error.text);
        return false;
    }
    stepper_done(&server->stepper);
    stepper_init(&server->stepper, &plan);
    server->task = task;
    server->alone = message_text(request, "alone") != NULL;
    server->loop->method = plan.method;
    server->watch = epoch_begin(&server->clock, server->alone || task->plan != plan_epoch);
    return true;
}

// Between two measurements of an open case: what comes next?
static uint64_t converse(struct server *server)
{
    for (;;) {
        AUTO(message) struct message request = {0};
        if (!receive(server, &request)) {
            server->closing = true;
            return 0;
        }
        if (strcmp(request.verb, "close") == 0) {
            server->closing = true;
            return 0;
        }
        const struct server_task *task = find_task(request.verb);
        if (!task)
            answer_error(server, BILANX_E_INPUT, "unknown request inside a case");
        else if (start_task(server, task, &request))
            return stepper_next(&server->stepper, NULL);
    }
}

uint64_t server_decide(void *context, const struct batch *last)
{
    struct server *server = context;
    if (server->closing)
        return 0;
    if (!server->entered) {
        server->entered = true;
        AUTO(text) struct text line = {0};
        message_begin(&line, "opened");
        reply(server, &line);
        return converse(server);
    }
    uint64_t n = stepper_next(&server->stepper, last);
    if (n)
        return n;
    AUTO(text) struct text line = {0};
    server->task->answer(server, &line);
    server->task = NULL;
    reply(server, &line);
    return converse(server);
}

static void answer_hello(struct server *server)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "hello");
    message_add_count(&line, "protocol", WORKER_PROTOCOL);
    message_add_count(&line, "cases", server->subject->case_count);
    server->subject->describe(server->subject->context, &line);
    reply(server, &line);
}

static void answer_list(struct server *server)
{
    for (size_t i = 0; i < server->subject->case_count; i++) {
        AUTO(text) struct text line = {0};
        message_begin(&line, "case");
        message_add_count(&line, "index", i);
        server->subject->describe_case(server->subject->context, i, &line);
        reply(server, &line);
    }
    AUTO(text) struct text line = {0};
    message_begin(&line, "listed");
    reply(server, &line);
}

static void open_case(struct server *server, const struct message *request)
{
    server->entered = server->closing = false;
    // Only now: who asks for the list alone does not wait for a clock to be calibrated.
    if (!server->clock.read) {
        clock_open(&server->clock);
        clock_measure(&server->clock, &server->quality);
    }
    struct bilanx_error error = server->subject->run(server->subject->context, request, server);
    if (!server->asked)
        return;
    if (error.status != BILANX_OK) {
        answer_error(server, error.status, error.text);
        return;
    }
    if (!server->closing) {
        answer_error(server, BILANX_E_FAILED,
                     server->entered ? "the benchmark left its loop before it was over: return, "
                                       "break and goto have no place in it"
                                     : "the benchmark has no BILANX_LOOP");
        return;
    }
    AUTO(text) struct text line = {0};
    message_begin(&line, "closed");
    message_add(&line, "clock", server->clock.name);
    message_add_number(&line, "resolution_ns", server->quality.resolution_ns);
    server->subject->describe_result(server->subject->context, &line);
    reply(server, &line);
}

static void prepare(struct server *server, const struct message *request)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "prepared");
    struct bilanx_error error =
        server->subject->prepare
            ? server->subject->prepare(server->subject->context, request, &line)
            : bilanx_error_make(BILANX_E_INPUT, "there is nothing to prepare here");
    if (error.status != BILANX_OK)
        answer_error(server, error.status, error.text);
    else
        reply(server, &line);
}

int server_run(const struct server_subject *subject, int in, int out)
{
    struct server server = {.subject = subject, .in = in, .out = fdopen(out, "w")};
    if (!server.out)
        return 1;
    for (;;) {
        AUTO(message) struct message request = {0};
        if (!receive(&server, &request))
            break;
        if (strcmp(request.verb, "hello") == 0)
            answer_hello(&server);
        else if (strcmp(request.verb, "list") == 0)
            answer_list(&server);
        else if (strcmp(request.verb, "open") == 0)
            open_case(&server, &request);
        else if (strcmp(request.verb, "prepare") == 0)
            prepare(&server, &request);
        else
            answer_error(&server, BILANX_E_INPUT, "unknown request");
    }
    stepper_done(&server.stepper);
    text_done(&server.incoming);
    fclose(server.out);
    return 0;
}
