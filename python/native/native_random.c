// native_random: the random numbers of numpy.random.RandomState, without numpy.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/fuzzer/mersenne.h"
#include "native.h"

struct random_state {
    PyObject_HEAD struct mersenne random;
};

static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"seed", NULL};
    PyObject *seed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &seed))
        return -1;
    PyObject *integer = PyNumber_Index(seed);
    unsigned long long value = integer ? PyLong_AsUnsignedLongLong(integer) : 0;
    Py_XDECREF(integer);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return -1;
    if (PyErr_Occurred() || value > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "Seed must be between 0 and 2**32 - 1");
        return -1;
    }
    mersenne_init(&((struct random_state *)self)->random, (uint32_t)value);
    return 0;
}

static struct mersenne *of(PyObject *self)
{
    return &((struct random_state *)self)->random;
}

static PyObject *draw_unit(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return PyFloat_FromDouble(mersenne_unit(of(self)));
}

static PyObject *draw_uniform(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"low", "high", NULL};
    double low = 0, high = 1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|dd", names, &low, &high))
        return NULL;
    return PyFloat_FromDouble(low + (high - low) * mersenne_unit(of(self)));
}

// `high` is exclusive and may be 2**63.
static PyObject *draw_integer(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"low", "high", NULL};
    PyObject *high;
    long long low;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LO", names, &low, &high))
        return NULL;
    PyObject *one = PyLong_FromLong(1);
    PyObject *last = one ? PyNumber_Subtract(high, one) : NULL;
    Py_XDECREF(one);
    long long most = last ? PyLong_AsLongLong(last) : -1;
    Py_XDECREF(last);
    if (PyErr_Occurred())
        return NULL;
    if (low > most) {
        PyErr_SetString(PyExc_ValueError, "low >= high");
        return NULL;
    }
    return PyLong_FromLongLong(mersenne_between(of(self), low, most));
}

// choice(candidates, p): the index of the one that was drawn; as many as there are probabilities.
static PyObject *draw_index(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"a", "p", NULL};
    PyObject *candidates, *probabilities;
    AUTO(memory) double *cumulative = NULL;
    size_t count = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &candidates,
                                     &probabilities) ||
        !native_doubles(probabilities, &cumulative, &count))
        return NULL;
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "there is nothing to choose from");
        return NULL;
    }
    for (size_t i = 1; i < count; i++)
        cumulative[i] += cumulative[i - 1];
    for (size_t i = 0; i < count; i++)
        cumulative[i] /= cumulative[count - 1] ? cumulative[count - 1] : 1;
    PyObject *index = PyLong_FromSize_t(mersenne_choose(of(self), cumulative, count));
    if (!index || PyLong_Check(candidates))
        return index;
    PyObject *chosen = PyObject_GetItem(candidates, index);
    Py_DECREF(index);
    return chosen;
}

static PyObject *draw_permutation(PyObject *self, PyObject *argument)
{
    enum { MOST = 1 << 20 };
    long count = PyLong_AsLong(argument);
    if (PyErr_Occurred())
        return NULL;
    if (count < 0 || count > MOST) {
        PyErr_SetString(PyExc_ValueError, "a permutation has 0 to 2**20 elements");
        return NULL;
    }
    AUTO(memory) int *items = mem_array(int, (size_t)count + 1);
    mersenne_permute(of(self), items, (int)count);
    PyObject *list = PyList_New(count);
    for (long i = 0; list && i < count; i++)
        PyList_SetItem(list, i, PyLong_FromLong(items[i]));
    return list;
}

static PyMethodDef methods[] = {
    {"rand", draw_unit, METH_NOARGS, "rand(): a real in [0, 1)"},
    {"random_sample", draw_unit, METH_NOARGS, "random_sample(): a real in [0, 1)"},
    {"uniform", (PyCFunction)(void (*)(void))draw_uniform, METH_VARARGS | METH_KEYWORDS,
     "uniform(low, high): a real in [low, high)"},
    {"randint", (PyCFunction)(void (*)(void))draw_integer, METH_VARARGS | METH_KEYWORDS,
     "randint(low, high): an integer in [low, high)"},
    {"choice", (PyCFunction)(void (*)(void))draw_index, METH_VARARGS | METH_KEYWORDS,
     "choice(a, p): an element of a, or an index if a is a number"},
    {"permutation", draw_permutation, METH_O, "permutation(n): a list"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, (void *)init},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The random numbers of numpy.random.RandomState(seed), draw for draw."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "bilanx._native.RandomState",
    .basicsize = sizeof(struct random_state),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

bool native_add_random(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "RandomState", type) == 0;
}
