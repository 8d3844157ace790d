// operator_server: the conversation of a process that hosts backends.
//
//     prepare threads=1 preallocate=0 cold_bytes=0     once, before or with the first backend
//     prepare backend=onednn module=PATH config=TEXT   answers name, about, version
//     open operator=NAME arguments=TEXT dtype=f32 channels_last=0 seed=0 max_bytes=0
//
// The open call is answered by a fork if the request says so. Inside it, `ready` prepares the call
// for a backend, `check` compares its results with those of the baseline, `draw` changes the data
// for such comparisons, `run` times it, and `close` ends it. `compile` makes a backend compile
// other calls, so that preparing them later takes no time. With `backend=I` in the request, `open`
// runs a loop as statements do, for example to sample its stacks.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/process.h"
#include "core/timer/turn.h"
#include "core/worker/epoch_message.h"
#include "core/worker/libraries.h"
#include "core/worker/server.h"
#include "open_call.h"
#include "operator_costs.h"
#include "operator_worker.h"
#include "shared_allocator.h"

struct serving {
    const struct operator_worker *worker;
    struct bilanx_host host;
    struct backend_module *backends;
    size_t count, room;
    bool preallocate;  // results; arguments are then in huge pages as well
    char *sweep;
    size_t sweep_bytes;
};

struct opened {  // target of a request inside a call
    struct open_call call;
    struct kept_results expected;  // the baseline's results
    struct kept_results exact;     // the same in f64, if the data is extreme
    enum operator_draw draw;       // the current draw
    const char *name, *arguments;  // of the call
    const struct operator_options *options;
    struct server *server;
};

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add_count(out, "operators", 1);
}

static struct bilanx_error set_up(struct serving *serving, const struct message *request)
{
    uint64_t threads = 1, preallocate = 0, cold_bytes = 0;
    BILANX_TRY(message_count(request, "threads", &threads));
    BILANX_TRY(message_count(request, "preallocate", &preallocate));
    BILANX_TRY(message_count(request, "cold_bytes", &cold_bytes));
    serving->host.threads = (int)threads;
    serving->preallocate = preallocate != 0;
    shared_allocator_reuse_all(serving->preallocate);
    serving->host.reused_bytes = serving->preallocate ? SIZE_MAX : SHARED_REUSED_BYTES;
    free(serving->sweep);
    serving->sweep = cold_bytes ? mem_array(char, cold_bytes) : NULL;
    serving->sweep_bytes = cold_bytes;
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    struct serving *serving = context;
    const char *name = message_text(request, "backend");
    if (message_text(request, "threads"))
        BILANX_TRY(set_up(serving, request));
    if (!name)
        return BILANX_SUCCESS;
    mem_grow(serving->backends, serving->count, &serving->room);
    struct backend_module *module = &serving->backends[serving->count];
    struct backend_request wanted = {name, message_text(request, "module"),
                                     message_text(request, "symbol"),
                                     message_text(request, "config")};
    BILANX_TRY(backend_module_load(serving->worker, &serving->host, &wanted, module));
    libraries_set_threads(serving->host.threads);
    char version[128];
    backend_module_describe(module, version, sizeof version);
    message_add_count(out, "index", serving->count++);
    message_add(out, "name", module->table->name);
    if (module->table->about)
        message_add(out, "about", module->table->about);
    message_add(out, "version", version);
    message_add_count(out, "compiles", backend_module_compiles(module));
    return BILANX_SUCCESS;
}

