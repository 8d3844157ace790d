// extension: the worker for Python, as a module of the measured interpreter.
//
// Uses the same server as all other workers, with statements as cases. bilanx_statement.py makes a
// function from a statement and calls it with a `batches` object, whose items are
// itertools.repeat(None, n). For a loop of blocks, an item is the remainder, and the blocks are
// stored under a separate name. Everything else happens between two items: the clock, the protocol,
// the forks.
//
// Uses the stable ABI, so that one file works with every CPython from 3.5 on.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/draw.h"
#include "core/worker/libraries.h"
#include "core/worker/server.h"
#include "core/worker/shift.h"
#include "frames.h"
#include "tensor_object.h"

struct batches {
    PyObject_HEAD struct loop *loop;
    PyObject *repeat;  // itertools.repeat
    PyObject *settle;  // returns a function that waits for the devices in use, or None
    PyObject *wait;    // NULL: nothing to wait for
    PyObject *last;    // the current batch, kept until the clock stops
    uint64_t count;
    uint64_t block;   // iterations per block; 0: no blocks
    PyObject *names;  // where the blocks of a batch are stored; NULL: nowhere
};

static bool call_nothing(PyObject *function)
{
    PyObject *result = PyObject_CallObject(function, NULL);
    Py_XDECREF(result);
    return result != NULL;
}

// Called before batches 0, 1, 2, 4, 8, ...: a device is used in the first calls or not at all, and
// asking before every batch would disturb the caches.
static bool settle(struct batches *batches)
{
    if ((batches->count & (batches->count - 1)) != 0)
        return true;
    PyObject *wait = PyObject_CallObject(batches->settle, NULL);
    if (!wait)
        return false;
    Py_XDECREF(batches->wait);
    batches->wait = wait == Py_None ? NULL : wait;
    if (wait == Py_None)
        Py_DECREF(wait);
    return true;
}

static bool put(const struct batches *batches, const char *name, unsigned long long n)
{
    PyObject *rounds = PyObject_CallFunction(batches->repeat, "()K", n);
    bool done = rounds && PyDict_SetItemString(batches->names, name, rounds) == 0;
    Py_XDECREF(rounds);
    return done;
}

