// tensor_object: the inputs of a statement or of an operator as Python objects.
//
// Every __dlpack__() gives a new description of the same memory, which holds a reference to the
// object. So each consumer frees its own, and the memory goes with the last of them.
#include "tensor_object.h"

#include <stdlib.h>
#include <string.h>

#include "inputs/tensors/tensor.h"

struct tensor {
    PyObject_HEAD DLManagedTensor *made;
    bool is_bool;
};

static const char fresh[] = "dltensor";  // the name that consumers look for

static const DLTensor *tensor_of(PyObject *self)
{
    return &((struct tensor *)self)->made->dl_tensor;
}

static void free_tensor(PyObject *self)
{
    tensor_free(((struct tensor *)self)->made);
    PyObject_Free(self);
}

// A consumer may delete it in any thread.
static void release(DLManagedTensor *given)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)given->manager_ctx);
    PyGILState_Release(state);
    free(given);
}

// A consumer renames the capsule; if no consumer did, we free it.
static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, fresh))
        release(PyCapsule_GetPointer(capsule, fresh));
}

static PyObject *give(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    (void)arguments;
    PyObject *copy = keywords ? PyDict_GetItemString(keywords, "copy") : NULL;
    if (copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, "an input of bilanx is never copied");
        return NULL;
    }
    DLManagedTensor *given = malloc(sizeof *given);
    if (!given)
        return PyErr_NoMemory();
    *given =
        (DLManagedTensor){.dl_tensor = *tensor_of(self), .manager_ctx = self, .deleter = release};
    Py_INCREF(self);
    PyObject *capsule = PyCapsule_New(given, fresh, free_capsule);
    if (!capsule)
        release(given);
    return capsule;
}

static PyObject *device(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const DLTensor *tensor = tensor_of(self);
    return Py_BuildValue("(ii)", (int)tensor->device.device_type, (int)tensor->device.device_id);
}

static PyObject *numbers(const int64_t *values, int count, int64_t factor)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(values[i] * factor);
        if (!value || PyTuple_SetItem(tuple, i, value) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *nothing)
{
    (void)nothing;
    return numbers(tensor_of(self)->shape, tensor_of(self)->ndim, 1);
}

static PyObject *get_strides(PyObject *self, void *nothing)
{
    (void)nothing;
    return numbers(tensor_of(self)->strides, tensor_of(self)->ndim, 1);
}

static PyObject *get_is_bool(PyObject *self, void *nothing)
{
    (void)nothing;
    return PyBool_FromLong(((struct tensor *)self)->is_bool);
}

// The letters of our types and of numpy's; those of numpy are followed by bytes.
static const struct {
    int code;
    const char *ours, *numpys;
} types[] = {{kDLInt, "i", "i"},
             {kDLUInt, "u", "u"},
             {kDLFloat, "f", "f"},
             {kDLBfloat, "bf", NULL},
             {kDLComplex, "c", "c"}};

static const char *letters_of(const DLTensor *tensor, bool numpy)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == tensor->dtype.code)
            return numpy ? types[i].numpys : types[i].ours;
    return NULL;
}

static PyObject *get_dtype(PyObject *self, void *nothing)
{
    (void)nothing;
    const DLTensor *tensor = tensor_of(self);
    if (((struct tensor *)self)->is_bool)
        return PyUnicode_FromString("bool");
    return PyUnicode_FromFormat("%s%d", letters_of(tensor, false), (int)tensor->dtype.bits);
}

