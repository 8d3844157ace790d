// native_provenance: the repository that records of callables belong to.
#include <stdlib.h>

#include "base/mem.h"
#include "core/record/provenance.h"
#include "native.h"

// provenance(): the repository of the current directory as JSON; None if there is none.
PyObject *native_provenance(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    AUTO(memory) char *git = provenance_of(NULL, NULL);
    if (!git)
        Py_RETURN_NONE;
    return PyUnicode_FromString(git);
}
