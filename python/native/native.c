// native: the module itself, and the common code of its parts.
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

static PyObject *measurement_error;

static PyObject *throw(PyObject * exception, const char *text, const char *output)
{
    bool quiet = exception == PyExc_KeyboardInterrupt || !output || !*output;
    AUTO(memory) char *all = quiet ? mem_text(text) : mem_format("%s\n%s", text, output);
    PyObject *message = native_string(all, strlen(all));
    if (message)
        PyErr_SetObject(exception, message);
    Py_XDECREF(message);
    return NULL;
}

PyObject *native_raise(const struct bilanx_error *error, const char *output)
{
    return throw(exception_for(error->status), error->text, output);
}

PyObject *native_raise_fate(const struct bilanx_error *error, double timeout, const char *output)
{
    AUTO(memory) char *silence = NULL;
    switch (error->status) {
    case BILANX_E_TIMED_OUT:
        silence = mem_format("timed out: not done after %g s (see `timeout`)", timeout);
        return throw(measurement_error, silence, output);
    case BILANX_E_CRASHED:
    case BILANX_E_EXITED:
    case BILANX_E_MEMORY:
    case BILANX_E_FLOOD:
    case BILANX_E_SWARM:
        return throw(measurement_error, error->text, output);
    default:
        return native_raise(error, output);
    }
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
     "rigorous(run, max_run_time, timeout, measurement) -> JSON of the record"},
    {"check", native_check, METH_O, "check(options): refuses what the command would refuse"},
    {"harmless", native_harmless, METH_O, "harmless(text): one line for a terminal"},
    {"provenance", native_provenance, METH_NOARGS,
     "provenance() -> JSON: the repository of the current directory, or None"},
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

static bool add_measurement_error(PyObject *module)
{
    if (!measurement_error)
        measurement_error = PyErr_NewExceptionWithDoc(
            "bilanx.MeasurementError", "What was measured crashed, exited or did not end.",
            PyExc_RuntimeError, NULL);
    Py_XINCREF(measurement_error);
    return measurement_error &&
           PyModule_AddObject(module, "MeasurementError", measurement_error) == 0;
}

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module &&
        !(add_measurement_error(module) && native_add_fork(module) && native_add_loop(module) &&
          native_add_random(module) && native_add_counter(module) && native_add_compiled(module) &&
          PyModule_AddStringConstant(module, "version", BILANX_VERSION) == 0))
        Py_CLEAR(module);
    return module;
}
