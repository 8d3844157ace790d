// pointwise: operators whose result at each place depends only on the operands at that place.
//
// The table is pointwise_operators.inc. A schema lists all arguments of an operator in order:
//
//     self            an operand: a tensor or a number
//     min=-inf        an operand that may be absent or None, with its value then
//     !mask           an operand that does not take part in choosing the result's type
//     *alpha=1        a parameter: a number, a boolean, or a word of parameter_words[]
#ifndef BACKENDS_REFERENCE_POINTWISE_H
#define BACKENDS_REFERENCE_POINTWISE_H

#include "backends/common/frame.h"

enum { POINTWISE_OPERANDS = 4, POINTWISE_PARAMETERS = 4 };

typedef void real_loop(size_t count, double *out, double (*in)[VIEW_BLOCK], const double *p);
typedef void integer_loop(size_t count, int64_t *out, int64_t (*in)[VIEW_BLOCK], const int64_t *p);

enum pointwise_result {
    PROMOTED,  // the type in which the operands meet
    FLOATING,  // the same, but f32 instead of integers
    ROUNDED,   // FLOATING, unless the first parameter says how to round: then PROMOTED
    REALS,     // the same, but integers are refused
    INTEGERS,  // the same, but reals are refused
    TRUTH,     // booleans
};

struct pointwise {
    enum pointwise_result result;
    real_loop *real;
    integer_loop *integer;
};

#endif
