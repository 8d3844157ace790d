// hosts: the processes that have loaded the backends of a run.
#include "hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/spawn.h"
#include "core/worker/server.h"
#include "sources/statements/language.h"

static const double USUAL_TIMEOUT_S = 60, PYTHON_TIMEOUT_S = 300, GRACE_S = 10;
enum { OUTPUT_LIMIT_BYTES = 16 << 20 };

bool host_lost(const struct bilanx_error *error)
{
    switch (error->status) {
    case BILANX_OK:
    case BILANX_E_FAILED:
    case BILANX_E_SKIPPED:
    case BILANX_E_COMPILE:
    case BILANX_E_USAGE:
    case BILANX_E_INPUT:
        return false;
    default:
        return true;
    }
}

void ops_hosts_free(struct ops_hosts *hosts)
{
    if (!hosts)
        return;
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->items[i].running)
            client_done(&hosts->items[i].client);
    temporary_done(&hosts->folder);
    list_done(&hosts->environment);
    free(hosts->program);
    free(hosts->script);
    free(hosts);
}

static double timeout_of(const struct ops_hosts *hosts, size_t host)
{
    double asked = hosts->ops->options.timeout_s;
    double usual = hosts->items[host].python ? PYTHON_TIMEOUT_S : USUAL_TIMEOUT_S;
    return asked > 0 ? asked : usual > hosts->patience_s ? usual : hosts->patience_s;
}

static uint64_t threads_of(const struct ops_hosts *hosts)
{
    return hosts->ops->options.threads ? hosts->ops->options.threads : 1;
}

static struct bilanx_error ask(struct client *client, struct text *request, const char *answered,
                               struct message *answer)
{
    AUTO(message) struct message unused = {0};
    message_end(request);
    return client_ask(client, request, answered, answer ? answer : &unused);
}

const char *host_interpreter(const struct ops_hosts *hosts)
{
    const char *told = getenv("BILANX_PYTHON"), *asked = hosts->ops->options.python;
    return asked ? asked : told && *told ? told : "python3";
}

void host_add_setup(const struct ops_hosts *hosts, struct text *words)
{
    message_add_count(words, "threads", threads_of(hosts));
    message_add_count(words, "preallocate", hosts->ops->options.preallocate);
    message_add_count(words, "cold_bytes", hosts->cold_bytes);
}

void host_add_backend(const struct ops_backend *backend, struct text *words)
{
    message_add(words, "backend", backend->kind);
    if (backend->module)
        message_add(words, "module", backend->module);
    if (backend->symbol)
        message_add(words, "symbol", backend->symbol);
    if (backend->config)
        message_add(words, "config", backend->config);
}

void host_add_call(const struct operator_options *data, const char *name, const char *arguments,
                   struct text *words)
{
    message_add(words, "operator", name);
    message_add(words, "arguments", arguments);
    if (data->dtype)
        message_add(words, "dtype", data->dtype);
    message_add_count(words, "channels_last", data->channels_last);
    message_add_count(words, "seed", data->seed);
    message_add_count(words, "max_bytes", data->max_bytes);
}

static struct bilanx_error launch(struct ops_hosts *hosts, size_t host)
{
    struct ops_host *item = &hosts->items[host];
    const char *plain[] = {hosts->program, "operators", NULL};
    const char *python[] = {host_interpreter(hosts), hosts->script, NULL};
    struct process_options options = {
        .argv = item->python ? python : plain,
        .channel = WORKER_CHANNEL,
        .environment = hosts->environment.items,
        .memory_limit_bytes = run_memory_limit(hosts->ops->options.max_memory),
        .output_limit_bytes = OUTPUT_LIMIT_BYTES,
        .cpus = threads_of(hosts),
    };
    uint64_t timeout_ns = (uint64_t)((timeout_of(hosts, host) + GRACE_S) * 1e9);
    BILANX_TRY(client_start(&options, timeout_ns, &item->client));
    item->running = true;
    AUTO(text) struct text request = {0};
    message_begin(&request, "prepare");
    host_add_setup(hosts, &request);
    return ask(&item->client, &request, "prepared", NULL);
}

static void set_version(struct ops_backend *backend, const struct message *answer)
{
    const char *version = message_text(answer, "version"), *name = message_text(answer, "name");
    if (backend->own_file && name) {  // the path was only what we knew before
        free(backend->name);
        backend->name =
            backend->config ? mem_format("%s:%s", name, backend->config) : mem_text(name);
    }
    free(backend->version);
    backend->version = version && *version ? mem_text(version) : NULL;
}