static struct bilanx_error read_options(const struct message *request, struct operator_options *out)
{
    uint64_t channels_last = 0;
    out->dtype = message_text(request, "dtype");
    out->shared = message_text(request, "shared");
    BILANX_TRY(message_count(request, "channels_last", &channels_last));
    BILANX_TRY(message_count(request, "seed", &out->seed));
    BILANX_TRY(message_count(request, "max_bytes", &out->max_bytes));
    out->channels_last = channels_last != 0;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_backend(const struct opened *opened, const struct message *request,
                                        bool ready, size_t *out)
{
    uint64_t backend = UINT64_MAX;
    BILANX_TRY(message_count(request, "backend", &backend));
    if (backend >= opened->call.backend_count)
        return bilanx_error_make(BILANX_E_INPUT, "there is no such backend");
    if (ready && !opened->call.prepared[backend])
        return bilanx_error_make(BILANX_E_INPUT, "the backend is not ready");
    *out = backend;
    return BILANX_SUCCESS;
}

static struct bilanx_error do_supports(struct opened *opened, const struct message *request,
                                       struct text *out)
{
    (void)out;
    size_t backend = 0;
    BILANX_TRY(read_backend(opened, request, false, &backend));
    return open_call_supports(&opened->call, backend);
}

static struct bilanx_error do_code(struct opened *opened, const struct message *request,
                                   struct text *out)
{
    size_t backend = 0;
    BILANX_TRY(read_backend(opened, request, false, &backend));
    BILANX_TRY(open_call_supports(&opened->call, backend));
    AUTO(memory) char *code =
        backend_module_code(&opened->call.backends[backend], &opened->call.call.call);
    if (!code)
        return bilanx_error_make(BILANX_E_SKIPPED, "this backend generates no code");
    message_add(out, "code", code);
    return BILANX_SUCCESS;
}

struct calls_ahead {  // calls of which only the tensors' shapes are known
    struct operator_call *items;
    const struct bilanx_call **supported;
    size_t count, supported_count;
};

static void calls_ahead_done(struct calls_ahead *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        operator_call_done(&calls->items[i]);
    free(calls->items);
    free(calls->supported);
}

SCOPE_VALUE(calls_ahead, calls_ahead_done)

// Reads lines that alternate between names and arguments of calls. Mistakes in a call are reported
// when it is opened.
static void read_calls(const char *text, const struct opened *opened, size_t backend,
                       struct calls_ahead *out)
{
    const struct backend_module *module = &opened->call.backends[backend];
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text);
    out->items = mem_array(struct operator_call, lines.count / 2);
    out->supported = mem_array(const struct bilanx_call *, lines.count / 2);
    for (size_t i = 0; i + 1 < lines.count; i += 2) {
        struct operator_call *call = &out->items[out->count++];
        bool known =
            operator_call_parse(lines.items[i], lines.items[i + 1], NULL, 0, call).status ==
                BILANX_OK &&
            operator_call_adapt(call, opened->options).status == BILANX_OK;
        if (known && !module->table->supports(module->state, &call->call))
            out->supported[out->supported_count++] = &call->call;
    }
}

// Answers with the time of each call that it supports.
static struct bilanx_error do_compile(struct opened *opened, const struct message *request,
                                      struct text *out)
{
    AUTO(calls_ahead) struct calls_ahead calls = {0};
    const struct clock *clock = opened->call.clock;
    const char *text = message_text(request, "calls");
    size_t backend = 0;
    BILANX_TRY(read_backend(opened, request, false, &backend));
    uint64_t started = clock_read(clock);
    read_calls(text ? text : "", opened, backend, &calls);
    backend_module_compile(&opened->call.backends[backend], calls.supported, calls.supported_count);
    double elapsed_ns = clock_ns(clock, clock_read(clock) - started);
    message_add_number(out, "each_ns",
                       calls.supported_count ? elapsed_ns / (double)calls.supported_count : 0);
    return BILANX_SUCCESS;
}

static struct bilanx_error do_ready(struct opened *opened, const struct message *request,
                                    struct text *out)
{
    size_t backend = 0;
    double prepare_ns, first_ns;
    BILANX_TRY(read_backend(opened, request, false, &backend));
    BILANX_TRY(open_call_prepare(&opened->call, backend, &prepare_ns));
    BILANX_TRY(open_call_run(&opened->call, backend, 1, &first_ns));
    message_add_number(out, "prepare_ns", prepare_ns);
    message_add_number(out, "first_ns", first_ns);
    return BILANX_SUCCESS;
}

