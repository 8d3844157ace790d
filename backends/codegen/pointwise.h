// pointwise: operators whose result at each place depends only on the operands at that place.
//
// The table is pointwise_operators.inc. A schema lists all arguments of an operator in order, and
// the expression uses them by name:
//
//     self            an operand: a tensor or a number
//     min=-inf        an operand that may be absent or None, with its value then
//     !value          an operand that does not take part in choosing the type
//     !?mask          the same, read as a mask
//     *alpha=1        a parameter: a number, a boolean, or a word of parameter_words[]
#ifndef BACKENDS_CODEGEN_POINTWISE_H
#define BACKENDS_CODEGEN_POINTWISE_H

#include "kernel.h"

enum pointwise_result {
    PROMOTED,  // the type in which the operands meet
    FLOATING,  // the same, but f32 instead of integers
    REALS,     // the same, but integers are refused
    INTEGERS,  // the same, but reals are refused
    TRUTH,     // booleans: the expression is a mask
};

struct pointwise {
    enum pointwise_result result;
    const char *as;
    const char *otherwise;  // if the first parameter is not 0; NULL: the same
    const char *third;      // if it is 2
};

// Whether operators can be fused: see fusion.c.
const struct pointwise *pointwise_of(const struct routine *routine);

#endif
