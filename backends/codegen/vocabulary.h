// vocabulary: the vectors and functions that generated C is written in.
//
// A kernel computes in one type: V is a vector of it, M a vector of integers of the same size whose
// lanes are 0 or -1, N the number of lanes. Only what a kernel uses is written in front of it.
#ifndef BACKENDS_CODEGEN_VOCABULARY_H
#define BACKENDS_CODEGEN_VOCABULARY_H

#include "base/text.h"
#include "inputs/tensors/dtype.h"

const char *c_type(const struct dtype *type);  // in memory: "float", "uint16_t" for halves

// Writes the types, and all functions that `body` needs, directly or through others.
void vocabulary_write(struct text *out, const char *body, const struct dtype *computed,
                      unsigned lanes);

// Whether an expression needs functions that loop over lanes.
bool vocabulary_has_loops(const char *expression, const struct dtype *computed);

#endif
