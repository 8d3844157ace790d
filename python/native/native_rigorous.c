// native_rigorous: epochs in forks of this interpreter.
//
// The parent only waits, so it notifies the interpreter once before the first fork and once after
// the last, and every child notifies its own copy when it begins.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/record/records.h"
#include "core/timer/timer_rigorous.h"
#include "native_fork.h"
#include "native_task.h"

struct forked {
    PyObject *run;
    pid_t parent;
    pid_t informed;  // the process whose interpreter has been notified of the fork
};

static void body(void *context, uint64_t n)
{
    struct forked *forked = context;
    if (getpid() != forked->parent && forked->informed != getpid()) {
        PyOS_AfterFork_Child();
        forked->informed = getpid();
    }
    PyObject *result = PyObject_CallFunction(forked->run, "K", (unsigned long long)n);
    Py_XDECREF(result);
    if (!result) {  // the parent has run it without an error, so this is rare
        PyErr_Print();
        _exit(1);
    }
}

static char *json_of(struct bilanx_record *record, const struct core_outcome *core)
{
    bilanx_timing_summarize(&record->timing, &record->stats);
    if (core->free_share >= 0)
        record_set_core(record, core_words[core->state],
                        &(struct bilanx_neighbour){.free = core->free_share,
                                                   .time = core->other_time,
                                                   .change = NAN,
                                                   .interval = {NAN, NAN},
                                                   .epochs = core->other_epochs});
    return bilanx_record_json(record);
}

// rigorous(run, max_run_time, timeout, measurement): JSON of the record that the dictionary begins.
// After ^C it has the epochs so far; without any, KeyboardInterrupt is raised.
PyObject *native_rigorous(PyObject *module, PyObject *arguments)
{
    (void)module;
    struct forked forked = {.parent = getpid()};
    struct timer_limits limits = {0};
    PyObject *measurement;
    struct bilanx_record record = {0};
    if (!PyArg_ParseTuple(arguments, "OddO", &forked.run, &limits.max_run_time, &limits.timeout,
                          &measurement) ||
        !native_read_record(measurement, &record))
        return NULL;
    struct bilanx_timing timing = {0};
    struct native_wait wait;
    PyOS_BeforeFork();
    native_wait_begin_locked(&wait);
    struct core_outcome core;
    struct bilanx_error error = timer_rigorous(
        &(struct bilanx_timer){.body = body, .context = &forked}, &limits, &timing, &core);
    native_wait_end(&wait);
    PyOS_AfterFork_Parent();
    AUTO(memory) char *json = NULL;
    if (timing.raw_count) {
        bilanx_timing_done(&record.timing);
        record.timing = timing;
        json = json_of(&record, &core);
    }
    bilanx_record_done(&record);
    return json ? native_string(json, strlen(json))
                : native_raise_fate(&error, limits.timeout, NULL);
}
