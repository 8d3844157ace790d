// native_task: measurements that Python passes as dictionaries.
#ifndef NATIVE_NATIVE_TASK_H
#define NATIVE_NATIVE_TASK_H

#include "bilanx/record.h"
#include "native.h"

// Reads {"task": {...}, "number_per_run": n, "raw_times": [...], "method": "blocked"} into an empty
// record, with statistics.
bool native_read_record(PyObject *measurement, struct bilanx_record *out);

#endif
