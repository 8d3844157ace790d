// op_resume: which samples a file of records already has.
#ifndef OPERATOR_CASES_OP_RESUME_H
#define OPERATOR_CASES_OP_RESUME_H

#include "base/text.h"
#include "sources/operator_cases/operator_cases.h"

// Marks the samples as finished whose records are in the file. A missing file counts as empty; an
// incomplete last line is ignored. Samples on which a backend failed are measured again: `kept` is
// the file without their records, if `*dropped`.
struct bilanx_error ops_resume(struct ops *ops, const char *path, struct text *kept, bool *dropped);

#endif
