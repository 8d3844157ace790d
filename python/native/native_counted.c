// native_counted: one count, and callgrind's output about it, for Python.
#include "native_counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "count/counting/profiles.h"

// "file:function [object]", as callgrind_annotate prints it.
static PyObject *name_of(const struct bilanx_function *function)
{
    AUTO(text) struct text name = {0};
    text_format(&name, "%s:%s", function->file && *function->file ? function->file : "???",
                function->function ? function->function : "???");
    if (function->object && *function->object)
        text_format(&name, " [%s]", function->object);
    return native_string(text_get(&name), name.size);
}

static PyObject *functions_of(const struct bilanx_counts *counts, bool inclusive)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < counts->function_count; i++) {
        const struct bilanx_function *function = &counts->functions[i];
        double count = inclusive ? function->inclusive : function->self;
        if (count == 0)
            continue;
        PyObject *name = name_of(function);
        PyObject *pair = name ? Py_BuildValue("(LN)", (long long)count, name) : NULL;
        if (!pair || PyList_Append(list, pair) != 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *file_text(const struct nursery *nursery, pid_t process, uint64_t repeat)
{
    AUTO(memory) char *path = nursery_file(nursery, process, repeat);
    AUTO(text) struct text content = {0};
    struct bilanx_error error = file_read(path, &content);
    return error.status == BILANX_OK ? native_string(text_get(&content), content.size)
                                     : native_raise(&error, NULL);
}

static PyObject *describe(const struct nursery *nursery, pid_t process,
                          const struct profiles *profiles, size_t repeat, bool retain)
{
    PyObject *text = Py_None;
    if (retain)
        text = file_text(nursery, process, repeat + 1);
    else
        Py_INCREF(text);
    PyObject *inclusive = text ? functions_of(&profiles->items[repeat], true) : NULL;
    PyObject *exclusive = inclusive ? functions_of(&profiles->items[repeat], false) : NULL;
    PyObject *result = exclusive ? PyTuple_Pack(3, inclusive, exclusive, text) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(inclusive);
    Py_XDECREF(exclusive);
    return result;
}

static PyObject *describe_all(const struct nursery *nursery, pid_t process,
                              const struct profiles *profiles, bool retain)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < profiles->count; i++) {
        PyObject *item = describe(nursery, process, profiles, i, retain);
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *native_counted(struct nursery *nursery, const char *open,
                         const struct nursery_options *options, bool retain)
{
    struct nursery_result result = {.phase = "start"};
    AUTO(profiles) struct profiles profiles = {0};
    struct native_wait wait;
    native_wait_begin(&wait);
    struct bilanx_error error = nursery_start(nursery, options);
    if (error.status == BILANX_OK)
        error = nursery_count(nursery, open, false, options, &result);
    if (error.status == BILANX_OK)
        error = profiles_read(nursery, result.process, options->repeats, &profiles);
    message_done(&result.counted);
    AUTO(text) struct text output = {0};
    if (error.status != BILANX_OK && nursery->running) {
        process_listen(&nursery->client.process);
        text_add(&output, text_get(&nursery->client.process.output));
        if (!nursery_is_well(nursery))
            nursery_done(nursery);
    }
    native_wait_end(&wait);
    PyObject *list = NULL;
    if (error.status == BILANX_OK)
        list = describe_all(nursery, result.process, &profiles, retain);
    else
        native_raise(&error, text_get(&output));
    if (result.process)
        nursery_remove_files(nursery, result.process, options->repeats);
    return list;
}