static struct bilanx_error load(struct ops_hosts *hosts, struct ops_backend *backend)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    uint64_t index = 0, compiles = 0;
    message_begin(&request, "prepare");
    host_add_backend(backend, &request);
    BILANX_TRY(ask(&hosts->items[backend->host].client, &request, "prepared", &answer));
    BILANX_TRY(message_count(&answer, "index", &index));
    BILANX_TRY(message_count(&answer, "compiles", &compiles));
    backend->index = index;
    backend->compiles = compiles != 0;
    set_version(backend, &answer);
    return BILANX_SUCCESS;
}

// Adds the last output of the process, after the first `before` bytes, if that may be the reason.
static struct bilanx_error explain(struct ops_host *host, size_t before,
                                   const struct bilanx_error *error)
{
    enum { MOST_SHOWN = 300 };
    const struct text *output = &host->client.process.output;
    process_listen(&host->client.process);
    size_t from = before < output->size ? before : output->size, size = output->size;
    while (size > from && text_get(output)[size - 1] == '\n')
        size--;
    if (!host_lost(error) || error->status == BILANX_E_INTERRUPTED || size == from)
        return *error;
    if (size - from > MOST_SHOWN)
        from = size - MOST_SHOWN;
    return bilanx_error_make(error->status, "%s; it printed: %.*s", error->text, (int)(size - from),
                             text_get(output) + from);
}

static struct bilanx_error launch_checked(struct ops_hosts *hosts, size_t host)
{
    struct bilanx_error error = launch(hosts, host);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    const char *program = hosts->items[host].python ? host_interpreter(hosts) : hosts->program;
    error = explain(&hosts->items[host], 0, &error);
    return bilanx_error_make(error.status, "%s: %s", program, error.text);
}

