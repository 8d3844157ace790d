// native_judge: the verdict on two sides that took turns in one process.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/verdict/judgement.h"
#include "native.h"

// judge(changes, alpha, margin, equal): ln(b/a) of epochs to (verdict, change, low, high, p).
PyObject *native_judge(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *changes;
    struct margins margins = default_margins;
    AUTO(memory) double *values = NULL;
    size_t count = 0;
    if (!PyArg_ParseTuple(arguments, "Oddd", &changes, &margins.alpha, &margins.claim,
                          &margins.same) ||
        !native_doubles(changes, &values, &count))
        return NULL;
    struct sample sample = {values, count};
    struct finding finding = judge_sample(&sample, &margins);
    return Py_BuildValue("(sdddd)", verdict_words[judge(&sample, &margins)],
                         judge_fraction(finding.change), judge_fraction(finding.interval.low),
                         judge_fraction(finding.interval.high), finding.p);
}