// Changes the data of the call, or makes it the usual one again.
static struct bilanx_error do_draw(struct opened *opened, const struct message *request,
                                   struct text *out)
{
    const char *name = message_text(request, "data");
    int draw = 0;
    while (draw < OPERATOR_DRAWS && (!name || strcmp(name, operator_draw_names[draw]) != 0))
        draw++;
    if (draw == OPERATOR_DRAWS)
        return bilanx_error_make(BILANX_E_INPUT, "there is no such data");
    bool changed = false;
    BILANX_TRY(operator_data_redraw(&opened->call.data, (enum operator_draw)draw, &changed));
    opened->draw = (enum operator_draw)draw;
    memset(opened->call.has_run, 0, opened->call.backend_count * sizeof *opened->call.has_run);
    message_add_count(out, "changed", changed);
    return BILANX_SUCCESS;
}

// The call in f64 on the same data. A backend that cannot do that has no exact results.
static struct bilanx_error compute_exact(const struct opened *opened, size_t backend,
                                         struct kept_results *out)
{
    struct operator_options options = *opened->options;
    options.dtype = "f64";
    options.shared = NULL;
    options.max_bytes = 0;
    AUTO(open_call) struct open_call wide = {.backends = opened->call.backends,
                                             .backend_count = opened->call.backend_count,
                                             .clock = opened->call.clock};
    double unused_ns;
    BILANX_TRY(open_call_make(&wide, opened->name, opened->arguments, &options));
    operator_data_copy(&wide.data, &opened->call.data);
    BILANX_TRY(open_call_prepare(&wide, backend, &unused_ns));
    return open_call_results(&wide, backend, out);
}

// The file of exact results, beside that of the others.
static char *exact_path(const char *path)
{
    return mem_format("%s.exact", path);
}

static struct bilanx_error load_expected(struct opened *opened, const char *from)
{
    AUTO(memory) char *exact = exact_path(from);
    BILANX_TRY(kept_results_load(from, &opened->expected));
    return opened->draw == DRAW_USUAL ? BILANX_SUCCESS : kept_results_load(exact, &opened->exact);
}

static struct bilanx_error save_expected(const struct opened *opened, const char *to)
{
    AUTO(memory) char *exact = exact_path(to);
    BILANX_TRY(kept_results_save(&opened->expected, to));
    return opened->draw == DRAW_USUAL ? BILANX_SUCCESS : kept_results_save(&opened->exact, exact);
}

// Keeps the results of the baseline, and reports the memory traffic and arithmetic of the call.
static struct bilanx_error do_expect(struct opened *opened, const struct message *request,
                                     struct text *out)
{
    const char *from = message_text(request, "from"), *to = message_text(request, "to");
    kept_results_done(&opened->expected);
    kept_results_done(&opened->exact);
    if (from)
        return load_expected(opened, from);
    size_t backend = 0;
    BILANX_TRY(read_backend(opened, request, true, &backend));
    BILANX_TRY(open_call_results(&opened->call, backend, &opened->expected));
    if (opened->draw != DRAW_USUAL)
        (void)compute_exact(opened, backend, &opened->exact);
    const struct bilanx_call *call = &opened->call.call.call;
    message_add_number(out, "bytes", operator_traffic(call, &opened->expected));
    message_add_number(out, "flops", operator_flops(call, &opened->expected));
    return to ? save_expected(opened, to) : BILANX_SUCCESS;
}