struct bilanx_error host_revive(struct ops_hosts *hosts, size_t host)
{
    struct ops_host *item = &hosts->items[host];
    if (item->running && !spawn_has_ended(item->client.process.pid))
        return BILANX_SUCCESS;
    if (item->running)
        client_done(&item->client);
    item->running = item->is_open = false;
    BILANX_TRY(launch_checked(hosts, host));
    struct ops_backends *backends = &hosts->ops->backends;
    for (size_t i = 0; i < backends->count; i++)
        if (backends->items[i].host == host)
            BILANX_TRY(load(hosts, &backends->items[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_error open_call(struct ops_hosts *hosts, size_t host, const char *name,
                                     const char *arguments, bool empty)
{
    const struct operator_options *data = &hosts->ops->options.data;
    struct ops_host *item = &hosts->items[host];
    AUTO(text) struct text request = {0};
    BILANX_TRY(host_revive(hosts, host));
    message_begin(&request, "open");
    host_add_call(data, name, arguments, &request);
    message_add_count(&request, "empty", empty);
    AUTO(memory) char *shared = mem_format("%s/tensors", hosts->folder.path);
    if (hosts->count > 1)
        message_add(&request, "shared", shared);
    // Threads do not survive a fork: without OpenMP's threads, the child would hang.
    if (threads_of(hosts) == 1)
        message_add_count(&request, "fork", 1);
    message_add_count(&request, "timeout_ns", (uint64_t)(timeout_of(hosts, host) * 1e9));
    struct bilanx_error error = ask(&item->client, &request, "opened", NULL);
    item->is_open = error.status == BILANX_OK;
    item->times_opened++;
    return error;
}

struct bilanx_error host_open(struct ops_hosts *hosts, size_t host, const char *name,
                              const char *arguments)
{
    return open_call(hosts, host, name, arguments, false);
}

struct bilanx_error host_open_empty(struct ops_hosts *hosts, size_t host, const char *name,
                                    const char *arguments)
{
    return open_call(hosts, host, name, arguments, true);
}

void hosts_drop_tensors(const struct ops_hosts *hosts)
{
    AUTO(memory) char *shared = mem_format("%s/tensors", hosts->folder.path);
    if (hosts->count > 1)
        unlink(shared);
}

void host_close(struct ops_hosts *hosts, size_t host)
{
    struct ops_host *item = &hosts->items[host];
    if (!item->is_open)
        return;
    item->is_open = false;
    AUTO(text) struct text request = {0};
    message_begin(&request, "close");
    struct bilanx_error error = ask(&item->client, &request, "closed", NULL);
    if (host_lost(&error) && item->running) {  // out of step: restart
        client_done(&item->client);
        item->running = false;
    }
}

struct bilanx_error host_ask(struct ops_hosts *hosts, size_t backend, const char *verb,
                             const char *words, const char *answered, struct message *answer)
{
    const struct ops_backend *asked = &hosts->ops->backends.items[backend];
    struct ops_host *item = &hosts->items[asked->host];
    AUTO(text) struct text request = {0};
    message_begin(&request, verb);
    message_add_count(&request, "backend", asked->index);
    message_add_count(&request, "timeout_ns", (uint64_t)(timeout_of(hosts, asked->host) * 1e9));
    item->client.timeout_ns = (uint64_t)((timeout_of(hosts, asked->host) + GRACE_S) * 1e9);
    text_add(&request, words);
    size_t before = item->client.process.output.size;
    struct bilanx_error error = ask(&item->client, &request, answered, answer);
    error = explain(item, before, &error);
    if (host_lost(&error))
        item->is_open = false;
    // A process that does not even report its child's time-out hangs itself.
    if (error.status == BILANX_E_TIMED_OUT && threads_of(hosts) > 1) {
        client_done(&item->client);
        item->running = false;
    }
    return error;
}

static void set_threads(struct ops_hosts *hosts)
{
    static const char *const variables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                            "BLIS_NUM_THREADS", "MKL_NUM_THREADS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        list_take(&hosts->environment,
                  mem_format("%s=%llu", variables[i], (unsigned long long)threads_of(hosts)));
}

static uint64_t last_level_cache(void)
{
    static const int levels[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        long bytes = sysconf(levels[i]);
        if (bytes > 0)
            return (uint64_t)bytes;
    }
    return (uint64_t)32 << 20;
}

static struct bilanx_error find_programs(struct ops_hosts *hosts, bool python)
{
    BILANX_TRY(language_find_part("bilanx-worker", NULL, NULL, &hosts->program));
    if (python &&
        language_find_part("python/bilanx_ops.py", NULL, NULL, &hosts->script).status != BILANX_OK)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot find 'bilanx_ops.py': bilanx was built "
                                                  "without Python");
    return BILANX_SUCCESS;
}

static void drop(struct ops_backends *backends, size_t place)
{
    struct ops_backends one = {.items = mem_new(struct ops_backend), .count = 1};
    one.items[0] = backends->items[place];
    ops_backends_done(&one);
    backends->count--;
    memmove(backends->items + place, backends->items + place + 1,
            (backends->count - place) * sizeof *backends->items);
}

// Loads a backend into the first process, or into the second if the first cannot.
static struct bilanx_error settle(struct ops_hosts *hosts, struct ops_backend *backend)
{
    backend->host = 0;
    const char *python = hosts->items[0].python ? host_interpreter(hosts) : NULL;
    const struct tell *tell = &hosts->ops->options.tell;
    struct bilanx_error found = ops_backend_find_torch(backend, python, tell);
    if (found.status != BILANX_OK && python)  // it has none; the system may
        found = ops_backend_find_torch(backend, NULL, tell);
    BILANX_TRY(found);
    struct bilanx_error error = load(hosts, backend);
    if (error.status != BILANX_E_SKIPPED || !hosts->items[0].python)
        return error;
    backend->host = 1;
    if (hosts->count == 1) {
        hosts->count = 2;
        BILANX_TRY(launch_checked(hosts, 1));
    }
    return load(hosts, backend);
}

static struct bilanx_error check_names(const struct ops_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(backends->items[i].name, backends->items[k].name) == 0)
                return bilanx_error_make(BILANX_E_INPUT,
                                         "two backends call themselves '%s': name them, as in "
                                         "--backend old=./old.so",
                                         backends->items[i].name);
    return BILANX_SUCCESS;
}

static struct bilanx_error explain_backend(struct ops_hosts *hosts,
                                           const struct ops_backend *backend,
                                           const struct bilanx_error *error)
{
    AUTO(memory) char *subject = mem_format("backend '%s'", backend->name);
    struct bilanx_error explained = explain(&hosts->items[backend->host], 0, error);
    return bilanx_error_make(explained.status, "%s: %s", subject, explained.text);
}

static struct bilanx_error load_all(struct ops_hosts *hosts)
{
    struct ops_backends *backends = &hosts->ops->backends;
    for (size_t i = 0; i < backends->count;) {
        struct ops_backend *backend = &backends->items[i];
        struct bilanx_error error = settle(hosts, backend);
        if (error.status == BILANX_OK) {
            i++;
            continue;
        }
        if (!backend->implied || i == 0 || host_lost(&error))
            return explain_backend(hosts, backend, &error);
        drop(backends, i);
    }
    return check_names(backends);
}

struct bilanx_error ops_hosts_start(struct ops *ops, struct ops_hosts **out)
{
    AUTO(ops_hosts) struct ops_hosts *hosts = mem_new(struct ops_hosts);
    hosts->ops = ops;
    hosts->count = 1;
    bool python = false;
    for (size_t i = 0; i < ops->backends.count; i++)
        python |= ops->backends.items[i].python;
    hosts->items[0].python = python;
    hosts->cold_bytes = ops->options.cold ? last_level_cache() : 0;
    BILANX_TRY(find_programs(hosts, python));
    BILANX_TRY(temporary_init(&hosts->folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL));
    set_threads(hosts);
    BILANX_TRY(launch_checked(hosts, 0));
    BILANX_TRY(load_all(hosts));
    *out = TAKE(hosts);
    return BILANX_SUCCESS;
}
