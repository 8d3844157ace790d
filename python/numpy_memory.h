// numpy_memory: numpy's arrays in memory of the host, like the results of all other backends.
#ifndef PYTHON_NUMPY_MEMORY_H
#define PYTHON_NUMPY_MEMORY_H

#include "bilanx/backend.h"
#include "tensor_object.h"

// Lets numpy allocate with the host's functions, from 1.22 on. Returns numpy's handler from before;
// NULL: nothing has changed, and no exception is set.
PyObject *numpy_memory_use(const struct bilanx_host *host);

// Sets that handler again and drops it; NULL is fine.
void numpy_memory_restore(PyObject *before);

#endif
