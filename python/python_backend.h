// python_backend: backends whose functions are written in Python.
//
// Two tables: `python`, whose configuration is a file, and `inductor`, which is a file of ours.
// bilanx_backends.py opens them. The thread that calls needs not hold the interpreter's lock.
#ifndef PYTHON_PYTHON_BACKEND_H
#define PYTHON_PYTHON_BACKEND_H

#include "bilanx/backend.h"

enum { PYTHON_BACKENDS = 2 };
extern const struct bilanx_backend *const python_backends[PYTHON_BACKENDS];

#endif
