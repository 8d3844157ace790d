// native_core: whether functions that take turns in this process had the core to themselves.
#include <stdlib.h>

#include "base/mem.h"
#include "core/timer/core_floor.h"
#include "core/timer/reference.h"
#include "native.h"

static struct {
    bool loaded;
    struct clock clock;
    struct core_floor floor;
} known;

static void load(void)
{
    if (known.loaded)
        return;
    clock_open(&known.clock);
    core_floor_load(&known.floor);
    known.loaded = true;
}

// core_read(): a reading of the core's pace.
PyObject *native_core_read(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    load();
    struct pace pace = reference_pace(&known.clock);
    return Py_BuildValue("(dd)", pace.chain_ns, pace.front_ns);
}

static enum core_state state_of(const struct pace *readings)
{
    double floor = core_floor_get(&known.floor);
    enum core_state first = pace_state(readings[0], readings[1], floor);
    enum core_state second = pace_state(readings[2], readings[3], floor);
    return first == second ? first : CORE_UNKNOWN;
}

// core_states(readings): the states of pairs of batches, and the share of the readings that had the
// core to themselves. Before and after each batch there is a reading of two numbers.
PyObject *native_core_states(PyObject *module, PyObject *sequence)
{
    (void)module;
    enum { PER_PAIR = 4 };
    AUTO(memory) double *numbers = NULL;
    size_t count = 0;
    if (!native_doubles(sequence, &numbers, &count))
        return NULL;
    load();
    size_t readings = count / 2, pairs = readings / PER_PAIR;
    AUTO(memory) struct pace *paces = mem_array(struct pace, readings + 1);
    for (size_t i = 0; i < readings; i++)
        paces[i] = (struct pace){numbers[2 * i], numbers[2 * i + 1]};
    double floor = pace_lower_floor(core_floor_get(&known.floor), pace_lowest(paces, readings));
    struct pace_summary core = pace_summarize(paces, readings, floor);
    core_floor_note(&known.floor, &core);
    PyObject *states = PyList_New((Py_ssize_t)pairs);
    for (size_t i = 0; states && i < pairs; i++)
        PyList_SetItem(states, (Py_ssize_t)i,
                       PyUnicode_FromString(core_words[state_of(paces + PER_PAIR * i)]));
    return states ? Py_BuildValue("(Nd)", states, core.free) : NULL;
}

// core_keep(): keeps what was learned about the core for other processes.
PyObject *native_core_keep(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    if (known.loaded)
        core_floor_save(&known.floor);
    Py_RETURN_NONE;
}
