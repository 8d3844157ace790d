// python_values: the arguments and results of an operator, as Python objects.
#ifndef PYTHON_PYTHON_VALUES_H
#define PYTHON_PYTHON_VALUES_H

#include "bilanx/backend.h"
#include "tensor_object.h"

// The modules that conversions need. References are borrowed.
struct python_names {
    PyObject *extension;  // _bilanx_ops
    PyObject *glue;       // bilanx_backends
};

// A tuple, and a dictionary or NULL for none. Tensors are those of tensor_object.h; a sparse one is
// a tuple of indices, values, shape and whether it is coalesced; a word is a `Word` of the glue.
// Returns false with an exception set.
bool values_to_python(const struct python_names *names, const struct bilanx_call *call,
                      PyObject **arguments, PyObject **keywords);

// Results as values. They point into the memory kept here.
struct python_results {
    PyObject *exported;  // owns the capsules of tensors
    void **memory;
    size_t count;
};
void python_results_drop(struct python_results *results);

// `exported` is the return value of the glue's export(), whose reference is taken. Returns false
// with an exception set.
bool values_from_python(struct python_results *results, PyObject *exported,
                        struct bilanx_value *out);

#endif
