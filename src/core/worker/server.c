// server: the worker's end of the conversation.
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/process.h"
#include "core/worker/sample.h"
#include "core/worker/tasks.h"

enum { USUAL_BYTES = 16384 };

const char server_left_loop[] =
    "the benchmark left its loop early: do not use return, break or goto in it";

void server_end_fork(const struct server *server)
{
    if (getpid() != server->pid)
        _exit(0);
}

void server_reply(struct server *server, struct text *line)
{
    server_end_fork(server);
    message_end(line);
    zygote_answering(&server->zygote, server->closing);
    fwrite(line->data, 1, line->size, server->out);
    fflush(server->out);
    server->asked = false;
}

void server_answer_error(struct server *server, enum bilanx_status status, const char *text)
{
    struct text *line = &server->failure;
    text_clear(line);
    message_begin(line, "failed");
    message_add(line, "code", bilanx_status_code(status));
    message_add(line, "phase", server->entered ? "stmt" : "setup");
    message_add(line, "text", text);
    server_reply(server, line);
}

void server_fail(struct server *server, enum bilanx_status status, const char *text)
{
    server->closing = true;
    if (server->asked)
        server_answer_error(server, status, text);
}

// Waits for a complete line. Returns false if the controller is gone.
static bool await_line(struct server *server, size_t *size)
{
    struct text *incoming = &server->incoming;
    for (;;) {
        const char *end = incoming->size ? memchr(incoming->data, '\n', incoming->size) : NULL;
        *size = end ? (size_t)(end - incoming->data) : 0;
        if (end)
            return true;
        char chunk[4096];
        // A fork reads no further than its own requests: what follows is for the worker.
        ssize_t got = read(server->in, chunk, server->zygote.child ? 1 : sizeof chunk);
        if (got > 0)
            text_add_n(incoming, chunk, (size_t)got);
        else if (got == 0 || errno != EINTR)
            return false;
    }
}

static void drop_input(struct server *server, size_t size)
{
    struct text *incoming = &server->incoming;
    incoming->size -= size;
    memmove(incoming->data, incoming->data + size, incoming->size + 1);  // including its NUL
}

// Parses the line received. Returns false if it is not a request, after answering it.
static bool take_request(struct server *server, size_t size, struct message *out)
{
    struct bilanx_error error = message_parse(server->incoming.data, size, out);
    drop_input(server, size + 1);
    server->asked = true;
    zygote_asked(&server->zygote, size + 1);
    if (error.status != BILANX_OK)
        server_answer_error(server, error.status, error.text);
    return error.status == BILANX_OK;
}

bool server_receive(struct server *server, struct message *out)
{
    size_t size;
    while (await_line(server, &size))
        if (take_request(server, size, out))
            return true;
    return false;
}

static bool start_task(struct server *server, const struct server_task *task,
                       const struct message *request)
{
    struct stepper_options plan;
    struct bilanx_error error = task->plan(server, request, &plan);
    if (error.status != BILANX_OK) {
        server_answer_error(server, error.status, error.text);
        return false;
    }
    stepper_done(&server->stepper);
    stepper_init(&server->stepper, &plan);
    server->task = task;
    server->loop->method = plan.method;
    epoch_begin(&server->watch, &server->clock,
                !task->reads_pace || message_text(request, "alone") != NULL);
    server->loop->sparing = plan.method == &method_epoch &&
                            (task->pairs || epoch_reads_pace(&server->watch, &server->stepper));
    return true;
}

static void answer_task(struct server *server)
{
    AUTO(text) struct text line = {0};
    server->task->answer(server, &line);
    server->task = NULL;
    server_reply(server, &line);
}

// Runs between two measurements of an open case, to find out what comes next.
static uint64_t converse(struct server *server)
{
    for (;;) {
        AUTO(message) struct message request = {0};
        if (!server_receive(server, &request)) {
            server->closing = true;
            return 0;
        }
        if (strcmp(request.verb, "close") == 0) {
            server->closing = true;
            return 0;
        }
        const struct server_task *task = task_find(request.verb);
        if (!task)
            server_answer_error(server, BILANX_E_INPUT, "unknown request inside a case");
        else if (start_task(server, task, &request)) {
            uint64_t n = task->next(server, NULL);
            if (n || server->closing)
                return n;
            answer_task(server);  // it needs no batches
        }
    }
}

