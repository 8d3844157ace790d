// python_backend: backends whose functions are written in Python.
//
// `run` is one call of a Python function with arguments that were made before; everything else is
// up to bilanx_backends.py.
#include "python_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numpy_memory.h"
#include "python_values.h"

struct python_backend {
    struct python_names names;
    PyObject *backend;  // an object of the glue
    PyObject *memory;   // how numpy allocated before; NULL: as now
    char message[sizeof((struct bilanx_error *)0)->text];
};

struct python_call {
    struct python_backend *owner;
    PyObject *function, *arguments, *keywords;  // keywords may be NULL
    PyObject *finish;                           // converts the return value to the result
    PyObject *result;                           // of the last run
    struct python_results results;
};

// Writes the current exception on one line, and clears it.
static void explain(PyObject *glue, char *out, size_t size)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *text =
        value ? PyObject_CallMethod(glue, "explain", "OO", value, trace ? trace : Py_None) : NULL;
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : NULL;
    snprintf(out, size, "%s", bytes ? PyBytes_AsString(bytes) : "failed without an exception");
    PyObject *all[] = {type, value, trace, text, bytes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        Py_XDECREF(all[i]);
    PyErr_Clear();
}

static struct bilanx_error take_exception(PyObject *glue)
{
    struct bilanx_error error = {.status = BILANX_E_FAILED};
    explain(glue, error.text, sizeof error.text);
    return error;
}

static bool uses_numpy(PyObject *backend)
{
    PyObject *kind = PyObject_GetAttrString(backend, "kind");
    bool does = kind && PyUnicode_CompareWithASCIIString(kind, "numpy") == 0;
    Py_XDECREF(kind);
    PyErr_Clear();
    return does;
}

static struct bilanx_error open_kind(const char *kind, const struct bilanx_host *host,
                                     const char *config, void **state)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    struct bilanx_error error = BILANX_SUCCESS;
    struct python_backend made = {0};
    made.names.extension = PyImport_ImportModule("_bilanx_ops");
    made.names.glue = PyImport_ImportModule("bilanx_backends");
    if (made.names.extension && made.names.glue)
        made.backend = PyObject_CallMethod(made.names.glue, "open_backend", "szi", kind, config,
                                           host->threads);
    struct python_backend *kept = made.backend ? malloc(sizeof *kept) : NULL;
    if (kept) {
        made.memory = uses_numpy(made.backend) ? numpy_memory_use(host) : NULL;
        *kept = made;
        *state = kept;
    } else {
        error = made.names.glue
                    ? take_exception(made.names.glue)
                    : bilanx_error_make(BILANX_E_FAILED, "its parts cannot be imported");
    }
    PyGILState_Release(lock);
    return error;
}

static struct bilanx_error open_python(const struct bilanx_host *host, const char *config,
                                       void **state)
{
    return open_kind("python", host, config, state);
}

static struct bilanx_error open_inductor(const struct bilanx_host *host, const char *config,
                                         void **state)
{
    return open_kind("inductor", host, config, state);
}

static void copy_text(PyObject *text, char *out, size_t size)
{
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    snprintf(out, size, "%s", bytes ? PyBytes_AsString(bytes) : "");
    Py_XDECREF(bytes);
}

static const char *supports(void *state, const struct bilanx_call *call)
{
    struct python_backend *python = state;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *reason = PyObject_CallMethod(python->backend, "supports", "s", call->name);
    bool fine = reason == Py_None;
    if (!reason)
        explain(python->names.glue, python->message, sizeof python->message);
    else if (!fine)
        copy_text(reason, python->message, sizeof python->message);
    Py_XDECREF(reason);
    PyGILState_Release(lock);
    return fine ? NULL : python->message;
}

// The glue's form of a call: a tuple of function, arguments, keywords or None, finish or None.
static PyObject *ask_glue(struct python_backend *python, const struct bilanx_call *call)
{
    PyObject *arguments, *keywords;
    if (!values_to_python(&python->names, call, &arguments, &keywords))
        return NULL;
    PyObject *plan =
        PyObject_CallMethod(python->backend, "prepare", "sNN", call->name, arguments, keywords);
    return plan;
}

