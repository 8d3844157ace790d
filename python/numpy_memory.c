// numpy_memory: numpy's arrays in memory of the host.
//
// numpy has a table of functions for the memory of arrays (NEP 49), which is set through its table
// of C functions. We fetch that one at run time: its headers would tie us to one version of numpy.
//
// A block begins with its size, in a line of its own: the host does not keep sizes, but numpy may
// ask for another.
#include "numpy_memory.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURE_VERSION = 211, SET_HANDLER = 304 };  // positions in numpy's table
enum { FIRST_VERSION = 0x0f };                      // of 1.22
enum { LINE = 64 };

// As in numpy's ndarraytypes.h.
struct handler {
    char name[127];
    uint8_t version;
    void *host;
    void *(*allocate)(void *host, size_t size);
    void *(*allocate_zeros)(void *host, size_t count, size_t size);
    void *(*resize)(void *host, void *block, size_t size);
    void (*release)(void *host, void *block, size_t size);
};

static void *allocate(void *context, size_t size)
{
    const struct bilanx_host *host = context;
    if (size > SIZE_MAX - LINE)
        return NULL;
    char *block = host->allocate(size + LINE);
    memcpy(block, &size, sizeof size);
    return block + LINE;
}

static void *allocate_zeros(void *context, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = allocate(context, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

static void release_block(void *context, void *block, size_t size)
{
    const struct bilanx_host *host = context;
    (void)size;
    if (block)
        host->release((char *)block - LINE);
}

static void *resize(void *context, void *block, size_t size)
{
    void *moved = allocate(context, size);
    if (!moved || !block)
        return moved;
    size_t before;
    memcpy(&before, (char *)block - LINE, sizeof before);
    memcpy(moved, block, before < size ? before : size);
    release_block(context, block, before);
    return moved;
}

// Arrays keep the handler that made them, so it lives as long as they do.
static void free_handler(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, "mem_handler"));
}

static void **numpy_functions(void)
{
    static const char *const modules[] = {"numpy._core._multiarray_umath",
                                          "numpy.core._multiarray_umath"};
    void **functions = NULL;
    for (size_t i = 0; i < sizeof modules / sizeof *modules && !functions; i++) {
        PyObject *module = PyImport_ImportModule(modules[i]);
        PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
        functions = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
        Py_XDECREF(capsule);
        Py_XDECREF(module);
        PyErr_Clear();
    }
    return functions;
}

static PyObject *set_handler(PyObject *handler)
{
    void **functions = numpy_functions();
    if (!functions || ((unsigned (*)(void))functions[FEATURE_VERSION])() < FIRST_VERSION)
        return NULL;
    PyObject *before = ((PyObject * (*)(PyObject *)) functions[SET_HANDLER])(handler);
    PyErr_Clear();
    return before;
}

PyObject *numpy_memory_use(const struct bilanx_host *host)
{
    struct handler *handler = malloc(sizeof *handler);
    if (!handler)
        return NULL;
    *handler = (struct handler){.name = "bilanx",
                                .version = 1,
                                .host = (void *)(uintptr_t)host,
                                .allocate = allocate,
                                .allocate_zeros = allocate_zeros,
                                .resize = resize,
                                .release = release_block};
    PyObject *capsule = PyCapsule_New(handler, "mem_handler", free_handler);
    PyObject *before = capsule ? set_handler(capsule) : NULL;
    if (!capsule)
        free(handler);
    Py_XDECREF(capsule);
    PyErr_Clear();
    return before;
}

void numpy_memory_restore(PyObject *before)
{
    Py_XDECREF(before ? set_handler(before) : NULL);
    Py_XDECREF(before);
}
