// native_fork: a function in a fork of this interpreter, which may crash, exit or hang.
//
// The function gets a descriptor and writes lines to it. The fork has its own process group and
// ends with this process. What it prints is kept for errors.
#include "native_fork.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/lineage.h"
#include "base/process.h"

struct forked {
    PyObject_HEAD struct process process;
    pid_t owner;   // a fork of this process must leave the other one alone
    bool guarded;  // by a guard that ends with it: a remaining process of ours would be a nuisance
};

static int child(void *context, int in, int out)
{
    close(in);
    PyOS_AfterFork_Child();
    lineage_guard();
    PyObject *result = PyObject_CallFunction(context, "i", out);
    if (!result)
        PyErr_Print();
    Py_XDECREF(result);
    return result ? 0 : 1;
}

static PyObject *stop(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    struct forked *forked = (struct forked *)self;
    if (forked->owner == getpid())
        process_done(&forked->process);
    if (forked->owner == getpid() && forked->guarded)
        lineage_unguard();
    forked->owner = 0;
    Py_RETURN_NONE;
}

// Fork(function): calls function(descriptor) in a fork.
static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"function", NULL};
    struct forked *forked = (struct forked *)self;
    PyObject *function;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &function))
        return -1;
    Py_DECREF(stop(self, NULL));
    PyOS_BeforeFork();
    struct bilanx_error error = process_start(
        &(struct process_options){.body = child, .context = function}, &forked->process);
    PyOS_AfterFork_Parent();
    if (error.status != BILANX_OK) {
        native_raise(&error, NULL);
        return -1;
    }
    forked->owner = getpid();
    forked->guarded = lineage_guard();
    return 0;
}

static uint64_t deadline_of(double timeout)
{
    static const double LONGEST_S = 1e9;
    return timeout < LONGEST_S ? monotonic_ns() + (uint64_t)(fmax(timeout, 0) * 1e9) : UINT64_MAX;
}

// receive(timeout): the next line. A fork that does not write one is a MeasurementError.
static PyObject *receive(PyObject *self, PyObject *arguments)
{
    struct forked *forked = (struct forked *)self;
    AUTO(text) struct text line = {0};
    double timeout;
    if (!PyArg_ParseTuple(arguments, "d", &timeout))
        return NULL;
    if (forked->owner != getpid()) {
        PyErr_SetString(PyExc_ValueError, "this fork was stopped");
        return NULL;
    }
    struct native_wait wait;
    native_wait_begin(&wait);
    struct bilanx_error error = process_receive(&forked->process, deadline_of(timeout), &line);
    native_wait_end(&wait);
    if (error.status == BILANX_OK) {
        if (wait.catching && interrupt_caught())
            PyErr_SetInterrupt();  // came with the line; is raised after it has been returned
        return PyBytes_FromStringAndSize(text_get(&line), (Py_ssize_t)line.size);
    }
    process_listen(&forked->process);
    return native_raise_fate(&error, timeout, text_get(&forked->process.output));
}

// interrupt(): as if the user had pressed ^C there.
static PyObject *interrupt(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    struct forked *forked = (struct forked *)self;
    if (forked->owner == getpid() && forked->process.pid > 0)
        kill(forked->process.pid, SIGINT);
    Py_RETURN_NONE;
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(stop(self, NULL));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"receive", receive, METH_VARARGS, "receive(timeout): the next line"},
    {"interrupt", interrupt, METH_NOARGS, "interrupt(): as if the user had pressed ^C there"},
    {"stop", stop, METH_NOARGS, "stop(): ends the fork and all that it started"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, (void *)init},
    {Py_tp_dealloc, (void *)release},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Calls a function in a fork of this process."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "bilanx._native.Fork",
    .basicsize = sizeof(struct forked),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool native_add_fork(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "Fork", type) == 0;
}
