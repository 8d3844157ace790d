// tensor_object: the inputs of a statement or of an operator as Python objects.
#ifndef PYTHON_TENSOR_OBJECT_H
#define PYTHON_TENSOR_OBJECT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlpack/dlpack.h>
#include <stdbool.h>

// Adds the type of tensors to our module.
bool add_tensor_type(PyObject *module);

// make_inputs(text, seed): makes a sample; the seed decides where in its page each tensor begins.
// Returns a list of pairs of a name and a value: an int, a float, a tensor, or for a sparse tensor
// a tuple of indices, values, shape and whether it is coalesced.
//
// A tensor has __dlpack__, __dlpack_device__, __array_interface__, shape, strides (in elements),
// dtype ("f32") and is_bool. Its memory is freed with the last object that uses it.
PyObject *make_inputs(PyObject *module, PyObject *arguments);

// The same for a tensor that another object owns, which must live as long as this one.
PyObject *borrow_tensor(PyObject *module, const DLTensor *tensor, bool is_bool);

#endif