static PyObject *make_batch(const struct batches *batches, uint64_t n)
{
    if (!batches->block)
        return PyObject_CallFunction(batches->repeat, "OK", Py_None, (unsigned long long)n);
    if (!put(batches, "_bilanx_rest", n % batches->block) ||
        !put(batches, "_bilanx_blocks", n / batches->block))
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

// The clock runs from the last line of one call to loop_stage() in the next.
static PyObject *next_batch(PyObject *self)
{
    struct batches *batches = (struct batches *)self;
    struct loop *loop = batches->loop;
    if (batches->wait && loop->timing && !call_nothing(batches->wait))
        return NULL;
    if (loop->timing)
        loop_pause(loop);
    Py_CLEAR(batches->last);
    if (!settle(batches))
        return NULL;
    batches->count++;
    uint64_t n = loop_stage(loop);
    if (n == 0)
        return NULL;
    PyObject *batch = make_batch(batches, n);
    if (!batch || (batches->wait && !call_nothing(batches->wait))) {
        Py_XDECREF(batch);
        return NULL;
    }
    Py_INCREF(batch);
    batches->last = batch;
    loop_resume(loop);
    return batch;
}

static void free_batches(PyObject *self)
{
    struct batches *batches = (struct batches *)self;
    Py_CLEAR(batches->repeat);
    Py_CLEAR(batches->settle);
    Py_CLEAR(batches->wait);
    Py_CLEAR(batches->last);
    Py_CLEAR(batches->names);
    PyObject_Free(self);
}

static PyObject *itself(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

static PyType_Slot batches_slots[] = {
    {Py_tp_iter, (void *)itself},
    {Py_tp_iternext, (void *)next_batch},
    {Py_tp_dealloc, (void *)free_batches},
    {0, NULL},
};
static PyType_Spec batches_spec = {
    .name = "_bilanx.batches",
    .basicsize = sizeof(struct batches),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = batches_slots,
};

// State of the server; one per process.
struct python {
    PyObject *glue;     // prepare(words), run(words, batches)
    PyObject *failure;  // exception with a code and a text
    PyObject *type;     // of batches
    PyObject *repeat;
    PyObject *cases;  // of a program: a list of dictionaries; NULL: none
    struct loop loop;
    struct frames frames;
    // The current run.
    PyObject *words, *result;
};

static PyObject *make_batches(PyObject *self, PyObject *arguments)
{
    PyObject *settle, *names = NULL;
    unsigned long long block = 0;
    if (!PyArg_ParseTuple(arguments, "O|KO!", &settle, &block, &PyDict_Type, &names))
        return NULL;
    struct python *python = PyCapsule_GetPointer(self, NULL);
    struct batches *batches = PyObject_New(struct batches, (PyTypeObject *)python->type);
    if (!batches)
        return NULL;
    batches->loop = &python->loop;
    batches->wait = batches->last = NULL;
    batches->count = 0;
    batches->block = names ? block : 0;
    Py_XINCREF(names);
    batches->names = names;
    Py_INCREF(python->repeat);
    batches->repeat = python->repeat;
    Py_INCREF(settle);
    batches->settle = settle;
    return (PyObject *)batches;
}

static PyMethodDef make_batches_method = {"batches", make_batches, METH_VARARGS, NULL};

static PyObject *words_of(const struct message *request)
{
    PyObject *words = PyDict_New();
    for (size_t i = 0; words && i < request->count; i++) {
        const char *value = request->pairs[i].value;
        PyObject *text = PyUnicode_DecodeUTF8(value, (Py_ssize_t)strlen(value), "surrogateescape");
        if (!text || PyDict_SetItemString(words, request->pairs[i].key, text) != 0)
            Py_CLEAR(words);
        Py_XDECREF(text);
    }
    return words;
}

// The UTF-8 text of an object; the caller releases the bytes.
static PyObject *bytes_of(PyObject *object)
{
    PyObject *text = object ? PyObject_Str(object) : NULL;
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : NULL;
    Py_XDECREF(text);
    if (!bytes)
        PyErr_Clear();
    return bytes;
}

static enum bilanx_status status_of(const char *code)
{
    for (int status = BILANX_OK + 1; status <= BILANX_E_INTERRUPTED; status++)
        if (strcmp(bilanx_status_code((enum bilanx_status)status), code) == 0)
            return (enum bilanx_status)status;
    return BILANX_E_FAILED;
}

// Converts the current exception to an error: a Failure of the glue, or a fault in the worker
// itself.
static struct bilanx_error take_exception(const struct python *python)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    bool told = type && PyErr_GivenExceptionMatches(type, python->failure);
    PyObject *code = told ? PyObject_GetAttrString(value, "code") : NULL;
    PyObject *code_bytes = bytes_of(code), *text_bytes = bytes_of(value);
    struct bilanx_error error =
        bilanx_error_make(code_bytes ? status_of(PyBytes_AsString(code_bytes)) : BILANX_E_FAILED,
                          "%s%s", told ? "" : "the worker for Python failed: ",
                          text_bytes ? PyBytes_AsString(text_bytes) : "out of memory");
    PyObject *all[] = {type, value, trace, code, code_bytes, text_bytes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        Py_XDECREF(all[i]);
    PyErr_Clear();
    return error;
}

static void add_words(PyObject *words, struct text *out)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (words && PyDict_Next(words, &at, &key, &value)) {
        PyObject *key_bytes = bytes_of(key), *value_bytes = bytes_of(value);
        if (key_bytes && value_bytes)
            message_add(out, PyBytes_AsString(key_bytes), PyBytes_AsString(value_bytes));
        Py_XDECREF(key_bytes);
        Py_XDECREF(value_bytes);
    }
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    struct python *python = context;
    PyObject *words = words_of(request);
    PyObject *result = words ? PyObject_CallMethod(python->glue, "prepare", "O", words) : NULL;
    Py_XDECREF(words);
    if (!result)
        return take_exception(python);
    add_words(result, out);
    Py_DECREF(result);
    return BILANX_SUCCESS;
}

static void call_run(void *context)
{
    struct python *python = context;
    PyObject *self = PyCapsule_New(python, NULL, NULL);
    PyObject *batches = self ? PyCFunction_New(&make_batches_method, self) : NULL;
    if (batches)
        python->result = PyObject_CallMethod(python->glue, "run", "OO", python->words, batches);
    Py_XDECREF(batches);
    Py_XDECREF(self);
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    struct python *python = context;
    uint64_t seed = 0;
    BILANX_TRY(message_count(request, "seed", &seed));
    Py_CLEAR(python->result);
    python->words = words_of(request);
    if (!python->words)
        return take_exception(python);
    python->loop =
        (struct loop){.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &python->loop;
    server->body = (const void *)(uintptr_t)call_run;
    frames_set_base(&python->frames);
    shift_call(seed, call_run, python);
    Py_CLEAR(python->words);
    return python->result ? BILANX_SUCCESS : take_exception(python);
}

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    add_words(PyList_GetItem(((struct python *)context)->cases, (Py_ssize_t)index), out);
}

static void describe_result(void *context, struct text *out)
{
    add_words(((struct python *)context)->result, out);
}

// Python must be notified of a fork. These exist from 3.7 on; before that, only the child is
// notified.
__attribute__((weak)) void PyOS_BeforeFork(void);
__attribute__((weak)) void PyOS_AfterFork_Parent(void);
__attribute__((weak)) void PyOS_AfterFork_Child(void);

static void forking(void *context, enum server_fork where)
{
    (void)context;
    if (where == SERVER_FORK_BEFORE && PyOS_BeforeFork)
        PyOS_BeforeFork();
    else if (where == SERVER_FORK_PARENT && PyOS_AfterFork_Parent)
        PyOS_AfterFork_Parent();
    else if (where == SERVER_FORK_CHILD && PyOS_AfterFork_Child)
        PyOS_AfterFork_Child();
    else if (where == SERVER_FORK_CHILD)
        PyOS_AfterFork();
}

static PyObject *find_repeat(void)
{
    PyObject *itertools = PyImport_ImportModule("itertools");
    PyObject *repeat = itertools ? PyObject_GetAttrString(itertools, "repeat") : NULL;
    Py_XDECREF(itertools);
    return repeat;
}

static PyObject *serve(PyObject *module, PyObject *arguments)
{
    (void)module;
    int in, out;
    struct python python = {0};
    if (!PyArg_ParseTuple(arguments, "iiOO|O!", &in, &out, &python.glue, &python.failure,
                          &PyList_Type, &python.cases))
        return NULL;
    python.repeat = find_repeat();
    python.type = PyType_FromSpec(&batches_spec);
    int status = 1;
    frames_init(&python.frames);
    if (python.repeat && python.type) {
        struct server_subject subject = {.context = &python,
                                         .describe = describe,
                                         .case_count =
                                             python.cases ? (size_t)PyList_Size(python.cases) : 0,
                                         .describe_case = describe_case,
                                         .prepare = prepare,
                                         .run = run,
                                         .describe_result = describe_result,
                                         .forking = forking,
                                         .language = &python.frames.language};
        status = server_run(&subject, in, out);
    }
    Py_XDECREF(python.repeat);
    Py_XDECREF(python.type);
    Py_XDECREF(python.result);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(status);
}

static PyObject *set_threads(PyObject *module, PyObject *count)
{
    (void)module;
    long threads = PyLong_AsLong(count);
    if (threads < 1 || threads > 1 << 16) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "not a number of threads");
        return NULL;
    }
    return PyLong_FromLong(libraries_set_threads((int)threads));
}

static PyObject *undo_draw(PyObject *module, PyObject *limit)
{
    (void)module;
    draw_undo(PyLong_AsUnsignedLongLong(limit));
    if (PyErr_Occurred())
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *safe_threads(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyLong_FromLong(libraries_safe_threads());
}

static PyMethodDef methods[] = {
    {"serve", serve, METH_VARARGS,
     "serve(in, out, glue, failure, cases=[]): until the channel closes"},
    {"set_threads", set_threads, METH_O, "set_threads(n): in OpenMP and BLAS, if they are loaded"},
    {"undo_draw", undo_draw, METH_O, "undo_draw(limit): restores the stack limit"},
    {"make_inputs", make_inputs, METH_VARARGS,
     "make_inputs(text, seed): names and values of a sample"},
    {"safe_threads", safe_threads, METH_NOARGS, "safe_threads(): how many threads survive a fork"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_bilanx", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__bilanx(void);
PyMODINIT_FUNC PyInit__bilanx(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && !add_tensor_type(module))
        Py_CLEAR(module);
    return module;
}
