// native_compiled: C++ statements, compiled by our compiler into our cache and run by our worker.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "native.h"
#include "native_counted.h"
#include "native_standby.h"
#include "sources/statements/statements.h"

static const double TIMEOUT_S = 600, CLOCK_S = 5e-8;

struct compiled {
    PyObject_HEAD struct statements timed, counted;
    struct nursery nursery;
    struct standby_case open;
    bool is_compiled, is_countable;
    char *stmt, *setup, *global_setup;
    bool torch;
    uint64_t threads;
    pid_t owner;  // a fork of this process must leave the workers alone
};

static void end(struct compiled *compiled)
{
    if (compiled->owner && compiled->owner != getpid())
        return;
    native_standby_close(&compiled->open, NULL);
    nursery_done(&compiled->nursery);
    statements_done(&compiled->timed);
    statements_done(&compiled->counted);
    compiled->is_compiled = compiled->is_countable = false;
    free(compiled->stmt);
    free(compiled->setup);
    free(compiled->global_setup);
    compiled->stmt = compiled->setup = compiled->global_setup = NULL;
}

// Compiled(stmt, setup, global_setup, threads, torch)
static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"stmt", "setup", "global_setup", "threads", "torch", NULL};
    struct compiled *compiled = (struct compiled *)self;
    const char *stmt, *setup, *global_setup;
    unsigned long long threads;
    int torch;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sssKp", names, &stmt, &setup,
                                     &global_setup, &threads, &torch))
        return -1;
    end(compiled);
    compiled->owner = getpid();
    compiled->stmt = mem_text(stmt);
    compiled->setup = mem_text(setup);
    compiled->global_setup = mem_text(global_setup);
    compiled->threads = threads;
    compiled->torch = torch;
    return 0;
}

// Counts equal torch's, which are of the variants that glibc chooses.
static struct nursery nursery_of(const struct compiled *compiled)
{
    return (struct nursery){.subject = &compiled->counted.worker,
                            .launcher = &launch_callgrind,
                            .hwcaps = HWCAPS_NATIVE};
}

// In a fork of the process that used it: leaves the workers to that one.
static void adopt(struct compiled *compiled)
{
    if (compiled->owner == getpid())
        return;
    compiled->owner = getpid();
    compiled->open = (struct standby_case){0};
    compiled->nursery = nursery_of(compiled);
}

static struct bilanx_error prepare(const struct compiled *compiled, bool counting,
                                   struct statements *out)
{
    static const char *recipe[] = {"torch"};
    struct statement_options options = {
        .language = "c++",
        .setup = compiled->setup,
        .global_setup = compiled->global_setup,
        .threads = compiled->threads,
        .recipes = {.items = recipe, .count = compiled->torch ? 1 : 0},
        .counting = counting,
        .setup_once = true,
    };
    const char *stmt = compiled->stmt;
    BILANX_TRY(statements_prepare_plain(&stmt, 1, &options, out));
    const struct bilanx_failure *failure = out->cases.items[0].failure;
    if (failure)
        return bilanx_error_make(BILANX_E_COMPILE, "%s", failure->text ? failure->text : "");
    return counting ? statements_add_barrier(&options, out) : BILANX_SUCCESS;
}

static const char *output_of(const struct statements *statements)
{
    const struct bilanx_failure *failure =
        statements->cases.count ? statements->cases.items[0].failure : NULL;
    return failure ? failure->output : NULL;
}

static struct bilanx_error ask(struct client *client, const char *verb, const char *words,
                               const char *answered, struct message *answer)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, verb);
    text_add(&request, words);
    message_end(&request);
    return client_ask(client, &request, answered, answer);
}

// `list`: where its process notes what it loads; NULL: nowhere.
static struct bilanx_error start_case(struct compiled *compiled, const char *list)
{
    const struct run_case *item = &compiled->timed.cases.items[0];
    struct session_options options = session_options_for(item, TIMEOUT_S, 0);
    struct session *session = &compiled->open.session;
    AUTO(message) struct message answer = {0};
    AUTO(text) struct text words = {0};
    *session = (struct session){0};
    compiled->open.is_open = true;
    BILANX_TRY(session_start(item->subject, &options, session));
    text_add(&words, item->open);
    session_add_words(session, &words);
    if (list)
        message_add(&words, "libraries", list);
    return ask(session->client, "open", text_get(&words), "opened", &answer);
}

