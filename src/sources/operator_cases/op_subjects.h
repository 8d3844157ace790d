// op_subjects: cases that run alone, as those of other sources do: a loop over one backend.
//
// For whatever needs such a loop, not turns: sampling its stacks, for one.
#ifndef OPERATOR_CASES_OP_SUBJECTS_H
#define OPERATOR_CASES_OP_SUBJECTS_H

#include "sources/operator_cases/operator_cases.h"

struct op_subjects;

// Gives every case of the plan its subject and the words that open it. The processes must have
// been started once, so that it is known where each backend is loaded.
struct op_subjects *op_subjects_new(struct ops *ops, const struct ops_hosts *hosts);
void op_subjects_free(struct op_subjects *subjects);
SCOPE_POINTER(op_subjects, op_subjects_free)

#endif