// The interface that numpy.asarray() reads: unlike from_dlpack() it gives a writable array.
static PyObject *get_array_interface(PyObject *self, void *nothing)
{
    (void)nothing;
    const DLTensor *tensor = tensor_of(self);
    bool is_bool = ((struct tensor *)self)->is_bool;
    int bytes = tensor->dtype.bits / 8;
    const char *letters = is_bool ? "b" : letters_of(tensor, true);
    if (!letters) {
        PyErr_SetString(PyExc_AttributeError, "numpy has no bfloat16");
        return NULL;
    }
    PyObject *type = PyUnicode_FromFormat("%s%s%d", bytes == 1 ? "|" : "<", letters, bytes);
    PyObject *shape = numbers(tensor->shape, tensor->ndim, 1);
    PyObject *strides = numbers(tensor->strides, tensor->ndim, bytes);
    PyObject *address = PyLong_FromVoidPtr((char *)tensor->data + tensor->byte_offset);
    if (type && shape && strides && address)
        return Py_BuildValue("{sisNsNsNs(NO)}", "version", 3, "typestr", type, "shape", shape,
                             "strides", strides, "data", address, Py_False);
    PyObject *all[] = {type, shape, strides, address};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        Py_XDECREF(all[i]);
    return NULL;
}

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", (PyCFunction)(void *)give, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack_device__", device, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef tensor_members[] = {
    {"shape", get_shape, NULL, NULL, NULL},
    {"strides", get_strides, NULL, NULL, NULL},
    {"dtype", get_dtype, NULL, NULL, NULL},
    {"is_bool", get_is_bool, NULL, NULL, NULL},
    {"__array_interface__", get_array_interface, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot tensor_slots[] = {
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_members},
    {Py_tp_dealloc, (void *)free_tensor},
    {0, NULL},
};
static PyType_Spec tensor_spec = {
    .name = "_bilanx.tensor",
    .basicsize = sizeof(struct tensor),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = tensor_slots,
};

// Takes the tensor, even if there is no memory for its object.
static PyObject *wrap(PyObject *type, DLManagedTensor *made, bool is_bool)
{
    struct tensor *tensor = PyObject_New(struct tensor, (PyTypeObject *)type);
    if (!tensor) {
        tensor_free(made);
        return NULL;
    }
    tensor->made = made;
    tensor->is_bool = is_bool;
    return (PyObject *)tensor;
}

static PyObject *raise_error(struct bilanx_error error)
{
    PyErr_SetString(error.status == BILANX_E_MEMORY ? PyExc_MemoryError : PyExc_ValueError,
                    error.text);
    return NULL;
}

static PyObject *make_tensor(PyObject *type, const struct tensor_description *description)
{
    DLManagedTensor *made = NULL, *indices = NULL;
    struct bilanx_error error = description->is_sparse
                                    ? tensor_make_sparse(description, &indices, &made)
                                    : tensor_make(description, &made);
    if (error.status != BILANX_OK)
        return raise_error(error);
    PyObject *values = wrap(type, made, description->is_bool);
    if (!description->is_sparse)
        return values;
    PyObject *places = wrap(type, indices, false);
    PyObject *shape = numbers(description->shape, description->dimensions, 1);
    if (values && places && shape)
        return Py_BuildValue("(NNNO)", places, values, shape,
                             description->is_coalesced ? Py_True : Py_False);
    Py_XDECREF(values);
    Py_XDECREF(places);
    Py_XDECREF(shape);
    return NULL;
}

static bool append(PyObject *list, const char *name, PyObject *value)
{
    PyObject *pair = value ? Py_BuildValue("(sN)", name, value) : NULL;
    bool done = pair && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
    return done;
}

static bool append_all(PyObject *list, PyObject *type, const struct sample *sample)
{
    for (size_t i = 0; i < sample->parameter_count; i++) {
        const struct sample_parameter *parameter = &sample->parameters[i];
        if (!append(list, parameter->name,
                    parameter->is_real ? PyFloat_FromDouble(parameter->number)
                                       : PyLong_FromLongLong(parameter->integer)))
            return false;
    }
    for (size_t i = 0; i < sample->tensor_count; i++)
        if (!append(list, sample->tensors[i].name, make_tensor(type, &sample->tensors[i])))
            return false;
    return true;
}

bool add_tensor_type(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&tensor_spec);
    return type && PyModule_AddObject(module, "tensor", type) == 0;
}

PyObject *make_inputs(PyObject *module, PyObject *arguments)
{
    AUTO(sample) struct sample sample = {0};
    const char *text;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "sK", &text, &seed))
        return NULL;
    struct bilanx_error error = sample_read(text, &sample);
    if (error.status != BILANX_OK)
        return raise_error(error);
    sample_place(&sample, seed);
    PyObject *type = PyObject_GetAttrString(module, "tensor");
    PyObject *list = type ? PyList_New(0) : NULL;
    if (list && !append_all(list, type, &sample))
        Py_CLEAR(list);
    Py_XDECREF(type);  // the module keeps it
    return list;
}

static void forget(DLManagedTensor *borrowed)
{
    free(borrowed);
}

// With strides, which DLPack may leave out: they follow the description in its memory.
static DLManagedTensor *describe(const DLTensor *tensor)
{
    DLManagedTensor *made = malloc(sizeof *made + (size_t)tensor->ndim * sizeof(int64_t));
    if (!made)
        return NULL;
    *made = (DLManagedTensor){.dl_tensor = *tensor, .deleter = forget};
    int64_t *strides = (int64_t *)(made + 1), stride = 1;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        strides[i] = tensor->strides ? tensor->strides[i] : stride;
        stride *= tensor->shape[i];
    }
    made->dl_tensor.strides = strides;
    return made;
}

PyObject *borrow_tensor(PyObject *module, const DLTensor *tensor, bool is_bool)
{
    PyObject *type = PyObject_GetAttrString(module, "tensor");
    DLManagedTensor *made = type ? describe(tensor) : NULL;
    PyObject *object = made ? wrap(type, made, is_bool) : type ? PyErr_NoMemory() : NULL;
    Py_XDECREF(type);
    return object;
}
