// op_subjects: cases that run alone, like those of other sources: a loop over one backend.
//
// For tasks that need such a loop instead of turns, such as sampling stacks.
#ifndef OPERATOR_CASES_OP_SUBJECTS_H
#define OPERATOR_CASES_OP_SUBJECTS_H

#include "sources/operator_cases/operator_cases.h"

struct op_subjects;

// Makes one subject for each backend. The processes must have been started once, to know where each
// backend is loaded, and must outlive the subjects.
struct op_subjects *op_subjects_new(const struct ops *ops, const struct ops_hosts *hosts);
void op_subjects_free(struct op_subjects *subjects);
SCOPE_POINTER(op_subjects, op_subjects_free)

// Makes processes load their backend once and fork for each epoch.
void op_subjects_stand_by(struct op_subjects *subjects);

// Gives cases, one per backend in turn, their subjects and the words that open them.
void op_subjects_assign(const struct op_subjects *subjects, const struct ops *ops,
                        struct run_cases *cases);

#endif
