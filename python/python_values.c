// python_values: the arguments and results of an operator, as Python objects.
#include "python_values.h"

#include <stdlib.h>
#include <string.h>

static PyObject *to_python(const struct python_names *names, const struct bilanx_value *value);

static PyObject *items_to_python(const struct python_names *names, const struct bilanx_value *value)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < value->count; i++) {
        PyObject *item = to_python(names, &value->items[i]);
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    if (value->kind == BILANX_LIST || !list)
        return list;
    PyObject *tuple = PyList_AsTuple(list);
    Py_DECREF(list);
    return tuple;
}

static PyObject *shape_to_python(const DLTensor *tensor)
{
    PyObject *shape = PyTuple_New(tensor->ndim);
    for (int i = 0; shape && i < tensor->ndim; i++) {
        PyObject *size = PyLong_FromLongLong(tensor->shape[i]);
        if (!size || PyTuple_SetItem(shape, i, size) != 0)
            Py_CLEAR(shape);
    }
    return shape;
}

static PyObject *tensor_to_python(const struct python_names *names,
                                  const struct bilanx_value *value)
{
    if (!value->sparse)
        return borrow_tensor(names->extension, value->tensor, value->is_bool);
    PyObject *parts[] = {
        borrow_tensor(names->extension, value->sparse->indices, false),
        borrow_tensor(names->extension, value->sparse->values, value->is_bool),
        shape_to_python(value->tensor),
    };
    if (parts[0] && parts[1] && parts[2])
        return Py_BuildValue("(NNNO)", parts[0], parts[1], parts[2],
                             value->sparse->is_coalesced ? Py_True : Py_False);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        Py_XDECREF(parts[i]);
    return NULL;
}

static PyObject *to_python(const struct python_names *names, const struct bilanx_value *value)
{
    switch (value->kind) {
    case BILANX_TRUTH:
        return PyBool_FromLong(value->integer != 0);
    case BILANX_INTEGER:
        return PyLong_FromLongLong(value->integer);
    case BILANX_REAL:
        return PyFloat_FromDouble(value->real);
    case BILANX_TEXT:
        return PyUnicode_FromString(value->text);
    case BILANX_WORD:
        return PyObject_CallMethod(names->glue, "Word", "s", value->text);
    case BILANX_LIST:
    case BILANX_TUPLE:
        return items_to_python(names, value);
    case BILANX_TENSOR:
        return tensor_to_python(names, value);
    case BILANX_NONE:
        break;
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *keywords_to_python(const struct python_names *names,
                                    const struct bilanx_call *call)
{
    PyObject *made = PyDict_New();
    for (size_t i = 0; made && i < call->keyword_count; i++) {
        PyObject *value = to_python(names, &call->keywords[i].value);
        if (!value || PyDict_SetItemString(made, call->keywords[i].name, value) != 0)
            Py_CLEAR(made);
        Py_XDECREF(value);
    }
    return made;
}

bool values_to_python(const struct python_names *names, const struct bilanx_call *call,
                      PyObject **arguments, PyObject **keywords)
{
    struct bilanx_value all = {
        .kind = BILANX_TUPLE, .items = call->arguments, .count = call->argument_count};
    PyObject *positional = items_to_python(names, &all);
    PyObject *named = positional ? keywords_to_python(names, call) : NULL;
    if (!named) {
        Py_XDECREF(positional);
        return false;
    }
    *arguments = positional;
    *keywords = named;
    return true;
}

void python_results_drop(struct python_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        free(results->memory[i]);
    free(results->memory);
    Py_XDECREF(results->exported);
    *results = (struct python_results){0};
}

static void *keep(struct python_results *results, size_t size)
{
    void **grown = realloc(results->memory, (results->count + 1) * sizeof *grown);
    void *memory = grown ? calloc(1, size ? size : 1) : NULL;
    if (grown)
        results->memory = grown;
    if (memory)
        results->memory[results->count++] = memory;
    else
        PyErr_NoMemory();
    return memory;
}

// The description is a copy, with the strides that it may lack.
static bool tensor_from_python(struct python_results *results, PyObject *tuple,
                               struct bilanx_value *out)
{
    PyObject *capsule = PyTuple_GetItem(tuple, 1), *is_bool = PyTuple_GetItem(tuple, 2);
    DLManagedTensor *managed =
        capsule && is_bool ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    if (!managed)
        return false;
    const DLTensor *given = &managed->dl_tensor;
    DLTensor *tensor = keep(results, sizeof *tensor + (size_t)given->ndim * sizeof(int64_t));
    if (!tensor)
        return false;
    *tensor = *given;
    tensor->strides = (int64_t *)(tensor + 1);
    int64_t stride = 1;
    for (int i = given->ndim - 1; i >= 0; i--) {
        tensor->strides[i] = given->strides ? given->strides[i] : stride;
        stride *= given->shape[i];
    }
    out->tensor = tensor;
    out->is_bool = is_bool == Py_True;
    return true;
}

static bool from_python(struct python_results *results, PyObject *tuple, struct bilanx_value *out);

static bool items_from_python(struct python_results *results, PyObject *tuple,
                              struct bilanx_value *out)
{
    PyObject *list = PyTuple_GetItem(tuple, 1);
    Py_ssize_t count = list ? PyList_Size(list) : -1;
    struct bilanx_value *items = count >= 0 ? keep(results, (size_t)count * sizeof *items) : NULL;
    if (!items)
        return false;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!from_python(results, PyList_GetItem(list, i), &items[i]))
            return false;
    out->items = items;
    out->count = (size_t)count;
    return true;
}

// Tuples of a kind and its data: export() of the glue makes nothing else.
static bool from_python(struct python_results *results, PyObject *tuple, struct bilanx_value *out)
{
    PyObject *kind = tuple ? PyTuple_GetItem(tuple, 0) : NULL;
    if (!kind)
        return false;
    *out = (struct bilanx_value){.kind = (enum bilanx_value_kind)PyLong_AsLong(kind)};
    PyObject *content = out->kind == BILANX_NONE ? NULL : PyTuple_GetItem(tuple, 1);
    switch (out->kind) {
    case BILANX_TRUTH:
    case BILANX_INTEGER:
        out->integer = content ? PyLong_AsLongLong(content) : 0;
        break;
    case BILANX_REAL:
        out->real = content ? PyFloat_AsDouble(content) : 0;
        break;
    case BILANX_LIST:
    case BILANX_TUPLE:
        return items_from_python(results, tuple, out);
    case BILANX_TENSOR:
        return tensor_from_python(results, tuple, out);
    default:
        break;
    }
    return !PyErr_Occurred();
}

bool values_from_python(struct python_results *results, PyObject *exported,
                        struct bilanx_value *out)
{
    python_results_drop(results);
    results->exported = exported;
    return from_python(results, exported, out);
}
