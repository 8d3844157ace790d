// native_standby: the worker that C++ statements with PyTorch share.
#include "native_standby.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"

static const uint64_t CLOSE_NS = 1000000000u;

static struct {
    struct run_standby *worker;
    char *prepare;              // the words that made it load its libraries
    struct text libraries;      // libraries that it was asked to load, one per line
    uint64_t threads;           // of its environment
    struct standby_case *open;  // the case in it
    bool taken;
    pthread_mutex_t mutex;  // a statement may be released while another takes its place
    pid_t owner;            // a fork of this process must leave the worker alone
} shared;

static void end(void)
{
    if (shared.owner != getpid())
        return;
    if (shared.open)
        shared.open->is_open = false;
    shared.open = NULL;
    run_standby_done(shared.worker);
}

bool native_standby_take(void)
{
    if (shared.owner != getpid()) {  // also in a fork, which starts a worker of its own
        memset(&shared, 0, sizeof shared);
        shared.owner = getpid();
        shared.worker = run_standby_new();
        pthread_mutex_init(&shared.mutex, NULL);
        static bool registered;
        if (!registered)
            Py_AtExit(end);
        registered = true;
    }
    if (shared.taken)
        return false;
    return shared.taken = true;
}

void native_standby_give(void)
{
    shared.taken = false;
}

static bool close_politely(struct client *client)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "close");
    message_end(&request);
    client->timeout_ns = CLOSE_NS;
    return client_ask(client, &request, "closed", &answer).status == BILANX_OK;
}

static void close_case(struct standby_case *open, const struct bilanx_error *error)
{
    struct bilanx_error over = bilanx_error_make(BILANX_E_EXITED, "no longer needed");
    if (!open->is_open)
        return;
    open->is_open = false;
    if (open != shared.open) {
        session_end(&open->session, error ? error : &over);
        return;
    }
    shared.open = NULL;
    if (error)
        session_end(&open->session, error);
    else if (!close_politely(open->session.client))
        run_standby_done(shared.worker);
}

void native_standby_close(struct standby_case *open, const struct bilanx_error *error)
{
    pthread_mutex_lock(&shared.mutex);
    close_case(open, error);
    pthread_mutex_unlock(&shared.mutex);
}

static bool holds(const struct list *list, const char *wanted)
{
    size_t at = 0;
    while (at < list->count && strcmp(list->items[at], wanted) != 0)
        at++;
    return at < list->count;
}

// Whether the worker has loaded all of these.
static bool fits(const struct text *wanted, uint64_t threads)
{
    AUTO(list) struct list loaded = {0}, names = {0};
    list_split_lines(&loaded, text_get(&shared.libraries));
    list_split_lines(&names, text_get(wanted));
    size_t found = 0;
    while (found < names.count && holds(&loaded, names.items[found]))
        found++;
    return shared.threads == threads && found == names.count;
}

// Ends a worker that has loaded something else.
static void want(const char *list, struct text *libraries, uint64_t threads)
{
    struct text words = {0};
    if (fits(libraries, threads))
        return;
    run_standby_done(shared.worker);
    message_add(&words, "libraries", list);
    free(shared.prepare);
    shared.prepare = text_take(&words);
    text_done(&shared.libraries);
    shared.libraries = *libraries;
    *libraries = (struct text){0};
    shared.threads = threads;
}

bool native_standby_lend(const char *list, uint64_t threads, struct standby_case *to,
                         struct run_subject *subject)
{
    AUTO(text) struct text libraries = {0};
    if (file_read(list, &libraries).status != BILANX_OK || !libraries.size)
        return false;
    pthread_mutex_lock(&shared.mutex);
    if (shared.open)
        close_case(shared.open, NULL);
    want(list, &libraries, threads);
    shared.open = to;
    pthread_mutex_unlock(&shared.mutex);
    subject->standby = shared.worker;
    subject->prepare = shared.prepare;
    return true;
}

PyObject *native_stop_worker(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    if (!shared.taken)
        end();
    Py_RETURN_NONE;
}