// Counting has other rules; see count.c.
static void check_children(struct server *server)
{
    if (!server->counting.counter && !server->closing && children_came(&server->before))
        server_fail(server, BILANX_E_FAILED,
                    "it left processes running after a batch: wait for them in the statement, or "
                    "start them in the setup");
}

// A batch shorter than any fork has started nothing, and checking would take as long as the batch.
// Short calls rarely fork, so they are checked only when the loop asks the kernel anyway.
static bool may_have_forked(const struct loop *loop, const struct batch *last)
{
    static const double SHORTEST_FORK_NS = 2000;
    bool short_calls = last->ns < SHORTEST_FORK_NS * (double)last->n;
    return last->ns > SHORTEST_FORK_NS && (!short_calls || loop->watched);
}

// If the setup has started processes, we must list children to find new ones, which takes longer
// than most batches. So both checks may be skipped, except at the end of a measurement.
bool server_goes_on(struct server *server, const struct batch *last)
{
    server_end_fork(server);
    if (!last)
        children_note(&server->before);
    else if (server->before.count == 0 && may_have_forked(server->loop, last))
        check_children(server);
    return !server->closing;
}

uint64_t server_decide(void *context, const struct batch *last)
{
    struct server *server = context;
    if (!server_goes_on(server, last))
        return 0;
    if (!server->entered) {
        server->entered = true;
        zygote_entered(&server->zygote);
        AUTO(text) struct text line = {0};
        message_begin(&line, "opened");
        if (server->zygote.child)
            message_add_count(&line, "child", (uint64_t)getpid());
        if (server->pages != PAGES_STAY)
            message_add_count(&line, "pages", server->pages == PAGES_FRESH);
        server_reply(server, &line);
        return converse(server);
    }
    uint64_t n = server->task->next(server, last);
    if (!n)
        check_children(server);
    if (n || server->closing)
        return n;
    answer_task(server);
    return converse(server);
}

static void answer_hello(struct server *server)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "hello");
    message_add_count(&line, "protocol", WORKER_PROTOCOL);
    message_add_count(&line, "cases", server->subject->case_count);
    server->subject->describe(server->subject->context, &line);
    server_reply(server, &line);
}

static void answer_list(struct server *server)
{
    for (size_t i = 0; i < server->subject->case_count; i++) {
        AUTO(text) struct text line = {0};
        message_begin(&line, "case");
        message_add_count(&line, "index", i);
        server->subject->describe_case(server->subject->context, i, &line);
        server_reply(server, &line);
    }
    AUTO(text) struct text line = {0};
    message_begin(&line, "listed");
    server_reply(server, &line);
}

// Called only when a case is opened, so that "list" does not wait for the calibration.
static void open_clock(struct server *server)
{
    if (server->clock.read)
        return;
    counter_callgrind_begin();
    clock_open(&server->clock);
    clock_measure(&server->clock, &server->quality);
}

static void open_case(struct server *server, const struct message *request)
{
    server->entered = server->closing = false;
    server->pages = PAGES_STAY;
    server->body = NULL;
    server->harness = NULL;
    server->stack_end = __builtin_frame_address(0);
    open_clock(server);
    struct bilanx_error error = server->subject->run(server->subject->context, request, server);
    sample_end(server);
    if (!server->asked)
        return;
    bool left = !server->closing;
    server->closing = true;
    if (error.status != BILANX_OK) {
        server_answer_error(server, error.status, error.text);
        return;
    }
    if (left) {
        server_answer_error(server, BILANX_E_FAILED,
                            server->entered ? server_left_loop
                                            : "the benchmark has no BILANX_LOOP");
        return;
    }
    AUTO(text) struct text line = {0};
    message_begin(&line, "closed");
    message_add(&line, "clock", server->clock.name);
    message_add_number(&line, "resolution_ns", server->quality.resolution_ns);
    if (server->subject->describe_result)
        server->subject->describe_result(server->subject->context, &line);
    server_reply(server, &line);
}

