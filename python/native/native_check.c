// native_check: numbers that are options of functions, checked like those of the command.
#include <string.h>

#include "base/range.h"
#include "native.h"

static const struct {
    const char *name;
    const struct range *range;
    bool whole;
} options[] = {
    {"alpha", &range_chance, false},          {"budget", &range_duration, false},
    {"equal", &range_number, false},          {"margin", &range_number, false},
    {"max_run_time", &range_duration, false}, {"min_run_time", &range_seconds, false},
    {"number", &range_count, true},           {"repeats", &range_repeats, true},
    {"threads", &range_threads, true},        {"threshold", &range_number, false},
    {"timeout", &range_duration, false},
};
enum { OPTIONS = sizeof options / sizeof *options };

static bool refuse(size_t at, PyObject *value)
{
    PyObject *repr = PyObject_Str(value), *bytes = NULL;
    const char *text = NULL;
    if (repr && native_text(repr, &text, &bytes)) {
        struct bilanx_error error = range_refuse(options[at].range, options[at].name, text);
        native_raise(&error, NULL);
    }
    Py_XDECREF(bytes);
    Py_XDECREF(repr);
    return false;
}

static bool check(const char *name, PyObject *value)
{
    size_t at = 0;
    while (at < OPTIONS && strcmp(options[at].name, name) != 0)
        at++;
    if (at == OPTIONS || value == Py_None)
        return true;
    double number = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return refuse(at, value);
    }
    bool suits = range_holds(options[at].range, number) &&
                 (!options[at].whole || (PyLong_Check(value) && !PyBool_Check(value)));
    return suits || refuse(at, value);
}

// check(options): refuses numbers that the command would refuse. None is as if it were not given.
PyObject *native_check(PyObject *module, PyObject *given)
{
    (void)module;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "options are a dictionary");
        return NULL;
    }
    while (PyDict_Next(given, &at, &key, &value)) {
        const char *name = NULL;
        PyObject *bytes = NULL;
        bool good = native_text(key, &name, &bytes) && (!name || check(name, value));
        Py_XDECREF(bytes);
        if (!good)
            return NULL;
    }
    Py_RETURN_NONE;
}
