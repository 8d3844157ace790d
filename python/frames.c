// frames: the Python frames of a thread, for the worker for Python statements.
//
// Before the layout of the interpreter's memory is used, it is checked against sys._getframe().
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "frames.h"

#include <stdint.h>
#include <string.h>

enum {
    LONGEST = 400,         // bytes of a name or a file
    COMPARED_BYTES = 100,  // of a name, which may have been shortened
};

static PyObject *attribute(PyObject *object, const char *name)
{
    PyObject *value = object ? PyObject_GetAttrString(object, name) : NULL;
    if (!value)
        PyErr_Clear();
    return value;
}

static bool name_is_right(struct frames *frames, uint64_t code, PyObject *object)
{
    char text[2 * LONGEST];
    uint64_t line;
    PyObject *name = attribute(object, "co_qualname");
    PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL;
    bool right = bytes &&
                 python_frames_describe(&frames->reading, code, text, sizeof text, &line) &&
                 strncmp(text, PyBytes_AsString(bytes), COMPARED_BYTES) == 0;
    Py_XDECREF(name);
    Py_XDECREF(bytes);
    return right;
}

// Compares the current frames with those that Python shows.
static bool is_right(struct frames *frames)
{
    enum { COMPARED = 64 };
    uint64_t found[COMPARED];
    size_t count = python_frames_walk(&frames->reading, found, COMPARED, false);
    PyObject *get = PySys_GetObject("_getframe");  // borrowed
    PyObject *frame = get ? PyObject_CallObject(get, NULL) : NULL;
    bool right = frame && count;
    for (size_t i = 0; right && frame && frame != Py_None && i < count; i++) {
        PyObject *code = attribute(frame, "f_code"), *back = attribute(frame, "f_back");
        right = code && (found[i] & ~(uint64_t)1) == (uint64_t)(uintptr_t)code &&
                name_is_right(frames, found[i] & ~(uint64_t)1, code);
        Py_XDECREF(code);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    PyErr_Clear();
    return right;
}

static uint64_t thread_state(void)
{
    return (uint64_t)(uintptr_t)PyGILState_GetThisThreadState();
}

static size_t walk(void *context, uint64_t *out, size_t room, bool again)
{
    return python_frames_walk(&((struct frames *)context)->reading, out, room, again);
}

static size_t describe(void *context, uint64_t frame, char *out, size_t room, uint64_t *line)
{
    return python_frames_describe(&((struct frames *)context)->reading, frame, out, room, line);
}

static uint64_t identify(void *context, uint64_t frame)
{
    return python_frames_identify(&((struct frames *)context)->reading, frame);
}

static const char *check(void *context)
{
    struct frames *frames = context;
    if (!frames->known)
        return "the internals of this version are not known";
    frames->reading.careful = true;
    bool right = is_right(frames);
    frames->reading.careful = false;
    return right ? NULL : "the internals of this build are not as expected";
}

void frames_init(struct frames *frames)
{
    PyObject *version = PySys_GetObject("hexversion");  // borrowed
    unsigned long number = version ? PyLong_AsUnsignedLong(version) : 0;
    PyErr_Clear();
    *frames = (struct frames){.reading.thread_state = thread_state};
    frames->known = python_layout_find((unsigned)(number >> 16), &frames->reading.layout);
    frames->language = (struct sampler_language){"python", frames, check, walk, describe, identify};
}

void frames_set_base(struct frames *frames)
{
    if (!frames->known)
        return;
    frames->reading.careful = true;
    python_frames_set_base(&frames->reading);
    frames->reading.careful = false;
}