static void prepare(struct server *server, const struct message *request)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "prepared");
    struct bilanx_error error =
        server->subject->prepare
            ? server->subject->prepare(server->subject->context, request, &line)
            : bilanx_error_make(BILANX_E_INPUT, "nothing to prepare here");
    if (error.status != BILANX_OK)
        server_answer_error(server, error.status, error.text);
    else
        server_reply(server, &line);
}

static void run_child(struct server *server, bool stays)
{
    server->pid = getpid();
    if (server->subject->forking)
        server->subject->forking(server->subject->context, SERVER_FORK_CHILD);
    AUTO(message) struct message request = {0};
    uint64_t timeout_ns = 0, cpus = 0;
    size_t size;
    server->closing = true;  // if it is refused, this process has no more to say
    if (await_line(server, &size) && take_request(server, size, &request)) {
        struct bilanx_error error = message_count(&request, "timeout_ns", &timeout_ns);
        zygote_set_timeout(&server->zygote, timeout_ns);
        if (error.status == BILANX_OK)
            error = message_count(&request, "cpus", &cpus);
        if (cpus)
            cpus_pin(cpus);
        if (error.status == BILANX_OK)
            open_case(server, &request);
        else
            server_fail(server, error.status, error.text);
    }
    fflush(NULL);
    if (!stays) {
        counter_callgrind_end();
        _exit(0);
    }
    zygote_inherit(&server->zygote);
}

// Opens a case in a fork, from the line received.
static void open_forked(struct server *server, size_t size)
{
    server->entered = server->closing = false;
    open_clock(server);
    bool stays = zygote_stays(server->incoming.data, size);
    void (*forking)(void *, enum server_fork) = server->subject->forking;
    if (forking)
        forking(server->subject->context, SERVER_FORK_BEFORE);
    pid_t child = zygote_fork(&server->zygote, server->incoming.size);
    if (child == 0) {
        run_child(server, stays);
        return;
    }
    if (forking)
        forking(server->subject->context, SERVER_FORK_PARENT);
    if (child < 0) {
        struct bilanx_error error =
            bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
        drop_input(server, size + 1);
        server_answer_error(server, error.status, error.text);
        return;
    }
    if (stays)
        zygote_retire(child);
    bool asked;
    struct bilanx_error fate = zygote_wait(&server->zygote, child, &asked, &server->entered);
    size_t used = zygote_used(&server->zygote);
    drop_input(server, used > size ? used : size + 1);
    if (fate.status == BILANX_OK)
        return;
    if (asked)
        server_answer_error(server, fate.status, fate.text);
    else
        server->owed = fate;
}

static void serve_request(struct server *server, const struct message *request)
{
    if (server->owed.status != BILANX_OK) {  // its case died before this request
        struct bilanx_error owed = server->owed;
        server->owed = BILANX_SUCCESS;
        server_answer_error(server, owed.status, owed.text);
        return;
    }
    if (strcmp(request->verb, "hello") == 0)
        answer_hello(server);
    else if (strcmp(request->verb, "list") == 0)
        answer_list(server);
    else if (strcmp(request->verb, "open") == 0)
        open_case(server, request);
    else if (strcmp(request->verb, "prepare") == 0)
        prepare(server, request);
    else
        server_answer_error(server, BILANX_E_INPUT, "unknown request");
}

int server_run(const struct server_subject *subject, int in, int out)
{
    struct server server = {.subject = subject, .in = in, .pid = getpid(), .out = fdopen(out, "w")};
    if (!server.out)
        return 1;
    // Make room for a forking worker's requests and answers: it must find its heap unchanged.
    static const char room[USUAL_BYTES];
    text_add_n(&server.incoming, room, sizeof room);
    text_add_n(&server.failure, room, sizeof room);
    text_clear(&server.incoming);
    size_t size;
    while (await_line(&server, &size)) {
        AUTO(message) struct message request = {0};
        if (server.owed.status == BILANX_OK && zygote_wanted(server.incoming.data, size))
            open_forked(&server, size);
        else if (take_request(&server, size, &request))
            serve_request(&server, &request);
    }
    stepper_done(&server.stepper);
    epoch_done(&server.watch);
    duel_memory_close(server.duel.memory);
    text_done(&server.incoming);
    text_done(&server.failure);
    text_done(&server.watched);
    zygote_done(&server.zygote);
    fclose(server.out);
    return 0;
}
