// native_stats: statistics of times, and records made from them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bilanx/record.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"
#include "native.h"
#include "native_task.h"

// The mean of ascending values, with the rounding errors of its sum added back: the last digit is
// then almost always that of the exact mean, and of PyTorch's, which adds in another order.
static double exact_mean(const double *values, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double next = sum + values[i];
        lost += fabs(sum) >= fabs(values[i]) ? (sum - next) + values[i] : (values[i] - next) + sum;
        sum = next;
    }
    return (sum + lost) / (double)count;
}

PyObject *native_summary(PyObject *module, PyObject *times)
{
    (void)module;
    AUTO(memory) double *sorted = NULL;
    size_t count = 0;
    if (!native_doubles(times, &sorted, &count))
        return NULL;
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "there are no times");
        return NULL;
    }
    stats_sort(sorted, count);
    return Py_BuildValue("(dddd)", stats_quantile(sorted, count, 0.5), exact_mean(sorted, count),
                         stats_quantile(sorted, count, 0.25), stats_quantile(sorted, count, 0.75));
}

PyObject *native_figures(PyObject *module, PyObject *times)
{
    (void)module;
    AUTO(memory) double *sorted = NULL;
    size_t count = 0;
    if (!native_doubles(times, &sorted, &count))
        return NULL;
    if (count == 0)
        return PyLong_FromLong(1);
    stats_sort(sorted, count);
    return PyLong_FromLong(stats_significant_figures(sorted, count));
}

static bool take_logarithms(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) {
            PyErr_SetString(PyExc_ValueError, "a ratio needs times greater than 0");
            return false;
        }
        values[i] = log(values[i]);
    }
    return true;
}

PyObject *native_ratio(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *first, *second;
    AUTO(memory) double *a = NULL;
    AUTO(memory) double *b = NULL;
    size_t a_count = 0, b_count = 0;
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second) ||
        !native_doubles(first, &a, &a_count) || !native_doubles(second, &b, &b_count))
        return NULL;
    if (a_count == 0 || b_count == 0) {
        PyErr_SetString(PyExc_ValueError, "a ratio needs times on both sides");
        return NULL;
    }
    if (!take_logarithms(a, a_count) || !take_logarithms(b, b_count))
        return NULL;
    double estimate = exp(stats_mean(a, a_count) - stats_mean(b, b_count));
    if (a_count < 2 || b_count < 2)
        return Py_BuildValue("(ddd)", estimate, NAN, NAN);
    struct interval interval = stats_difference_interval(b, b_count, a, a_count, 0.95);
    return Py_BuildValue("(ddd)", estimate, exp(interval.low), exp(interval.high));
}

PyObject *native_record(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *measurement;
    if (!PyArg_ParseTuple(arguments, "O", &measurement))
        return NULL;
    struct bilanx_record record = {0};
    if (!native_read_record(measurement, &record))
        return NULL;
    AUTO(memory) char *json = bilanx_record_json(&record);
    bilanx_record_done(&record);
    return native_string(json, strlen(json));
}
