// native_terminal: text of unknown origin, for a terminal.
#include <string.h>

#include "base/text.h"
#include "native.h"

// harmless(text): control characters, escape sequences and line breaks appear as \x1b and \n.
PyObject *native_harmless(PyObject *module, PyObject *given)
{
    (void)module;
    char *bytes = NULL;
    Py_ssize_t size = 0;
    AUTO(text) struct text out = {0};
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "harmless() takes a str");
        return NULL;
    }
    PyObject *encoded = PyUnicode_AsEncodedString(given, "utf-8", "surrogatepass");
    if (!encoded || PyBytes_AsStringAndSize(encoded, &bytes, &size) < 0) {
        Py_XDECREF(encoded);
        return NULL;
    }
    for (const char *at = bytes, *end = bytes + size;; text_add(&out, "\\x00"), at++) {
        text_add_harmless(&out, at);
        at += strlen(at);  // at a NUL, the last one of which is not part of the text
        if (at >= end)
            break;
    }
    Py_DECREF(encoded);
    return native_string(text_get(&out), out.size);
}