static PyObject *part(PyObject *plan, Py_ssize_t i)
{
    PyObject *item = PyTuple_GetItem(plan, i);
    if (!item || item == Py_None)
        return NULL;
    Py_INCREF(item);
    return item;
}

static struct bilanx_error prepare(void *state, const struct bilanx_call *call, void **prepared)
{
    struct python_backend *python = state;
    PyGILState_STATE lock = PyGILState_Ensure();
    struct bilanx_error error = BILANX_SUCCESS;
    PyObject *plan = ask_glue(python, call);
    struct python_call *made = plan ? malloc(sizeof *made) : NULL;
    if (made) {
        *made = (struct python_call){.owner = python,
                                     .function = part(plan, 0),
                                     .arguments = part(plan, 1),
                                     .keywords = part(plan, 2),
                                     .finish = part(plan, 3)};
        *prepared = made;
    } else {
        error = take_exception(python->names.glue);
    }
    Py_XDECREF(plan);
    PyGILState_Release(lock);
    return error;
}

static const char *run(void *prepared)
{
    struct python_call *call = prepared;
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_CLEAR(call->result);
    call->result = PyObject_Call(call->function, call->arguments, call->keywords);
    const char *wrong = NULL;
    if (!call->result) {
        explain(call->owner->names.glue, call->owner->message, sizeof call->owner->message);
        wrong = call->owner->message;
    }
    PyGILState_Release(lock);
    return wrong;
}

static struct bilanx_error outputs(void *prepared, struct bilanx_value *out)
{
    struct python_call *call = prepared;
    PyGILState_STATE lock = PyGILState_Ensure();
    struct bilanx_error error = BILANX_SUCCESS;
    struct bilanx_value value;
    PyObject *exported = PyObject_CallMethod(call->owner->names.glue, "export", "OO",
                                             call->result ? call->result : Py_None,
                                             call->finish ? call->finish : Py_None);
    if (exported && values_from_python(&call->results, exported, &value))
        *out = value;
    else
        error = take_exception(call->owner->names.glue);
    PyGILState_Release(lock);
    return error;
}

static void release(void *prepared)
{
    struct python_call *call = prepared;
    if (!call)
        return;
    PyGILState_STATE lock = PyGILState_Ensure();
    python_results_drop(&call->results);
    PyObject *all[] = {call->result, call->finish, call->keywords, call->arguments, call->function};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        Py_XDECREF(all[i]);
    PyGILState_Release(lock);
    free(call);
}

static void close_backend(void *state)
{
    struct python_backend *python = state;
    if (!python)
        return;
    PyGILState_STATE lock = PyGILState_Ensure();
    numpy_memory_restore(python->memory);
    PyObject *all[] = {python->backend, python->names.glue, python->names.extension};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        Py_XDECREF(all[i]);
    PyGILState_Release(lock);
    free(python);
}

static void describe(void *state, char *out, size_t size)
{
    struct python_backend *python = state;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *text = PyObject_CallMethod(python->backend, "describe", NULL);
    if (text)
        copy_text(text, out, size);
    Py_XDECREF(text);
    PyErr_Clear();
    PyGILState_Release(lock);
}

static const struct bilanx_backend from_file = {
    .version = BILANX_BACKEND_VERSION,
    .name = "python",
    .about = "functions of a Python file",
    .open = open_python,
    .supports = supports,
    .prepare = prepare,
    .run = run,
    .outputs = outputs,
    .release = release,
    .close = close_backend,
    .describe = describe,
};

static const struct bilanx_backend inductor = {
    .version = BILANX_BACKEND_VERSION,
    .name = "inductor",
    .about = "the compiler of PyTorch 2",
    .open = open_inductor,
    .supports = supports,
    .prepare = prepare,
    .run = run,
    .outputs = outputs,
    .release = release,
    .close = close_backend,
    .describe = describe,
};

const struct bilanx_backend *const python_backends[PYTHON_BACKENDS] = {&from_file, &inductor};
