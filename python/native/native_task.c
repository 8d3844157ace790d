// native_task: measurements that Python passes as dictionaries.
#include "native_task.h"

#include <math.h>

#include "base/mem.h"

static bool read_text(PyObject *words, const char *key, char **out)
{
    PyObject *value = PyDict_GetItemString(words, key);  // borrowed
    const char *text = NULL;
    PyObject *keep = NULL;
    if (!value)
        return true;
    if (!native_text(value, &text, &keep))
        return false;
    *out = mem_text(text);
    Py_XDECREF(keep);
    return true;
}

static bool read_count(PyObject *words, const char *key, uint64_t *out)
{
    PyObject *value = PyDict_GetItemString(words, key);
    if (value)
        *out = PyLong_AsUnsignedLongLong(value);
    return !PyErr_Occurred();
}

static bool read_task(PyObject *words, struct bilanx_task *out)
{
    const struct {
        const char *key;
        char **text;
    } texts[] = {{"stmt", &out->stmt},
                 {"setup", &out->setup},
                 {"global_setup", &out->global_setup},
                 {"language", &out->language},
                 {"label", &out->label},
                 {"sub_label", &out->sub_label},
                 {"description", &out->description},
                 {"env", &out->env}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!read_text(words, texts[i].key, texts[i].text))
            return false;
    return read_count(words, "num_threads", &out->num_threads);
}

static bool fill(PyObject *measurement, struct bilanx_record *out)
{
    PyObject *task = PyDict_GetItemString(measurement, "task");
    PyObject *times = PyDict_GetItemString(measurement, "raw_times");
    if (!task || !PyDict_Check(task) || !times) {
        PyErr_SetString(PyExc_TypeError, "a measurement needs a task and raw_times");
        return false;
    }
    out->kind = mem_text("measurement");
    return read_task(task, &out->task) &&
           read_count(measurement, "number_per_run", &out->timing.number_per_run) &&
           read_text(measurement, "method", &out->timing.method) &&
           native_doubles(times, &out->timing.raw_times, &out->timing.raw_count);
}

bool native_read_record(PyObject *measurement, struct bilanx_record *out)
{
    *out = (struct bilanx_record){.stats.marginal = NAN};
    if (!PyDict_Check(measurement)) {
        PyErr_SetString(PyExc_TypeError, "a measurement is a dictionary");
        return false;
    }
    if (!fill(measurement, out)) {
        bilanx_record_done(out);
        return false;
    }
    if (out->timing.number_per_run == 0)
        out->timing.number_per_run = 1;
    if (out->timing.raw_count)
        bilanx_timing_summarize(&out->timing, &out->stats);
    return true;
}
