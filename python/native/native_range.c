// native_range: how many calls make a block, and how many blocks make a measurement.
//
// Calls come in the order of PyTorch's Timer, because a replaced timer may depend on it: five empty
// blocks, blocks of 1, 10, 100, ... calls, and then the blocks that are kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/monotonic.h"
#include "core/stats/stats.h"
#include "native.h"

static const double LEAST_S = 1e-9;  // no block takes less, so nothing is divided by zero

static bool time_block(PyObject *timeit, unsigned long long number, double *out)
{
    PyObject *seconds = PyObject_CallFunction(timeit, "K", number);
    double value = seconds ? PyFloat_AsDouble(seconds) : -1;
    Py_XDECREF(seconds);
    *out = value > LEAST_S ? value : LEAST_S;
    return !PyErr_Occurred();
}

static bool time_nothing(PyObject *timeit, double *out)
{
    enum { TIMES = 5 };
    double seconds[TIMES];
    for (int i = 0; i < TIMES; i++)
        if (!time_block(timeit, 0, &seconds[i]))
            return false;
    stats_sort(seconds, TIMES);
    *out = seconds[TIMES / 2];
    return true;
}

PyObject *native_estimate(PyObject *module, PyObject *arguments)
{
    (void)module;
    static const unsigned long long LARGEST = 2147483647;
    PyObject *timeit;
    double min_run_time, overhead, seconds;
    if (!PyArg_ParseTuple(arguments, "Od", &timeit, &min_run_time) ||
        !time_nothing(timeit, &overhead))
        return NULL;
    for (unsigned long long number = 1;; number *= 10) {
        if (!time_block(timeit, number, &seconds))
            return NULL;
        bool negligible = overhead / seconds <= 1e-4 && seconds >= min_run_time / 1000;
        if (negligible || seconds > min_run_time || number * 10 > LARGEST)
            return PyLong_FromUnsignedLongLong(number);
    }
}

struct plan {
    PyObject *timeit, *callback;
    unsigned long long number;
    double min_run_time, max_run_time;  // max 0: none
    double threshold;                   // 0: do not wait for blocks to agree
};

struct times {
    double *items;
    size_t count, room;
    double total;
};

static bool agree(const struct times *times, double threshold)
{
    enum { FEWEST = 3 };
    if (threshold == 0)
        return true;
    if (times->count <= FEWEST)
        return false;
    AUTO(memory) double *sorted = mem_array(double, times->count);
    memcpy(sorted, times->items, times->count * sizeof *sorted);
    stats_sort(sorted, times->count);
    double iqr =
        stats_quantile(sorted, times->count, .75) - stats_quantile(sorted, times->count, .25);
    return iqr / stats_quantile(sorted, times->count, .5) < threshold;
}

// A statement that the compiler removed takes no time however often it runs, and would never use
// its time up.
static uint64_t give_up_at(const struct plan *plan)
{
    static const double LEAST = .1, PATIENCE = 10;
    double most = fmax(LEAST, fmax(plan->min_run_time, plan->max_run_time));
    return monotonic_ns() + (uint64_t)(fmin(most * PATIENCE, 1e9) * 1e9);
}

static bool measure(const struct plan *plan, struct times *times)
{
    uint64_t deadline_ns = give_up_at(plan);
    for (bool enough = false; times->total < plan->min_run_time || !enough;) {
        double seconds;
        if (!time_block(plan->timeit, plan->number, &seconds))
            return false;
        mem_grow(times->items, times->count, &times->room);
        times->items[times->count++] = seconds;
        times->total += seconds;
        if (plan->callback) {
            PyObject *result = PyObject_CallFunction(plan->callback, "Kd", plan->number, seconds);
            Py_XDECREF(result);
            if (!result)
                return false;
        }
        enough = agree(times, plan->threshold);
        bool over = plan->max_run_time > 0 && times->total > plan->max_run_time;
        if (over || monotonic_ns() > deadline_ns)
            break;
        if (PyErr_CheckSignals() != 0)
            return false;
    }
    return true;
}

PyObject *native_blocks(PyObject *module, PyObject *arguments)
{
    (void)module;
    struct plan plan = {0};
    PyObject *callback;
    if (!PyArg_ParseTuple(arguments, "OKdddO", &plan.timeit, &plan.number, &plan.min_run_time,
                          &plan.max_run_time, &plan.threshold, &callback))
        return NULL;
    plan.callback = callback == Py_None ? NULL : callback;
    struct times times = {0};
    PyObject *list = NULL;
    if (measure(&plan, &times))
        list = PyList_New((Py_ssize_t)times.count);
    for (size_t i = 0; list && i < times.count; i++)
        PyList_SetItem(list, (Py_ssize_t)i, PyFloat_FromDouble(times.items[i]));
    free(times.items);
    return list;
}
