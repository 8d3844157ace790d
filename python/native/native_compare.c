// native_compare: tables of measurements, as text.
#include "bilanx/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "native.h"
#include "native_task.h"

static bool add_all(struct bilanx_compare *compare, PyObject *measurements)
{
    Py_ssize_t count = PySequence_Size(measurements);
    for (Py_ssize_t i = 0; i < count; i++) {
        struct bilanx_record record = {0};
        PyObject *item = PySequence_GetItem(measurements, i);
        bool read = item && native_read_record(item, &record);
        Py_XDECREF(item);
        if (!read)
            return false;
        bilanx_compare_add(compare, &record, NULL);
        bilanx_record_done(&record);
    }
    return count >= 0;
}

static PyObject *print(struct bilanx_compare *compare, const struct bilanx_compare_options *options)
{
    AUTO(memory) char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return PyErr_NoMemory();
    struct bilanx_error error = bilanx_compare_print(compare, options, file);
    fclose(file);
    return error.status == BILANX_OK ? native_string(text, size) : native_raise(&error, NULL);
}

// compare(measurements, style, format, trim, colorize, warnings, color)
PyObject *native_compare(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *measurements;
    int style, format, trim, colorize, warnings;
    if (!PyArg_ParseTuple(arguments, "Oiipip", &measurements, &style, &format, &trim, &colorize,
                          &warnings))
        return NULL;
    struct bilanx_compare *compare = bilanx_compare_new();
    PyObject *result = NULL;
    if (add_all(compare, measurements))
        result = print(compare, &(struct bilanx_compare_options){
                                    .style = (enum bilanx_compare_style)style,
                                    .format = (enum bilanx_output_format)format,
                                    .trim = trim,
                                    .colorize = (enum bilanx_compare_colorize)colorize,
                                    .highlight_warnings = warnings,
                                });
    bilanx_compare_free(compare);
    return result;
}