static struct bilanx_error do_check(struct opened *opened, const struct message *request,
                                    struct text *out)
{
    AUTO(kept_results) struct kept_results actual = {0};
    struct accuracy accuracy;
    size_t backend = 0;
    BILANX_TRY(read_backend(opened, request, true, &backend));
    BILANX_TRY(open_call_results(&opened->call, backend, &actual));
    const char *name = opened->call.call.call.name;
    if (opened->draw == DRAW_USUAL)
        BILANX_TRY(accuracy_check(name, &actual, &opened->expected, &accuracy));
    else
        BILANX_TRY(accuracy_check_far(name, &actual, &opened->expected, &opened->exact, &accuracy));
    message_add_count(out, "agrees", accuracy.agrees);
    message_add_number(out, "error", accuracy.error);
    message_add(out, "text", accuracy.text);
    return BILANX_SUCCESS;
}

static uint64_t page_faults(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt;
}

struct batch_of_calls {
    struct opened *opened;
    size_t backend;
    uint64_t calls;
};

static struct bilanx_error run_batch(void *context, double *ns)
{
    struct batch_of_calls *batch = context;
    return open_call_run(&batch->opened->call, batch->backend, batch->calls, ns);
}

// Runs some batches.
static struct bilanx_error do_run(struct opened *opened, const struct message *request,
                                  struct text *out)
{
    size_t backend = 0;
    uint64_t calls = 1, batches = 1;
    BILANX_TRY(read_backend(opened, request, true, &backend));
    BILANX_TRY(message_count(request, "calls", &calls));
    BILANX_TRY(message_count(request, "batches", &batches));
    if (calls == 0 || batches == 0 || batches > TURN_MOST_BATCHES)
        return bilanx_error_make(BILANX_E_INPUT, "so many calls and batches make no sense");
    struct turn_options options = {.clock = opened->call.clock,
                                   .batches = batches,
                                   .pace_unread = message_text(request, "floor") == NULL};
    BILANX_TRY(message_number(request, "floor", &options.floor));
    struct batch_of_calls batch = {opened, backend, calls};
    struct turn turn;
    uint64_t faults = page_faults();
    BILANX_TRY(turn_take(&options, run_batch, &batch, &turn));
    message_add_number(out, "ns", turn.ns);
    message_add_count(out, "faults", page_faults() - faults);
    message_add_count(out, "state", turn.state);
    epoch_message_add_core(&turn.core, out);
    return BILANX_SUCCESS;
}

static const struct {
    const char *verb, *answer;
    struct bilanx_error (*act)(struct opened *opened, const struct message *request,
                               struct text *out);
} acts[] = {
    {"supports", "supported", do_supports},
    {"code", "written", do_code},
    {"compile", "compiled", do_compile},
    {"ready", "is_ready", do_ready},
    {"draw", "drawn", do_draw},
    {"expect", "expected", do_expect},
    {"check", "checked", do_check},
    {"run", "ran", do_run},
};

// The controller takes these two errors to mean that this process is lost, which a missing library
// or a full disk does not justify.
static enum bilanx_status reported(enum bilanx_status status)
{
    return status == BILANX_E_SYSTEM || status == BILANX_E_MEMORY ? BILANX_E_FAILED : status;
}

static void act(struct opened *opened, const struct message *request)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (strcmp(request->verb, acts[i].verb) != 0)
            continue;
        AUTO(text) struct text line = {0};
        message_begin(&line, acts[i].answer);
        struct bilanx_error error = acts[i].act(opened, request, &line);
        if (error.status == BILANX_OK)
            server_reply(opened->server, &line);
        else
            server_answer_error(opened->server, reported(error.status), error.text);
        return;
    }
    server_answer_error(opened->server, BILANX_E_INPUT, "unknown request inside a call");
}

