// op_resume: finds the samples that a file of records already has.
#ifndef OPERATOR_CASES_OP_RESUME_H
#define OPERATOR_CASES_OP_RESUME_H

#include "base/text.h"
#include "sources/operator_cases/operator_cases.h"

// Marks samples whose records are in the file as finished. A missing file counts as empty; an
// incomplete last line is ignored. Samples on which a backend failed are measured again: `kept` is
// the file without their records, if `*dropped`.
struct bilanx_error ops_resume(struct ops *ops, const char *path, struct text *kept, bool *dropped);

#endif
