// ops_verdict: whether a backend is faster on an operator, judged as `bilanx ab` does, from the
// pairs of turns within the repeats of all its samples.
#ifndef PROGRAMS_OPS_VERDICT_H
#define PROGRAMS_OPS_VERDICT_H

#include "ab/verdict/judgement.h"
#include "sources/operator_cases/speedups.h"

// Returns false if there is nothing to judge.
bool ops_judge(const struct ops_operator *of, size_t backend, enum verdict *out);

// The same as a record.
bool ops_make_verdict(const struct ops *ops, const struct ops_operator *of, size_t backend,
                      struct bilanx_record *out);

#endif
