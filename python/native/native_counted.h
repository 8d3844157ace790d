// native_counted: one count, and callgrind's output about it, for Python.
#ifndef NATIVE_NATIVE_COUNTED_H
#define NATIVE_NATIVE_COUNTED_H

#include "count/counting/nursery.h"
#include "native.h"

// Starts the worker if needed and counts the case. Returns a list with a tuple per repeat:
// (inclusive, exclusive, text): two lists of (count, name), and callgrind's file or None.
PyObject *native_counted(struct nursery *nursery, const char *open,
                         const struct nursery_options *options, bool retain);

#endif
