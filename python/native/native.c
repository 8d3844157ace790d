// native: the module itself, and what its parts share.
#include "native.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"

static PyObject *exception_for(enum bilanx_status status)
{
    switch (status) {
    case BILANX_E_USAGE:
    case BILANX_E_INPUT:
        return PyExc_ValueError;
    case BILANX_E_INTERRUPTED:
        return PyExc_KeyboardInterrupt;
    case BILANX_E_COMPILE:
        return PyExc_RuntimeError;
    case BILANX_E_MEMORY:
        return PyExc_MemoryError;
    case BILANX_E_TIMED_OUT:
        return PyExc_TimeoutError;
    default:
        return PyExc_OSError;
    }
}

PyObject *native_raise(const struct bilanx_error *error, const char *output)
{
    bool quiet = error->status == BILANX_E_INTERRUPTED || !output || !*output;
    AUTO(memory) char *text =
        quiet ? mem_text(error->text) : mem_format("%s\n%s", error->text, output);
    PyObject *message = native_string(text, strlen(text));
    if (message)
        PyErr_SetObject(exception_for(error->status), message);
    Py_XDECREF(message);
    return NULL;
}

bool native_doubles(PyObject *sequence, double **out, size_t *count)
{
    Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0)
        return false;
    double *values = mem_array(double, (size_t)size + 1);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        values[i] = item ? PyFloat_AsDouble(item) : -1;
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            free(values);
            return false;
        }
    }
    *out = values;
    *count = (size_t)size;
    return true;
}

bool native_text(PyObject *object, const char **out, PyObject **keep)
{
    *out = NULL;
    *keep = NULL;
    if (object == Py_None)
        return true;
    *keep = PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
    *out = *keep ? PyBytes_AsString(*keep) : NULL;
    return *out != NULL;
}

PyObject *native_string(const char *text, size_t size)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
}

// Python's own handler only takes note of ^C; the code that waits would never know. Other threads
// get no signals.
void native_wait_begin_locked(struct native_wait *wait)
{
    struct sigaction others[2];
    *wait = (struct native_wait){.catching = getpid() == gettid()};
    if (wait->catching) {
        sigaction(SIGINT, NULL, &wait->before);
        wait->catching = wait->before.sa_handler != SIG_IGN;
    }
    if (wait->catching) {
        sigaction(SIGTERM, NULL, &others[0]);
        sigaction(SIGHUP, NULL, &others[1]);
        interrupt_catch();
        sigaction(SIGTERM, &others[0], NULL);
        sigaction(SIGHUP, &others[1], NULL);
    }
}

void native_wait_begin(struct native_wait *wait)
{
    native_wait_begin_locked(wait);
    wait->state = PyEval_SaveThread();
}

void native_wait_end(struct native_wait *wait)
{
    if (wait->state)
        PyEval_RestoreThread(wait->state);
    if (wait->catching)
        sigaction(SIGINT, &wait->before, NULL);
}

static PyMethodDef methods[] = {
    {"summary", native_summary, METH_O, "summary(times) -> (median, mean, p25, p75)"},
    {"figures", native_figures, METH_O, "figures(times): significant figures, 1 to 4"},
    {"ratio", native_ratio, METH_VARARGS,
     "ratio(a, b) -> (estimate, low, high): of the means of the logarithms, 95 %"},
    {"record", native_record, METH_VARARGS, "record(task, number, raw_times, method) -> JSON"},
    {"estimate", native_estimate, METH_VARARGS, "estimate(timeit, min_run_time) -> block size"},
    {"blocks", native_blocks, METH_VARARGS,
     "blocks(timeit, number, min_run_time, max_run_time, threshold, callback) -> times"},
    {"rigorous", native_rigorous, METH_VARARGS,
     "rigorous(run, max_run_time) -> JSON of the timing"},
    {"judge", native_judge, METH_VARARGS,
     "judge(changes, alpha, margin, equal) -> (verdict, change, low, high, p)"},
    {"core_read", native_core_read, METH_NOARGS, "core_read() -> (chain_ns, front_ns)"},
    {"core_states", native_core_states, METH_O, "core_states(readings) -> (states, free share)"},
    {"core_keep", native_core_keep, METH_NOARGS, "core_keep(): keep what was learned"},
    {"stop_worker", native_stop_worker, METH_NOARGS,
     "stop_worker(): ends the worker of C++ statements; the next one starts another"},
    {"compare", native_compare, METH_VARARGS, "compare(records, options) -> text"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "bilanx._native",
                                        .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && !(native_add_loop(module) && native_add_random(module) &&
                    native_add_counter(module) && native_add_compiled(module) &&
                    PyModule_AddStringConstant(module, "version", BILANX_VERSION) == 0))
        Py_CLEAR(module);
    return module;
}