// Runs in the shared worker if there is a list of libraries to load, otherwise in a separate
// process, which makes the list. `shared`: this thread may use the shared worker.
static struct bilanx_error open_case(struct compiled *compiled, bool shared)
{
    struct run_subject *subject = &compiled->timed.worker;
    AUTO(memory) char *list = statement_libraries(&compiled->timed.items[0]);
    subject->standby = NULL;
    subject->prepare = NULL;
    if (!shared || !native_standby_lend(list, compiled->threads, &compiled->open, subject))
        return start_case(compiled, compiled->torch ? list : NULL);
    struct bilanx_error error = start_case(compiled, NULL);
    if (error.status != BILANX_E_CRASHED && error.status != BILANX_E_EXITED)
        return error;
    native_standby_close(&compiled->open, &error);
    if (subject->standby->running)  // only the statement crashed
        return error;
    unlink(list);
    return open_case(compiled, false);
}

static struct bilanx_error run_block(struct compiled *compiled, uint64_t number, bool shared,
                                     double *seconds)
{
    AUTO(message) struct message answer = {0};
    AUTO(text) struct text words = {0};
    AUTO(memory) double *times = NULL;
    size_t count = 0;
    if (!compiled->is_compiled)
        BILANX_TRY(prepare(compiled, false, &compiled->timed));
    compiled->is_compiled = true;
    if (!compiled->open.is_open)
        BILANX_TRY(open_case(compiled, shared));
    message_add(&words, "method", "timeit");
    message_add_count(&words, "number", number);
    message_add_count(&words, "repeats", 1);
    BILANX_TRY(
        ask(compiled->open.session.client, "measure", text_get(&words), "measured", &answer));
    BILANX_TRY(message_numbers(&answer, "times", &times, &count));
    *seconds = count ? times[0] : 0;
    return BILANX_SUCCESS;
}

// run(number): seconds of one block. The first call compiles.
static PyObject *run(PyObject *self, PyObject *argument)
{
    struct compiled *compiled = (struct compiled *)self;
    unsigned long long number = PyLong_AsUnsignedLongLong(argument);
    double seconds = CLOCK_S;
    if (PyErr_Occurred())
        return NULL;
    if (number == 0)
        return PyFloat_FromDouble(seconds);
    struct native_wait wait;
    adopt(compiled);
    bool shared = compiled->torch && native_standby_take();
    if (!shared && compiled->open.session.standby)  // another thread is about to use that worker
        native_standby_close(&compiled->open, NULL);
    native_wait_begin(&wait);
    struct bilanx_error error = run_block(compiled, number, shared, &seconds);
    native_wait_end(&wait);
    if (error.status != BILANX_OK)
        native_standby_close(&compiled->open, &error);
    if (shared)
        native_standby_give();
    if (error.status == BILANX_OK)
        return PyFloat_FromDouble(seconds);
    native_raise(&error, output_of(&compiled->timed));
    if (!compiled->is_compiled)
        statements_done(&compiled->timed);
    return NULL;
}

static struct bilanx_error make_countable(struct compiled *compiled)
{
    if (compiled->is_countable)
        return BILANX_SUCCESS;
    BILANX_TRY(prepare(compiled, true, &compiled->counted));
    compiled->nursery = nursery_of(compiled);
    compiled->is_countable = true;
    return BILANX_SUCCESS;
}

static PyObject *count(PyObject *self, PyObject *arguments)
{
    struct compiled *compiled = (struct compiled *)self;
    unsigned long long number, repeats;
    int retain;
    if (!PyArg_ParseTuple(arguments, "KKp", &number, &repeats, &retain))
        return NULL;
    struct native_wait wait;
    adopt(compiled);
    native_wait_begin(&wait);
    struct bilanx_error error = make_countable(compiled);
    native_wait_end(&wait);
    if (error.status != BILANX_OK) {
        native_raise(&error, output_of(&compiled->counted));
        statements_done(&compiled->counted);
        return NULL;
    }
    struct nursery_options options = {
        .number = number, .repeats = repeats, .threads = compiled->threads, .timeout = TIMEOUT_S};
    return native_counted(&compiled->nursery, compiled->counted.cases.items[0].open, &options,
                          retain);
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    end((struct compiled *)self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"run", run, METH_O, "run(number): seconds of one block"},
    {"count", count, METH_VARARGS, "count(number, repeats, retain) -> list"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, (void *)init},
    {Py_tp_dealloc, (void *)release},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A C++ statement."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "bilanx._native.Compiled",
    .basicsize = sizeof(struct compiled),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool native_add_compiled(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "Compiled", type) == 0;
}
