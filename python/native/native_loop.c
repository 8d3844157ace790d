// native_loop: runs a statement n times between two readings of the clock.
//
// A statement is a generator that resumes for each block and iterates over the loop:
//
//     SETUP
//     while True:
//         yield
//         for _ in loop:
//             STMT
//
// The clock is read last thing when the iteration begins and first thing when it ends, in C, so a
// block has less overhead than timeit's, which calls a Python function at both ends.
#include "core/clock/clock.h"
#include "native.h"

struct block_loop {
    PyObject_HEAD uint64_t left;
    struct clock clock;
    PyObject *timer;  // NULL: our clock
    uint64_t started_tick;
    double started, elapsed;  // seconds
    bool running;
};

static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"timer", NULL};
    struct block_loop *loop = (struct block_loop *)self;
    PyObject *timer = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &timer))
        return -1;
    // Not the time-stamp counter, whose rate would first have to be measured.
    clock_open_monotonic(&loop->clock);
    PyObject *before = loop->timer;
    loop->timer = timer == Py_None ? NULL : timer;
    Py_XINCREF(loop->timer);
    Py_XDECREF(before);
    return 0;
}

static bool ask_timer(PyObject *timer, double *out)
{
    PyObject *now = PyObject_CallObject(timer, NULL);
    *out = now ? PyFloat_AsDouble(now) : -1;
    Py_XDECREF(now);
    return !PyErr_Occurred();
}

static PyObject *begin(PyObject *self)
{
    struct block_loop *loop = (struct block_loop *)self;
    Py_INCREF(self);
    loop->running = true;
    if (loop->timer && !ask_timer(loop->timer, &loop->started)) {
        Py_DECREF(self);
        return NULL;
    }
    if (!loop->timer)
        loop->started_tick = clock_read(&loop->clock);
    return self;
}

static PyObject *end(struct block_loop *loop)
{
    if (!loop->running)
        return NULL;
    if (loop->timer) {
        double now;
        if (ask_timer(loop->timer, &now))
            loop->elapsed = now - loop->started;
    } else {
        uint64_t now = clock_read(&loop->clock);
        loop->elapsed = clock_ns(&loop->clock, now - loop->started_tick) / 1e9;
    }
    loop->running = false;
    return NULL;
}

static PyObject *next(PyObject *self)
{
    struct block_loop *loop = (struct block_loop *)self;
    if (loop->left == 0)
        return end(loop);
    loop->left--;
    Py_INCREF(Py_None);
    return Py_None;
}

// run(number, resume): seconds of one block. `resume` is the generator's __next__.
static PyObject *run(PyObject *self, PyObject *arguments)
{
    struct block_loop *loop = (struct block_loop *)self;
    long long number;
    PyObject *resume;
    if (!PyArg_ParseTuple(arguments, "LO", &number, &resume))
        return NULL;
    loop->left = number > 0 ? (uint64_t)number : 0;  // as with timeit
    loop->elapsed = 0;
    PyObject *result = PyObject_CallObject(resume, NULL);
    loop->running = false;
    Py_XDECREF(result);
    return result ? PyFloat_FromDouble(loop->elapsed) : NULL;
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((struct block_loop *)self)->timer);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct block_loop *)self)->timer);
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(self));
#endif
    return 0;
}

static int clear(PyObject *self)
{
    Py_CLEAR(((struct block_loop *)self)->timer);
    return 0;
}

static PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "run(number, resume): seconds of one block"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, (void *)init},
    {Py_tp_iter, (void *)begin},
    {Py_tp_iternext, (void *)next},
    {Py_tp_dealloc, (void *)release},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_clear, (void *)clear},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Iterates n times and times that."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "bilanx._native.Loop",
    .basicsize = sizeof(struct block_loop),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

bool native_add_loop(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "Loop", type) == 0;
}
