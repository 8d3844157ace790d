// operators: the module _bilanx_ops, which makes an interpreter a worker for `bilanx ops`.
//
// The worker itself is bilanx-operators.so, the same code as in bilanx-worker. The interpreter adds
// the backends that are written in Python.
//
// Uses the stable ABI, so that one file works with every CPython from 3.5 on.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "python_backend.h"
#include "sources/operator_worker/operator_worker.h"
#include "tensor_object.h"

// Python must be notified of a fork. These exist from 3.7 on.
__attribute__((weak)) void PyOS_BeforeFork(void);
__attribute__((weak)) void PyOS_AfterFork_Parent(void);
__attribute__((weak)) void PyOS_AfterFork_Child(void);

static void forking(enum operator_worker_fork when)
{
    if (when == OPERATOR_FORK_BEFORE && PyOS_BeforeFork)
        PyOS_BeforeFork();
    else if (when == OPERATOR_FORK_PARENT && PyOS_AfterFork_Parent)
        PyOS_AfterFork_Parent();
    else if (when == OPERATOR_FORK_CHILD && PyOS_AfterFork_Child)
        PyOS_AfterFork_Child();
    else if (when == OPERATOR_FORK_CHILD)
        PyOS_AfterFork();
}

// The caller copies the reason at once.
static const char *elsewhere(const char *name, const char *path)
{
    static char text[256];
    text[0] = '\0';
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *glue = PyImport_ImportModule("bilanx_backends");
    PyObject *reason = glue ? PyObject_CallMethod(glue, "elsewhere", "ss", name, path) : NULL;
    PyObject *bytes =
        reason && reason != Py_None ? PyUnicode_AsEncodedString(reason, "utf-8", "replace") : NULL;
    if (bytes)
        snprintf(text, sizeof text, "%s", PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
    Py_XDECREF(reason);
    Py_XDECREF(glue);
    PyErr_Clear();
    PyGILState_Release(lock);
    return text[0] ? text : NULL;
}

static PyObject *serve(PyObject *module, PyObject *path)
{
    (void)module;
    PyObject *bytes = PyUnicode_AsEncodedString(path, "utf-8", "surrogateescape");
    if (!bytes)
        return NULL;
    void *library = dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(bytes);
    int (*start)(const struct operator_worker *) =
        library ? (int (*)(const struct operator_worker *))dlsym(library, "operator_worker_serve")
                : NULL;
    if (!start) {
        PyErr_SetString(PyExc_OSError, dlerror());
        return NULL;
    }
    struct operator_worker worker = {.backends = python_backends,
                                     .backend_count = PYTHON_BACKENDS,
                                     .elsewhere = elsewhere,
                                     .forking = forking};
    return PyLong_FromLong(start(&worker));
}

static PyObject *tables(PyObject *module, PyObject *nothing)
{
    (void)nothing;
    (void)module;
    PyObject *made = PyDict_New();
    for (size_t i = 0; made && i < PYTHON_BACKENDS; i++) {
        PyObject *address = PyLong_FromVoidPtr((void *)(uintptr_t)python_backends[i]);
        if (!address || PyDict_SetItemString(made, python_backends[i]->name, address) != 0)
            Py_CLEAR(made);
        Py_XDECREF(address);
    }
    return made;
}

static PyMethodDef methods[] = {
    {"serve", serve, METH_O, "serve(library): until the channel closes; returns the status"},
    {"tables", tables, METH_NOARGS, "tables(): the addresses of the backends' tables, for tests"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_bilanx_ops",
                                        .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__bilanx_ops(void);
PyMODINIT_FUNC PyInit__bilanx_ops(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && !add_tensor_type(module))
        Py_CLEAR(module);
    return module;
}
