// native: the part of the Python package `bilanx` that is in C: an extension module on the stable
// ABI.
//
// Functions follow Python's conventions: NULL means that an exception is set. Anything that waits
// for another process releases the interpreter's lock, and ^C raises KeyboardInterrupt.
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"

// ---- native.c

// Raises the exception that fits the error, with its text and the output of the process (may be
// NULL). Returns NULL.
PyObject *native_raise(const struct bilanx_error *error, const char *output);

// Raises bilanx.MeasurementError for a failure of a measured process: it crashed, exited, or was
// silent for `timeout` seconds. Other errors are raised as above.
PyObject *native_raise_fate(const struct bilanx_error *error, double timeout, const char *output);

// Copies a sequence of floats; the caller frees `*out`, which has room for at least one.
bool native_doubles(PyObject *sequence, double **out, size_t *count);

// The UTF-8 text of a str, or NULL for None; valid as long as `*keep`, which the caller releases.
bool native_text(PyObject *object, const char **out, PyObject **keep);

// Text of unknown origin as a str.
PyObject *native_string(const char *text, size_t size);

// Waiting for other processes, without the lock and with ^C.
struct native_wait {
    PyThreadState *state;
    struct sigaction before;
    bool catching;
};
void native_wait_begin(struct native_wait *wait);
void native_wait_begin_locked(struct native_wait *wait);  // keeps the lock: Python code runs
void native_wait_end(struct native_wait *wait);

// ---- one function per method, and one per type to add to the module

PyObject *native_summary(PyObject *module, PyObject *times);
PyObject *native_figures(PyObject *module, PyObject *times);
PyObject *native_ratio(PyObject *module, PyObject *arguments);
PyObject *native_record(PyObject *module, PyObject *arguments);
PyObject *native_estimate(PyObject *module, PyObject *arguments);
PyObject *native_blocks(PyObject *module, PyObject *arguments);
PyObject *native_rigorous(PyObject *module, PyObject *arguments);
PyObject *native_check(PyObject *module, PyObject *given);
PyObject *native_harmless(PyObject *module, PyObject *given);
PyObject *native_judge(PyObject *module, PyObject *arguments);
PyObject *native_provenance(PyObject *module, PyObject *nothing);
PyObject *native_core_read(PyObject *module, PyObject *nothing);
PyObject *native_core_states(PyObject *module, PyObject *sequence);
PyObject *native_core_keep(PyObject *module, PyObject *nothing);
PyObject *native_compare(PyObject *module, PyObject *arguments);
PyObject *native_stop_worker(PyObject *module, PyObject *nothing);

bool native_add_fork(PyObject *module);
bool native_add_loop(PyObject *module);
bool native_add_random(PyObject *module);
bool native_add_counter(PyObject *module);
bool native_add_compiled(PyObject *module);

#endif