// Answers requests until the call is closed, which open_case() of the server then confirms.
static void converse(struct opened *opened)
{
    struct server *server = opened->server;
    AUTO(text) struct text line = {0};
    message_begin(&line, "opened");
    message_add_count(&line, "writes", opened->call.writes);
    server_reply(server, &line);
    server->entered = true;
    zygote_entered(&server->zygote);
    for (;;) {
        AUTO(message) struct message request = {0};
        if (!server_receive(server, &request))
            break;
        if (strcmp(request.verb, "close") == 0)
            break;
        uint64_t timeout_ns = 0;
        if (message_count(&request, "timeout_ns", &timeout_ns).status == BILANX_OK && timeout_ns)
            zygote_set_timeout(&server->zygote, timeout_ns);
        act(opened, &request);
    }
    server->closing = true;
}

// A loop like a statement's.
static struct bilanx_error run_loop(struct opened *opened, const struct message *request)
{
    size_t backend = 0;
    double unused_ns;
    BILANX_TRY(read_backend(opened, request, false, &backend));
    BILANX_TRY(open_call_prepare(&opened->call, backend, &unused_ns));
    struct server *server = opened->server;
    struct loop loop = {.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    server->body = (const void *)(uintptr_t)run_loop;
    uint64_t n;
    while ((n = loop_next(&loop))) {
        struct bilanx_error error = open_call_run(&opened->call, backend, n, &unused_ns);
        if (error.status != BILANX_OK) {
            server_fail(server, error.status, error.text);
            break;
        }
    }
    server->loop = NULL;
    return BILANX_SUCCESS;
}

static struct bilanx_error open_in(struct serving *serving, struct opened *opened,
                                   const struct message *request)
{
    const char *name = message_text(request, "operator");
    const char *arguments = message_text(request, "arguments");
    struct operator_options options = {0};
    if (!name || !arguments)
        return bilanx_error_make(BILANX_E_INPUT, "'open' needs an operator and its arguments");
    BILANX_TRY(read_options(request, &options));
    options.huge_pages = serving->preallocate;
    opened->options = &options;
    opened->name = name;
    opened->arguments = arguments;
    opened->call = (struct open_call){.backends = serving->backends,
                                      .backend_count = serving->count,
                                      .clock = &opened->server->clock,
                                      .sweep = serving->sweep,
                                      .sweep_bytes = serving->sweep_bytes};
    uint64_t empty = 0;
    BILANX_TRY(message_count(request, "empty", &empty));
    if (empty)
        BILANX_TRY(open_call_make_empty(&opened->call, name, arguments, &options));
    else
        BILANX_TRY(open_call_make(&opened->call, name, arguments, &options));
    if (message_text(request, "backend"))
        return run_loop(opened, request);
    converse(opened);
    return BILANX_SUCCESS;
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    struct serving *serving = context;
    struct opened opened = {.server = server};
    struct bilanx_error error = open_in(serving, &opened, request);
    kept_results_done(&opened.expected);
    kept_results_done(&opened.exact);
    open_call_done(&opened.call);
    shared_allocator_trim();
    return error;
}

static void forking(void *context, enum server_fork where)
{
    struct serving *serving = context;
    static const enum operator_worker_fork same[] = {
        [SERVER_FORK_BEFORE] = OPERATOR_FORK_BEFORE,
        [SERVER_FORK_PARENT] = OPERATOR_FORK_PARENT,
        [SERVER_FORK_CHILD] = OPERATOR_FORK_CHILD,
    };
    if (serving->worker->forking)
        serving->worker->forking(same[where]);
}

int operator_worker_serve(const struct operator_worker *worker)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in < 0)
        return 2;
    shared_allocator_start();
    struct serving serving = {.worker = worker,
                              .host = {.version = BILANX_BACKEND_VERSION,
                                       .threads = 1,
                                       .allocate = shared_allocate,
                                       .release = shared_release,
                                       .reused_bytes = SHARED_REUSED_BYTES}};
    struct server_subject subject = {.context = &serving,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run,
                                     .forking = forking};
    int status = server_run(&subject, in, out);
    for (size_t i = 0; i < serving.count; i++)
        backend_module_done(&serving.backends[i]);
    free(serving.backends);
    free(serving.sweep);
    return status;
}
