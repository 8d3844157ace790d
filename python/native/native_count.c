// native_count: instruction counts, by workers under valgrind that stay for the next count.
//
// A worker has imported costly modules (torch takes a minute under valgrind) and forks for every
// statement, so only the first count is slow.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "bilanx/counts.h"
#include "core/worker/server.h"
#include "count/counting/nursery.h"
#include "count/counting/profiles.h"
#include "native.h"
#include "native_counted.h"

static const double TIMEOUT_S = 600;
static const uint64_t WARMUP = 110;  // as for `bilanx count`: see sources/statements/python.c

struct python_counter {
    PyObject_HEAD struct nursery nursery;
    struct run_subject subject;
    struct list argv, environment;
    char *prepare, *barrier;
    pid_t owner;  // a fork of this process must leave the worker alone
};

static bool add_strings(PyObject *sequence, struct list *out)
{
    Py_ssize_t count = PySequence_Size(sequence);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(sequence, i), *keep = NULL;
        const char *text = NULL;
        bool read = item && native_text(item, &text, &keep) && text;
        if (read)
            list_add(out, text);
        Py_XDECREF(keep);
        Py_XDECREF(item);
        if (!read)
            return false;
    }
    return count >= 0;
}

// A dictionary of strings as the words of a request.
static char *words_of(PyObject *dictionary)
{
    struct text words = {0};
    PyObject *key, *value;
    Py_ssize_t at = 0;
    bool read = true;
    while (read && PyDict_Next(dictionary, &at, &key, &value)) {
        PyObject *keep[2] = {NULL, NULL};
        const char *texts[2] = {NULL, NULL};
        read = native_text(key, &texts[0], &keep[0]) && native_text(value, &texts[1], &keep[1]);
        if (read && texts[0] && texts[1])
            message_add(&words, texts[0], texts[1]);
        Py_XDECREF(keep[0]);
        Py_XDECREF(keep[1]);
    }
    if (!read) {
        text_done(&words);
        return NULL;
    }
    return words.size ? text_take(&words) : mem_text("");
}

static void end(struct python_counter *counter)
{
    if (counter->owner && counter->owner != getpid())
        return;
    nursery_done(&counter->nursery);
    list_done(&counter->argv);
    list_done(&counter->environment);
    free(counter->prepare);
    free(counter->barrier);
    counter->prepare = counter->barrier = NULL;
}

// Counter(argv, environment, prepare, barrier)
static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"argv", "environment", "prepare", "barrier", NULL};
    struct python_counter *counter = (struct python_counter *)self;
    PyObject *argv, *environment, *prepare, *barrier;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO!O!", names, &argv, &environment,
                                     &PyDict_Type, &prepare, &PyDict_Type, &barrier))
        return -1;
    end(counter);
    counter->argv = counter->environment = (struct list){0};
    if (!add_strings(argv, &counter->argv) || !add_strings(environment, &counter->environment) ||
        !(counter->prepare = words_of(prepare)) || !(counter->barrier = words_of(barrier)))
        return -1;
    counter->owner = getpid();
    counter->subject = (struct run_subject){
        .name = "python",
        .barrier = counter->barrier,
        .warmup = WARMUP,
        .prepare = counter->prepare,
        .launch = {.argv = (const char *const *)counter->argv.items,
                   .channel = WORKER_CHANNEL,
                   .environment = counter->environment.items},
    };
    // Counts equal torch's, which are of the variants that glibc chooses.
    counter->nursery = (struct nursery){
        .subject = &counter->subject, .launcher = &launch_callgrind, .hwcaps = HWCAPS_NATIVE};
    return 0;
}

// count(words, number, repeats, retain): see native_counted()
static PyObject *count(PyObject *self, PyObject *arguments)
{
    struct python_counter *counter = (struct python_counter *)self;
    struct nursery_options options = {.timeout = TIMEOUT_S};
    PyObject *words;
    unsigned long long number, repeats, threads;
    int retain;
    if (!PyArg_ParseTuple(arguments, "O!KKKp", &PyDict_Type, &words, &number, &repeats, &threads,
                          &retain))
        return NULL;
    AUTO(memory) char *open = words_of(words);
    if (!open)
        return NULL;
    options.number = number;
    options.repeats = repeats;
    options.threads = threads;
    return native_counted(&counter->nursery, open, &options, retain);
}

static PyObject *is_running(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return PyBool_FromLong(((struct python_counter *)self)->nursery.running);
}

static PyObject *stop(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    struct python_counter *counter = (struct python_counter *)self;
    if (counter->owner == getpid())
        nursery_done(&counter->nursery);
    Py_RETURN_NONE;
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    end((struct python_counter *)self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"count", count, METH_VARARGS, "count(words, number, repeats, threads, retain) -> list"},
    {"is_running", is_running, METH_NOARGS, "is_running(): whether the worker has been started"},
    {"stop", stop, METH_NOARGS, "stop(): ends the worker; the next count starts another"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, (void *)init},
    {Py_tp_dealloc, (void *)release},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A worker for Python under valgrind."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "bilanx._native.Counter",
    .basicsize = sizeof(struct python_counter),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool native_add_counter(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "Counter", type) == 0;
}
